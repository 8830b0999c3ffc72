"""Language models: the queue in front of them, their hosts, token counts, the budget, and the backends."""
