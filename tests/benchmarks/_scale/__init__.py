"""What `bench scale` measures: a world simulated, and one that runs while somebody visits it."""
