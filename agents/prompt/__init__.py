"""From what an agent knows to a prompt that fits the model's window."""
