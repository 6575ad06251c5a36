# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""How many operations the unrolled loops of a kernel become in a C++ compiler, counted in
the emitted text: nothing that fusec says of it is asked."""
import json
import re

from batch import Failure

# kMostUnrolled of dialects/kernel/UnrolledText.h, and a quarter for what is an operation
# in the text only: conditions, masked scalars, sums that a line names.
BUDGET = 4096
MOST = BUDGET * 5 // 4
# As the .cpp there says.
OF_FUNCTION, OF_LANES = 16, 48
FUNCTIONS = frozenset(
    "acos acosh asin asinh atan atan2 atanh cbrt clamp cos cosh erf erfc exp exp2 expm1 "
    "isfinite isinf isnan log log10 log1p log2 pow round_away sin sinh tan tanh".split())
APART = frozenset(["gather", "load_strided", "store_strided"])

LOOP = re.compile(r"FUSEC_UNROLL\s+for\s*\(\w+\s+(\w+)\s*=\s*(-?\d+);\s*\1\s*<\s*(-?\d+);"
                  r"\s*(?:\+\+\1|\1\s*\+=\s*(\d+))\)")
VIEW = re.compile(r"\bView\w*<[^>]*>\s+(\w+)\{")
TEMPLATE = re.compile(r"(?<=\w)<[\w ,]+>(?=[({])")
TOKEN = re.compile(r"[A-Za-z_]\w*(?:\.stride)?|\d[\w.]*(?:(?<=e)[-+]\d+f?)?|<<|>>|"
                   r"[<>=!]=|&&|\|\||\S")
OPERATORS = frozenset("+ - * / % & | ^ ~ ! << >> < > <= >= == != && || ?".split())
# In their parentheses is where an access is, how long a loop, which lanes are masked.
PLACES = re.compile(r"for|\w+\.stride|mask_\w+")
OPERAND = re.compile(r"(?!return$)[\w)\]]")


def find_copies(text):
    """How often each line is there once loops are unrolled; 0 outside of such loops. What is
    in a loop is indented."""
    lines = text.split("\n")
    depths = [len(line) - len(line.lstrip()) for line in lines]
    copies, loops = [0] * len(lines), list(LOOP.finditer(text))
    if len(loops) != len(re.findall(r"\bFUSEC_UNROLL\b", text)):
        raise Failure("a loop is unrolled whose bounds are no numbers")
    for loop in loops:
        trips = len(range(int(loop[2]), int(loop[3]), int(loop[4] or 1)))
        header = text.count("\n", 0, loop.start())
        line = text.count("\n", 0, loop.end()) + 1
        each = max(copies[header], 1) * trips
        while line < len(lines) and depths[line] > depths[header]:
            copies[line] = each
            line += 1
    return copies


def count_unrolled(text):
    """Operators, calls and elements of arrays; what is in a subscript is part of an access,
    and an address of the call that takes it."""
    text = re.sub(r"//.*", "", text)
    copies, views = find_copies(text), set(VIEW.findall(text))
    text = LOOP.sub(lambda loop: "\n" * loop[0].count("\n"), TEMPLATE.sub("", text))
    count, in_places, last, before = 0, [], ";", ";"
    for line, copied in zip(text.split("\n"), copies, strict=True):
        for match in TOKEN.finditer(line):
            token, after = match[0], line[match.end():match.end() + 1]
            is_unary = not OPERAND.match(before)
            if token in ("(", "["):
                in_places.append(token == "[" or before in views or
                                 PLACES.fullmatch(before) is not None)
            elif token in (")", "]"):
                in_places.pop()
            elif any(in_places):
                pass
            elif token in OPERATORS:
                is_sign = token == "-" and after.isdigit()
                count += copied * (not (is_unary and (token == "&" or is_sign)))
            elif token == "if" or (token != "for" and token.isidentifier()
                                   and after in ("(", "[")):
                is_address = before == "&" and not OPERAND.match(last)
                count += copied * (not is_address) * (
                    OF_LANES if token in APART else
                    OF_FUNCTION if token in FUNCTIONS else 1)
            last, before = before, token
    return count


def check_unrolled(folder, most=MOST):
    """No kernel of an emitted folder may have more than its budget."""
    for group in json.loads((folder / "model.json").read_text())["groups"]:
        for variant in group["variants"]:
            first, last = variant["lines"]
            lines = (folder / variant["file"]).read_text().split("\n")[first - 1:last]
            if (count := count_unrolled("\n".join(lines))) > most:
                raise Failure(f"the unrolled loops of {variant['function']} become {count} "
                              f"operations, more than {most}")
