"""Folding: old memories become summaries. One engine for every strategy: plan, summarize, validate, commit."""
