"""The one door into the world: a line of text goes in, a step with its events and replies comes out."""
