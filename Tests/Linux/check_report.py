"""`check_report.py FILE`: checks the output of `harald check --json` over BlueZ, which keeps the frames of a link to
itself."""

import json
import sys

FRAMES = "gives no access to the frames"
PACKETS = "does not show advertising packets"

lines = [json.loads(line) for line in open(sys.argv[1], encoding="utf-8")]
summary = lines[-1]["summary"]
reasons = {item["rule"]: item["reason"] for item in summary["notRun"]}
print(f"     {summary['run']} rules were run, {summary['passed']} passed, {len(reasons)} were not run")
for finding in lines[:-1]:
    print(f"     {finding['severity']}: {finding['rule']}: {finding['message']} ({finding['evidence']})")
problems = []
for rule in ("att-read-zero", "att-mtu-response", "cccd-write", "l2cap-command-unknown"):
    if FRAMES not in reasons.get(rule, ""):
        problems.append(f"{rule} needs the frames of a link, but: {reasons.get(rule, 'it was run')}")
for rule in ("adv-structure-length", "adv-flags-missing"):
    if PACKETS not in reasons.get(rule, ""):
        problems.append(f"{rule} needs advertising packets, but: {reasons.get(rule, 'it was run')}")
problems += [f"{rule} has no reason" for rule, reason in reasons.items() if not reason]
if summary["passed"] < 10:
    problems.append("fewer than 10 rules passed")
for problem in problems:
    print(f"     {problem}")
sys.exit(1 if problems else 0)
