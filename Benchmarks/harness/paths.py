"""Paths in this repository."""

from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
SOURCES = ROOT / 'Benchmarks'
RESULTS = SOURCES / 'results'
LIMITS = SOURCES / 'limits.json'
TOOLS = ROOT / '.build/bench'
PEERS = ROOT / 'Tests/Peers'
PYTHON_OF_PEERS = ROOT / '.build/peers/bin/python'
HARALD = ROOT / '.build/release/harald'
HARALD_BENCH = ROOT / '.build/release/harald-bench'
FLOOR = TOOLS / 'floor'
