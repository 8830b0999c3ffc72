"""What `bench compaction` is made of: made-up lives, living one under a strategy, what is kept of it; and its parts."""
