"""From the text of a model's reply to one command line: `replies.clean_reply`."""
