"""The world as a pure model: things, places, exits, events. No file, no socket, no clock, no chance in it."""
