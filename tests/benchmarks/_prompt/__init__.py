"""What `bench prompt` is made of."""
