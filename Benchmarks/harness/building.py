"""Builds the measured and the measuring programs."""

import os
import subprocess

from .paths import HARALD, HARALD_BENCH, ROOT, SOURCES, TOOLS
from .processes import Broken

WARNINGS = ['-O2', '-Wall', '-Wextra', '-Wshadow', '-Wconversion']
# The programs, their sources, and further options.
PROGRAMS = {
    'referee': (['referee.c', 'referee_commands.c', 'referee_reports.c'], []),
    'floor': (['floor.c'], []),
    'counter_test': (['counter_test.c'], []),
    'steps': (['steps.c'], []),
    'counter.so': (['counter.c'], ['-shared', '-fPIC', '-ldl']),
}


def build_tools():
    """Compiles the C programs whose sources are newer."""
    TOOLS.mkdir(parents=True, exist_ok=True)
    headers = list(SOURCES.glob('*.h'))
    for name, (names, options) in PROGRAMS.items():
        made, sources = TOOLS / name, [SOURCES / source for source in names]
        newest = max(file.stat().st_mtime for file in sources + headers)
        if not made.exists() or made.stat().st_mtime <= newest:
            # Libraries must be last for the linker.
            _run([os.environ.get('CC', 'cc'), *WARNINGS, '-o', made, *sources, *options])


def build_programs(*products):
    """Builds the release programs."""
    for product in products:
        _run([ROOT / 'Scripts/build.sh', '--configuration', 'release', '--product', product])


def without_debug_information(program):
    """A copy without Swift's DWARF, which valgrind cannot read. Symbols, and thus profiles, are kept."""
    TOOLS.mkdir(parents=True, exist_ok=True)
    copy = TOOLS / program.name
    if not copy.exists() or copy.stat().st_mtime <= program.stat().st_mtime:
        _run(['objcopy', '--strip-debug', program, copy])
    return copy


def require_programs(*programs):
    for program in programs or (HARALD_BENCH, HARALD):
        if not program.exists():
            raise Broken(f'there is no {program.relative_to(ROOT)}; leave out --no-build to build it')


def _run(command):
    words = [str(word) for word in command]
    try:
        status = subprocess.run(words, cwd=ROOT, stdin=subprocess.DEVNULL).returncode
    except OSError as error:
        raise Broken(f'{words[0]} does not start: {error}') from error
    if status != 0:
        raise Broken(f'{" ".join(words)} ended with status {status}')
