"""The world on virtual time: it runs as fast as the machine allows, by instinct alone, and the same again for one seed.

Every part of it is the real one, as `run` has it: minds, engine, ledger, archives, folds, the index of words. Only time
does not pass by itself, no model is asked, and nobody acts while somebody else does.
"""
