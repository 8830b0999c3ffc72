"""Recall: ask anything the agent ever lived through. Light to import: the heavy libraries live in a child process."""
