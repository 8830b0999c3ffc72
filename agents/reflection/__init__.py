"""What goes on in a mind while nobody speaks to it: weighing what was lived, insights, dreams, notes on whom it knows.

All of it works without a model, by rules, the same for the same memories. A model that there is makes it better and is
never believed: numbers only for what it was shown, insights only of what was lived, dreams always marked as dreams.
"""
