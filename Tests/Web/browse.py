#!/usr/bin/env python3
"""Goes through every page of `harald serve` in a real browser, against virtual devices: browse.py [WORD...], where the
words are parts of names of tests, such as `keys_act`."""
import sys

# Each module declares its tests.
import browse_access, browse_devices, browse_device, browse_sensortags, browse_air, browse_records, browse_all  # noqa
from page_tests import run

if __name__ == "__main__":
    sys.exit(run(sys.argv[1:]))
