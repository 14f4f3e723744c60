"""The list of functions that the linker places beside each other (Scripts/build.sh)."""

import subprocess

from .paths import ORDER, ROOT

# Below this part of the list a program needs a new one.
FEWEST = 0.8


def functions():
    return [line for line in ORDER.read_text().splitlines() if line and not line.startswith('#')]


def symbols(program):
    """The names of the functions of a program."""
    listing = subprocess.run(['nm', '--defined-only', program], capture_output=True, text=True, check=True).stdout
    return {words[2] for words in map(str.split, listing.splitlines()) if len(words) == 3 and words[1] in 'tTwW'}


def compare(program):
    """A line about the list, and true if enough of its functions are in the program."""
    listed = functions()
    found = len(symbols(program).intersection(listed))
    holds = found >= FEWEST * len(listed)
    line = f'{found} of {len(listed)} functions in {ORDER.relative_to(ROOT)} are in {program.name}.'
    if not holds:
        line += ' Write a new list: Benchmarks/steps.py --order'
    return line, holds
