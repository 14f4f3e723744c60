"""What `bench.py` is made of; each file is about one kind of measurement or one part of the report."""
