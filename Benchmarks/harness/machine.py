"""The machine of a measurement."""

import os
import platform
import subprocess
from pathlib import Path

from .paths import ROOT


def _output(*command):
    try:
        return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=30).stdout.strip()
    except (OSError, subprocess.TimeoutExpired):
        return ''


def _processor():
    """The name and, because hypervisors give several processors one name, the family and the model; and whether the
    TLB is emptied by each change of the process, because there is no PCID, which a stack with much code pays for."""
    try:
        first = Path('/proc/cpuinfo').read_text().split('\n\n')[0]
    except OSError:
        return platform.machine()
    fields = {name.strip(): value.strip() for name, _, value in (line.partition(':') for line in first.splitlines())}
    name = fields.get('model name') or fields.get('Model') or platform.machine()
    if 'cpu family' in fields:
        name += f", family {fields['cpu family']}, model {fields.get('model')}"
    if 'flags' in fields and 'pcid' not in fields['flags'].split():
        name += ', without PCID'
    return name


def describe(pinning):
    """All properties that affect the figures, for the result file."""
    return {
        'processor': _processor(),
        'cores': os.cpu_count(),
        'load': round(os.getloadavg()[0], 2),
        'pinnedTo': pinning.core,
        'system': f'{platform.system()} {platform.release()} {platform.machine()}',
        'swift': next((line for line in _output('swift', '--version').splitlines() if 'version' in line), ''),
        'commit': _output('git', 'rev-parse', '--short', 'HEAD'),
        'uncommitted': bool(_output('git', 'status', '--porcelain', '--', 'Sources', 'Package.swift')),
        'python': platform.python_version(),
    }
