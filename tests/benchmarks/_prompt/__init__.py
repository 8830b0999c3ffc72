"""The parts of `bench prompt`."""
