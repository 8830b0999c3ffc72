"""Worlds of several regions: characters go through an exit into another running world, with their memory.

A character that goes is on its way, by the ledger of its own world, before anything is sent (`departures.py`); a
ticket names the journey. What it is and lived (`luggage.py`) is sent until the other world answers, also after a
restart. The other world takes it in once for each ticket (`arrivals.py`), and answers when all of it is on disk. So at
no moment does a character act in both worlds, whatever is lost, doubled or killed in between. `neighbours.py` says
which worlds trust each other, and speaks with them; `regions.py` puts all of that together.
"""
