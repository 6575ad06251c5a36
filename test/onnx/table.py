# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What is committed about the outcome of the tests: a table per operator, and why what
is unsupported is so."""
import collections

OUTCOMES = ("passed", "bound", "unsupported", "wrong", "crashed")


def format_table(results, op_of_test):
    """results: name -> (outcome, reason)."""
    rows = collections.defaultdict(collections.Counter)
    for name, (outcome, _) in results.items():
        for row in (op_of_test[name], "all"):
            rows[row][outcome] += 1
    total = rows.pop("all", collections.Counter())  # none was selected
    width = max(map(len, rows), default=0) + 1

    def line(name, counts):
        cells = [counts.total()] + [counts[outcome] for outcome in OUTCOMES]
        return name.ljust(width) + "".join(
            str(cell).rjust(len(title) + 2) for cell, title in zip(cells, ("tests",) + OUTCOMES))

    head = "op".ljust(width) + "".join(title.rjust(len(title) + 2)
                                       for title in ("tests",) + OUTCOMES)
    return "\n".join([head, *(line(name, rows[name]) for name in sorted(rows)),
                      line("all", total)]) + "\n"


def format_unsupported(results):
    return "".join(f"{name}: {reason}\n"
                   for name, (outcome, reason) in sorted(results.items())
                   if outcome == "unsupported")


def read_unsupported(path):
    """name -> reason."""
    lines = path.read_text().splitlines() if path.exists() else []
    return dict(line.split(": ", 1) for line in lines if not line.startswith("#"))


def read_exceptions(path):
    """name -> the comment above it: tests that are set aside."""
    names, reason = {}, ""
    for line in path.read_text().splitlines():
        if line.startswith("#"):
            reason = line.lstrip("# ")
        elif line:
            names[line.strip()] = "set aside: " + reason
    return names
