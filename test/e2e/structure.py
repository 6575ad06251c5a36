# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What holds for the emitted folders themselves: group counts, groups that one thread
runs, equal kernels."""
import json
import pathlib
import re

from batch import Failure, run_program

HERE = pathlib.Path(__file__).resolve().parent
COUNTS = HERE / "group-counts.json"
SERIAL = HERE / "serial-groups.json"
DEFINITION = re.compile(r"^\s*(%[\w$.-]+) =|kernel\.for (%[\w$.-]+)|[(,] ?(%[\w$.-]+):")
LAST_STAGE = "model-plan-memory"


def spelled(*sets):
    return [[f"{kind}_{spelling}" for spelling in spellings] for kind, *spellings in sets]


# Models that must have the same kernels, to the last operation, and the same keys,
# however they are spelled: they compute the same.
SAME_KERNELS = spelled(
    ("spelled_attention_plain", "op", "exported", "divided", "by_hand"),
    ("spelled_attention_plain_grouped", "op", "divided", "by_hand"),
    ("spelled_attention_causal", "divided", "by_hand"),
    ("spelled_attention_added", "divided", "by_hand"),
    ("spelled_attention_allowed", "divided", "by_hand", "negated"),
    ("layer_norm", "op", "primitives", "swapped", "function"),
    ("spelled_gelu", "op", "last", "first", "other"),
    ("spelled_silu", "sigmoid", "swapped", "quotient", "reciprocal"),
    ("spelled_hard_swish", "op", "hard_sigmoid", "divided", "divided_first", "multiplied"),
    ("spelled_norm", "root", "power", "half_power", "reciprocal")) + [
        ["attention_op_heads", "ms_mha_causal"]]


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


def find_serial(folder):
    """The large groups that one thread of a CPU runs: name -> why, as fusec says."""
    groups = json.loads((folder / "model.json").read_text())["groups"]
    return {group["name"]: group["serial"]["reason"] for group in groups
            if "serial" in group}


def check_serial(found, listed, name):
    """Groups that one thread runs are listed, each with what keeps it from threads."""
    listed = listed.get(name, {})
    for group, reason in found.items():
        if listed.get(group) != reason:
            raise Failure(f"one thread runs group {group}: {reason}; if nothing can be done "
                          "about it, --update-serial-groups lists it")
    if gone := sorted(listed.keys() - found.keys()):
        raise Failure(f"threads share {', '.join(gone)}: --update-serial-groups takes it "
                      "from the list")


def update_serial(file, found, existing):
    """Lists the groups of models that were compiled; forgets models that do not exist."""
    listed = {name: groups for name, groups in json.loads(file.read_text()).items()
              if name in existing} | found
    listed = {name: groups for name, groups in sorted(listed.items()) if groups}
    file.write_text(json.dumps(listed, indent=1, sort_keys=True) + "\n")


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


def read_keys(test):
    groups = json.loads((test.folder / "src" / "model.json").read_text())["groups"]
    return sorted(group["key"] for group in groups)


def check_same_kernels(fusec, tests):
    """For each set of spellings that was compiled: name -> why it differs, or None."""
    present, failures = {test.name: test for test in tests}, {}
    for names in SAME_KERNELS:
        compiled = [present[name] for name in names if name in present]
        for test in compiled[1:]:
            same = read_keys(test) == read_keys(compiled[0])
            failures[f"{test.name}@same_keys"] = \
                None if same else f"other keys than {compiled[0].name}"
        texts = [without_names(run_program([fusec, "compile", test.model,
                                            f"--until={LAST_STAGE}"], 120))
                 for test in compiled]
        for test, text in zip(compiled[1:], texts[1:]):
            same = text and text == texts[0]
            failures[f"{test.name}@same_kernels"] = \
                None if same else f"other kernels than {compiled[0].name}"
    return failures
