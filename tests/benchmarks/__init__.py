"""Measurements that anybody can repeat: `python -m tests.benchmarks NAME`, one file per bench.

To add one, write a module here with a function `@bench("name", "help", add_arguments)` that takes the parsed arguments
and a function that says how far it is, and returns a `_bench.Report`: one record for `--json`, and the tables that
people read and that `--table FILE` puts between their marks in a README. The name is the file's. Everything but the
times must come out the same every time.
"""
