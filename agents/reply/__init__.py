"""From the text that a model replied to one command line: `replies.clean_reply`. Pure."""
