"""The agents of Loci: Memory (what they lived through), Thinker (what they decide), Actor (what they see and do)."""
