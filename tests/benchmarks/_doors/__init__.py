"""The parts of `bench doors`: a world in a process of its own, clients over real sockets, and what was remembered."""
