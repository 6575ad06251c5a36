# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Holds a file against Chrome's trace format, and against the slices it should have.

  trace.py FILE NAME[:DETAIL]...
"""
import json
import sys

events = json.load(open(sys.argv[1]))["traceEvents"]
slices = [event for event in events if event["ph"] == "X"]
found = set()
for event in slices:
    assert event["ts"] >= 0 and event["dur"] >= 0, event
    assert {"pid", "tid", "name"} <= event.keys(), event
    found |= {event["name"], f"{event['name']}:{event.get('args', {}).get('detail', '')}"}
missing = set(sys.argv[2:]) - found
assert not missing, f"{missing} missing in {sorted(found)}"
# On one thread, slices nest: each ends before or after the next begins.
ends = []
for event in sorted(slices, key=lambda e: (e["tid"], e["ts"], -e["dur"])):
    begin, end = event["ts"], event["ts"] + event["dur"]
    while ends and ends[-1] <= begin:
        ends.pop()
    assert not ends or end <= ends[-1] + 1, f"{event} overlaps"
    ends.append(end)
