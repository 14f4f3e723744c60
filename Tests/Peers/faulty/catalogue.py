"""All devices: importing this registers them."""

from . import (advertising, attributes, clean, clean_many, errors, gap_gatt, profiles, security, subscriptions, values)  # noqa: F401
from .registry import ENTRIES


def find(name):
    return ENTRIES.get(name)
