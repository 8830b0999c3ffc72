"""Language models: who they are (profiles), how they are asked (queue, backends), how they are doing (health)."""
