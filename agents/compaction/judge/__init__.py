"""The judge of summaries, with its own words, numbers and names. No summarizer may import it."""
