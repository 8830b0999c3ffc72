"""What an agent lived through: every entry kept for good, summaries over them, notes beside them."""
