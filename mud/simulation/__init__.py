"""The world on virtual time, as fast as the machine allows. The same seed gives the same run.

All parts are the real ones, as in `run`, but no model is asked and agents act one at a time.
"""
