"""The world as a pure model: things, places, exits and events, without files, sockets, clocks or randomness."""
