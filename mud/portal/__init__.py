"""The ways in for players. A portal reads and shows lines; the engine interprets them."""
