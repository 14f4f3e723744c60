"""All devices: importing this registers them."""

from . import (  # noqa: F401
    advertising, attributes, clean, clean_many, errors, gap_gatt, privacy, profiles, security, subscriptions, values)
from .registry import ENTRIES


def find(name):
    return ENTRIES.get(name)
