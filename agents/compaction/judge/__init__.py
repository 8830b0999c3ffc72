"""How the judge of summaries reads: its own words, its own numbers, its own names. No summarizer may import it."""
