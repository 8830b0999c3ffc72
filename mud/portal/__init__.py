"""The ways in for people. A portal reads lines and shows lines; what a line means is the engine's business."""
