"""From what an agent knows to a prompt that fits. Pure."""
