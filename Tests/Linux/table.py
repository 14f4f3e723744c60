"""Reads the JSON lines of a comparison from standard input and prints a table: `table.py REFERENCE`. Each value is the
median of the rounds; the ratios are relative to REFERENCE in the same boot. With `cost`, the lines are those of
reads.py."""

import json
import statistics
import sys

COST = [
    ("CPU of the daemon ms/1000 reads", lambda run: run["daemon"] / run["reads"] * 1e6),
    ("CPU of the machine ms/1000 reads", lambda run: run["machine"] / run["reads"] * 1e6),
    ("reads/s", lambda run: run["reads"] / run["seconds"]),
    ("reads/s of bleak", lambda run: run["reads"] / run["bleak"]),
]
COLUMNS = [
    ("reads/s", lambda run: run["reads"] / run["seconds"]),
    ("CPU ms/1000 reads", lambda run: run["cpu"] / run["reads"] * 1e6),
    ("delivered of sent", lambda run: run["delivered"] / run["sent"]),
    ("CPU ms/1000 notified", lambda run: run["listeningCPU"] / max(run["delivered"], 1) * 1e6),
]


def main(reference, columns):
    runs = {}
    for line in sys.stdin:
        if line.startswith("{"):
            run = json.loads(line)
            runs.setdefault(run["who"], []).append(run)
    if reference not in runs:
        sys.exit(f"no run of {reference}")
    medians = {who: [statistics.median(map(column, of)) for _, column in columns] for who, of in runs.items()}
    print("| who | rounds | " + " | ".join(name for name, _ in columns) + " |")
    print("| --- | --- |" + " --- |" * len(columns))
    for who, values in medians.items():
        cells = []
        for (name, _), value, base in zip(columns, values, medians[reference]):
            text = f"{value:.1%}" if name.startswith("delivered") else f"{value:.0f}"
            if who != reference and not name.startswith("delivered") and base > 0:
                text += f" ({value / base:.2f} x)"
            cells.append(text)
        print(f"| {who} | {len(runs[who])} | " + " | ".join(cells) + " |")


main(sys.argv[1], COST if "cost" in sys.argv[2:] else COLUMNS)
