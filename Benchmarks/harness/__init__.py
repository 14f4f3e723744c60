"""The parts of `bench.py`; each file has one kind of measurement or one part of the report."""
