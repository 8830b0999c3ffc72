"""From the words of a model to one line. Pure."""
