"""The parts of `bench recall`."""
