# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What holds for the emitted folders themselves: group counts, equal kernels."""
import json
import pathlib
import re

from batch import Failure

HERE = pathlib.Path(__file__).resolve().parent
COUNTS = HERE / "group-counts.json"
VOCABULARY = HERE.parents[1] / "runtime" / "include"
IDENTIFIER = re.compile(r"\b[A-Za-z_]\w*\b")

# Models that must have the same kernels however they are spelled.
SAME_KERNELS = [("layer_norm_op", "layer_norm_primitives", "layer_norm_function")]


def count_groups(folder):
    return len(json.loads((folder / "model.json").read_text())["groups"])


def check_groups(test, committed):
    """A model may not need more fusion groups than what is committed."""
    groups = count_groups(test.folder / "src")
    if test.name not in committed:
        raise Failure(f"{groups} groups, and no committed count; after a look at them: "
                      "test/e2e/run.py --update-group-counts")
    if groups > committed[test.name]:
        raise Failure(f"{groups} groups, committed are {committed[test.name]}; counts "
                      "may only fall")


def read_counts():
    return json.loads(COUNTS.read_text()) if COUNTS.exists() else {}


def update_counts(tests, existing):
    """Commits lower counts and those of new models; forgets models that do not exist."""
    counts = {name: count for name, count in read_counts().items() if name in existing}
    for test in tests:
        groups = count_groups(test.folder / "src")
        if groups > counts.get(test.name, groups):
            print(f"{test.name}: {groups} groups are more than {counts[test.name]}; kept")
        counts[test.name] = min(groups, counts.get(test.name, groups))
    COUNTS.write_text(json.dumps(counts, indent=0, sort_keys=True) + "\n")


def vocabulary():
    """Each word of the runtime's headers: what keeps its name in a kernel."""
    return {word for path in VOCABULARY.rglob("*.h")
            for word in IDENTIFIER.findall(path.read_text())}


def without_names(source, keep):
    """The text without comments, its own names numbered as they come."""
    source = re.sub(r"//.*|/\*.*?\*/|#include.*", "", source)
    numbers = {}
    source = IDENTIFIER.sub(
        lambda m: m[0] if m[0] in keep else f"n{numbers.setdefault(m[0], len(numbers))}",
        source)
    return " ".join(source.split())


def check_same_kernels(tests):
    """For each set in SAME_KERNELS that was compiled: name -> why it differs."""
    folders = {test.name: test.folder / "src" for test in tests}
    keep, failures = vocabulary(), {}
    for names in SAME_KERNELS:
        present = [name for name in names if name in folders]
        texts = [without_names((folders[name] / f"{name}_kernels.cpp").read_text(), keep)
                 for name in present]
        for name, text in zip(present[1:], texts[1:]):
            failures[f"{name}@same_kernels"] = \
                None if text == texts[0] else f"other kernels than {present[0]}"
    return failures
