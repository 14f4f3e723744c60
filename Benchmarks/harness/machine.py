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
    try:
        for line in Path('/proc/cpuinfo').read_text().splitlines():
            if line.startswith(('model name', 'Model')):
                return line.split(':', 1)[1].strip()
    except OSError:
        pass
    return platform.machine()


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
