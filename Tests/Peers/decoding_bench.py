"""Measures the decoders of others on random valid advertisements, on one core, and writes these for harald-bench.

    decoding_bench.py FILE [--count 20000] [--seconds 3]

Prints `NAME rate=ADVERTISEMENTS/s` for theengsdecoder, and for habluetooth with the parser of each format. Each decodes
the formats that it knows. What it gets is prepared before: a JSON message, or an advertisement as habluetooth has it.
"""

import argparse
import json
import random
import time

import advertised


def rate(inputs, decode, seconds):
    """Advertisements a second."""
    start, count = time.process_time(), 0
    while time.process_time() - start < seconds:
        for one in inputs:
            decode(one)
        count += len(inputs)
    return count / (time.process_time() - start)


def main():
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("file")
    arguments.add_argument("--count", type=int, default=20000)
    arguments.add_argument("--seconds", type=float, default=3)
    options = arguments.parse_args()
    dice = random.Random(1)
    adverts = [advertised.GENERATORS[n % len(advertised.GENERATORS)](dice) for n in range(options.count)]
    adverts = [advert for advert in adverts if not advert.key]
    with open(options.file, "w", encoding="ascii") as file:
        file.writelines(advert.data.hex() + "\n" for advert in adverts)
    known = [a for a in adverts if advertised.judge_theengs in advertised.JUDGES[a.kind]]
    messages = [advertised.theengs_message(advert) for advert in known]
    print(f"theengs rate={rate(messages, advertised.TheengsDecoder.decodeBLE, options.seconds):.0f}/s", flush=True)
    # A parser keeps what it knows of a device, as in Home Assistant.
    parsers = {
        "bthome": advertised.BTHomeBluetoothDeviceData, "ruuvi": advertised.RuuvitagBluetoothDeviceData,
        "mibeacon": advertised.XiaomiBluetoothDeviceData, "govee": advertised.GoveeBluetoothDeviceData,
        "inkbird": advertised.INKBIRDBluetoothDeviceData,
    }
    pairs = []
    for advert in adverts:
        kind = next((kind for kind in parsers if advert.kind.startswith(kind)), None)
        if kind:
            pairs.append((parsers[kind](), advert.info()))
    print(f"home rate={rate(pairs, lambda pair: pair[0].update(pair[1]), options.seconds):.0f}/s", flush=True)


if __name__ == "__main__":
    main()
