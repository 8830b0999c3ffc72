"""The engine: takes a line of text and returns a step with its events and replies."""
