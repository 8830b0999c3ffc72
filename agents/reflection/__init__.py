"""The inner life of agents: weighing memories, insights, dreams, and notes on people and places.

All of it works by rules, deterministically, and better with a model. A model's output is checked: ratings only for
entries that it was shown, insights only with evidence, dreams always marked as dreams.
"""
