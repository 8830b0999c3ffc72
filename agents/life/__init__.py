"""A running world's agents: who thinks when, with which prompt, and the page that shows what is in each mind."""
