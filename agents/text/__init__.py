"""Reading and writing English: verbs, persons, times of day, repetition."""
