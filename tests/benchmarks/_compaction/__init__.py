"""The parts of `bench compaction`."""
