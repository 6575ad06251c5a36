# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What holds for the emitted folders themselves: group counts, equal kernels."""
import json
import pathlib
import re

from batch import Failure, run_program

HERE = pathlib.Path(__file__).resolve().parent
COUNTS = HERE / "group-counts.json"
DEFINITION = re.compile(r"^\s*(%[\w$.-]+) =|kernel\.for (%[\w$.-]+)|[(,] ?(%[\w$.-]+):")
LAST_STAGE = "model-plan-memory"

# Models that must have the same kernels however they are spelled.
SAME_KERNELS = [("layer_norm_op", "layer_norm_primitives",
                 "layer_norm_swapped", "layer_norm_function"),
                ("attention_op_heads", "ms_mha_causal")]


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


def without_names(text):
    """The kernels in the IR of the last stage, their names numbered as they come,
    without locations and texts. Not the source: there, a long name breaks a line, and
    the emitter names a part of the expression."""
    kernels = re.findall(r"^  kernel\.func .*?^  \}", text, re.M | re.S)
    text = re.sub(r'"[^"\n]*"|\bloc\((?:[^()]|\([^()]*\))*\)', "", "\n".join(kernels))
    numbers, lines, fresh = {}, [], 0
    for line in text.splitlines():
        # Sibling regions may use one name twice, so each definition gets a new number.
        for name in filter(None, sum(DEFINITION.findall(line), ())):
            numbers[name] = fresh = fresh + 1
        lines.append(re.sub(r"[%@][\w$.-]+", lambda m: m[0][0] + str(
            numbers.get(m[0], "free")), line))
    return "\n".join(lines)


def check_same_kernels(fusec, tests):
    """For each set in SAME_KERNELS that was compiled: name -> why it differs, or None."""
    models, failures = {test.name: test.model for test in tests}, {}
    for names in SAME_KERNELS:
        present = [name for name in names if name in models]
        texts = [without_names(run_program([fusec, "compile", models[name],
                                            f"--until={LAST_STAGE}"], 120))
                 for name in present]
        for name, text in zip(present[1:], texts[1:]):
            same = text and text == texts[0]
            failures[f"{name}@same_kernels"] = \
                None if same else f"other kernels than {present[0]}"
    return failures
