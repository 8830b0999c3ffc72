"""What `bench recall` is made of: reading lives with questions, living them, asking, scoring, telling; and speed."""
