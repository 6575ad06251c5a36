# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Each rule of the optimiser does something, and can be switched off.

  check-rules.py RULES.mlir

RULES.mlir has a small model for each rule that `fusec compile --list-rules` lists, behind a
line `// rule: NAME [STAGE] [OPTION...]`. The text of its stage (fuse-simplify-primitives
unless it says so) must be another one with --disable-rule=NAME, at the rule's own level; so
it must be without the piece, for one rule of each. Of a pattern the remarks must say that it
applied, at that level and not below it. Prints what is wrong; exits 1 if anything is.
"""
import concurrent.futures
import pathlib
import re
import subprocess
import sys

AREAS = ["compute", "layout", "QDQ", "transposes", "selectors"]
LINE = re.compile(r"  (\S+) +O(\d)  (keeps bits|changes bits) +(\S.*\.)")
APPLIED = re.compile(r"rules applied: (.*)")


def fusec(*arguments, text=None):
    done = subprocess.run(["fusec", "compile", *arguments], input=text, capture_output=True,
                          text=True)
    if done.returncode:
        raise RuntimeError(f"fusec compile {' '.join(arguments)}: {done.stderr.strip()}")
    return done


def list_rules():
    """name -> (level, whether it keeps bits)."""
    rules, areas = {}, []
    for line in fusec("--list-rules").stdout.splitlines():
        match = LINE.fullmatch(line)
        if not match:
            areas.append(line)
            continue
        name, level, bits, _ = match.groups()
        rules[name] = int(level), bits == "keeps bits"
    assert areas == AREAS, f"the areas are {areas}"
    return rules


def read_cases(path):
    """name -> (arguments, text)."""
    found = {}
    for part in path.read_text().split("// rule: ")[1:]:
        head, text = part.split("\n", 1)
        name, *rest = head.split()
        stage = rest.pop(0) if rest and not rest[0].startswith("-") else \
            "fuse-simplify-primitives"
        assert name not in found, f"two cases for {name}"
        found[name] = ["-", f"--until={stage}", *rest], text
    return found


def check(name, level, keeps, arguments, text):
    """What is wrong with a rule."""
    if level < 2 and not keeps:
        yield f"applies at -O{level} and changes bits"
    with_it = fusec(*arguments, f"-O{level}", "--remarks=all", text=text)
    if with_it.stdout == fusec(*arguments, f"-O{level}", f"--disable-rule={name}",
                               text=text).stdout:
        yield f"--disable-rule={name} changes nothing"
    applied = APPLIED.findall(with_it.stderr)
    if applied and not any(f"{name} (" in rules for rules in applied):
        yield f"the remarks do not say that it applied: {applied}"
    # Some options are refused below the level of the rule that they are for.
    if level > 0 and len(arguments) == 2 and f"{name} (" in fusec(
            *arguments, f"-O{level - 1}", "--remarks=all", text=text).stderr:
        yield f"applies at -O{level - 1}"


def check_piece(piece, level, arguments, text):
    """The same of the piece that it is of, without which nothing else may apply either."""
    with_it, without = (fusec(*arguments, f"-O{level}", *off, text=text).stdout
                        for off in ((), (f"--disable-rule={piece}",)))
    if with_it == without:
        yield f"--disable-rule={piece} changes nothing"


def main():
    rules, cases = list_rules(), read_cases(pathlib.Path(sys.argv[1]))
    problems = [f"{name}: has no case" for name in rules.keys() - cases.keys()]
    problems += [f"{name}: is no rule" for name in cases.keys() - rules.keys()]
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        done = {name: pool.submit(lambda *all: list(check(*all)), name, *rules[name], *cases[name])
                for name in rules if name in cases}
        pieces = {name.split(".")[0]: name for name in done}
        done |= {piece: pool.submit(lambda *all: list(check_piece(*all)), piece, rules[name][0],
                                    *cases[name]) for piece, name in pieces.items()}
        for name, future in done.items():
            try:
                problems += [f"{name}: {problem}" for problem in future.result()]
            except RuntimeError as error:
                problems.append(f"{name}: {error}")
    print("\n".join(problems) or f"{len(rules)} rules are right")
    return bool(problems)


if __name__ == "__main__":
    sys.exit(main())
