"""From what an agent knows to a prompt that fits the model's window. Pure, but for the reading of templates."""
