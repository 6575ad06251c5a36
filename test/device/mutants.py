# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Kernels without a barrier, a guard, a release or a lane of a shuffle's mask."""
import re

from kernels import INCLUDE

PRELUDE = INCLUDE / "fusec/cuda"
# A function of the prelude with something to take away -> how kernels come to call it.
CALLS = {"is_last_block": r"\bis_last_block\(", "exchange_incremented": r"\bis_last_block\(",
         "reduce_of_block": r"\bBlockReduction<",
         "reduce_of_column": r"\bColumnReduction<",
         "swapped": r"\breduce_(?:add|mul|max|min|and|or)\(",
         "select": r"\btop_k<", "find_last": r"\btop_k<", "exchange": r"\btop_k<",
         # By the second argument of the template a thread takes a line by itself.
         "update_together": r"\bscatter_(?:elements|nd)<\d+, (?!1\b)"}
FUNCTION = re.compile(r"\bFUSEC_(?:INLINE|ROUTINE) [^;{}()]*?[ *&](\w+)\(")
GUARD = re.compile(r"\bif \(")
OF_THREADS = re.compile(r"\b(?:thread|lane|warp)\(\)")
# Kind -> what stands there, and what stands there without it.
WORDS = {"barrier": (re.compile(r"\b(?:sync_block|__syncthreads)\(\);(?! \})"), ";"),
         "barrier with a vote": (re.compile(r"\b__syncthreads_or\b"), "int"),
         "warp sync": (re.compile(r"\b(?:sync_warp|__syncwarp)\(\);(?! \})"), ";"),
         "fence": (re.compile(r"\b__threadfence\w*\(\);"), ";"),
         "release and acquire": (re.compile(r"\bacq_rel\b"), "relaxed"),
         "wait": (re.compile(r"\bwait_\w+(?:<\d+>)?\([^;{}]*\);"), ";"),
         "commit": (re.compile(r"\bcommit_copies\(\);(?! \})"), ";"),
         "mask": (re.compile(r"\b0xffffffffu"), "0x7fffffffu")}


class Mutant:
    """A text with something taken away: `what` of it, in `line` from 1."""

    def __init__(self, kind, original, begin, end, replacement):
        self.kind = kind
        self.what = " ".join(original[begin:end].split())
        self.line = original.count("\n", 0, begin) + 1
        self.begin, self.text = begin, original[:begin] + replacement + original[end:]


def closing(text, begin):
    """Behind the parenthesis that closes the one at `begin`."""
    depth = 0
    for i in range(begin, len(text)):
        depth += {"(": 1, ")": -1}.get(text[i], 0)
        if not depth:
            return i + 1
    raise ValueError(f"no ')' for {text[begin:begin + 80]}")


def mutants_of(text):
    """In the order of the text."""
    made = []
    for kind, (pattern, replacement) in WORDS.items():
        for match in pattern.finditer(text):
            made.append(Mutant(kind, text, *match.span(), replacement))
    for match in GUARD.finditer(text):
        end = closing(text, match.end() - 1)
        condition = text[match.end():end - 1]
        # What the condition does beside, it still does.
        made.append(Mutant("guard", text, match.start(), end, f"if (({condition}) || true)"))
    return sorted(made, key=lambda mutant: mutant.begin)


def mutants_of_prelude():
    """(the header as it is included, function, mutant), for all of them."""
    for path in sorted(PRELUDE.rglob("*.h")):
        if path.name == "hip.h":  # of other compilers
            continue
        text = path.read_text()
        functions = list(FUNCTION.finditer(text))
        for mutant in mutants_of(text):
            # Other conditions are what a routine of the library computes.
            if mutant.kind == "guard" and not OF_THREADS.search(mutant.what):
                continue
            around = [f[1] for f in functions if f.start() < mutant.begin]
            if not around or around[-1] not in CALLS:
                raise ValueError(f"{path}:{mutant.line}: {mutant.what}: CALLS in "
                                 f"{__file__} lacks how kernels call "
                                 f"{around[-1] if around else 'it'}")
            yield path.relative_to(INCLUDE), around[-1], mutant


def has_any(text):
    """Whether a kernel has something to take away, or calls something that has."""
    return bool(mutants_of(text)) or any(re.search(call, text) for call in CALLS.values())


def body_of(text, begin):
    """The statement that begins there."""
    begin += len(text[begin:]) - len(text[begin:].lstrip())
    depth = 0
    for i in range(begin, len(text)):
        depth += {"{": 1, "(": 1, "[": 1, "}": -1, ")": -1, "]": -1}.get(text[i], 0)
        if not depth and (text[i] == "}" or text[i] == ";"):
            return text[begin:i + 1]
    raise ValueError(f"no end of {text[begin:begin + 80]}")


def guarded(mutant):
    """The statement whose guard was taken away; empty if something else was."""
    if mutant.kind != "guard":
        return ""
    return body_of(mutant.text, closing(mutant.text, mutant.text.index("(", mutant.begin)))


def without_guarded(text):
    """Without the statements that further guards guard."""
    while guard := GUARD.search(text):
        body = closing(text, guard.end() - 1)
        end = body + text[body:].index(body_of(text, body)) + len(body_of(text, body))
        text = text[:guard.start()] + text[end:]
    return text


# x = , x[i] = , const float x = , x(i, j) = .
ASSIGNED = re.compile(r"(?:^|[;{)])\s*(?:const )?(?:\w+ )?(\w+)(?:\[[^\]]*\])*(\(?)"
                      r"[^=;<>!]*(?<![=<>!])=(?!=)")
EFFECT = re.compile(r"\b(?:sync_\w+|store\w*|is_last_block|reduce_\w+|atomic_\w+)\(")


def guards_own_registers(text, mutant):
    """Whether what a guard guards, but for what is guarded again, assigns variables of its
    thread, which are not combined with those of others afterwards."""
    body = without_guarded(guarded(mutant))
    body = re.sub(r"\bFUSEC_UNROLL_BY\(\d+\) ", "", body)  # no call that assigns
    if EFFECT.search(body) or re.search(r"\breduce_\w+\(", text[mutant.begin:]):
        return False
    shared = set(re.findall(r"__shared__ (?:alignas\(\d+\) )?\w+ (\w+)", text))
    shared -= set(re.findall(r"\bconst \w+ (\w+) =", body))  # of the same name, but its own
    return all(not call and name not in shared for name, call in ASSIGNED.findall(body))
