"""Devices with one fault each, and clean ones: see `faulty.py` beside this folder."""
