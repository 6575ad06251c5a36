#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Plants markers into the text of a stage: into every string attribute, symbol and location.

  .venv/bin/python test/mutation/planted.py [--build build] [--every N] [--show]

A model is compiled to the text of each stage. In it all strings of a kind ("variant",
"key", "loc", a symbol) get a tail with a number and with what ends a string, a comment, a
line or a statement of C++, CMake, JSON, HTML or a fusec.lock. The text is then refused, or
what is made of it holds the number in comments, strings and identifiers only, and no
hidden character. Takes one of 5 N of all texts; prints what is wrong, and how many texts were
refused and emitted; exit code 1 if anything is wrong.
"""
import argparse
import collections
import html.parser
import itertools
import json
import pathlib
import random
import re
import shutil
import subprocess
import sys

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

import checking

REFUSED = (2, 4, 64)
# {} is the number.
TAILS = ('"; {} ; "', "*/ {} ; /*", "\n{} ;\n//", "\\\n{} ;", "??/\n{} ;", "\r{} ;\r",
         "' {} '", ")\"; {} ; R\"(", "0u}; {} ; {", "(); {} ; (", "\n#include {}\n",
         "\n)\n{}(", "${{}} $({}) $ENV{HOME} ]] {} ", "\", \"{}\": [], \"",
         "</script><script>{}</script>", "\ngroup {} proposer=isl\n", "\\", "??/",
         "\x1b[2J{}", "\u0085{}\u009b31m", "\u202e{}\u2066", "\u2028{} ;", b"\xff\xc0{} ;")
# Kinds of strings that may be any text; another one may be refused.
FREE = {"choice", "doc", "domain", "fuse.name", "graph", "graph_doc", "group", "hint", "loc",
        "node", "producer", "reader", "reason", "schedule"}
# The model and options that texts are made of; locations in a text have its path.
TEXT = checking.REPOSITORY / "test/pipelines/Inputs/mlp.mlir"
SETTINGS = (("model.onnx",), ("model.onnx", "--variants=3"), ("model.onnx", "--no-fuse"),
            ("model.onnx", "--target=cuda-sm80"), (str(TEXT),))
STRING = re.compile(rb'"(?:[^"\\\n]|\\.)*"|@[\w$.-]+')
HIDDEN = re.compile("[\0-\x09\x0b-\x1f\x7f-\x9f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]")


def make_model():
    """A product with weights, a choice, a call of the library, and a loop."""
    def tensor(name, *shape, kind=TensorProto.FLOAT):
        return helper.make_tensor_value_info(name, kind, shape)

    body = helper.make_graph(
        [helper.make_node("Mul", ["acc", "acc"], ["sq"], name="square"),
         helper.make_node("Identity", ["go"], ["go_on"], name="again")], "body",
        [tensor("trip", kind=TensorProto.INT64), tensor("go", kind=TensorProto.BOOL),
         tensor("acc", 4)], [tensor("go_on", kind=TensorProto.BOOL), tensor("sq", 4)])
    nodes = [helper.make_node("MatMul", ["a", "w"], ["p"], name="product"),
             helper.make_node("Relu", ["p"], ["r"], name="rectify"),
             helper.make_node("TopK", ["r", "k"], ["top", "where"], name="best"),
             helper.make_node("ReduceSum", ["x"], ["total"], name="total", keepdims=0),
             helper.make_node("Loop", ["n", "", "start"], ["end"], name="loop", body=body)]
    weights = [numpy_helper.from_array(np.full((8, 16), 0.5, np.float32), "w"),
               numpy_helper.from_array(np.array([3]), "k"),
               numpy_helper.from_array(np.array(3), "n")]
    graph = helper.make_graph(
        nodes, "g", [tensor("a", 4, 8), tensor("x", 8192), tensor("start", 4)],
        [tensor("top", 4, 3), tensor("where", 4, 3, kind=TensorProto.INT64), tensor("total"),
         tensor("end", 4)], weights, doc_string="doc")
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8,
                             producer_name="tester", domain="dom")


def run(command, **options):
    return subprocess.run(list(map(str, command)), capture_output=True, **options)


# ------------------------------------------------------------------------ planting

def kind_of(text, begin):
    """What a string is: the name of its attribute, "loc", "callee" or "symbol"."""
    line = text[text.rfind(b"\n", 0, begin) + 1:begin]
    if text[begin:begin + 1] == b"@":
        return "callee" if line.endswith(b"call ") else "symbol"
    if line.endswith(b"loc("):
        return "loc"
    named = re.findall(rb"([\w.<]+) = ", line)
    kind = named[-1].decode() if named else "other"
    # What was decided about choices is kept in a list, with the keys of others.
    chosen = re.search(rb"kernel.choices = (?:(?!\}\]).)*$", line)
    return f"kernel.choices {kind}" if chosen and kind != "reason" else kind


def escape(data):
    return "".join(chr(b) if 0x20 <= b < 0x7f and b not in b'"\\' else f"\\{b:02X}"
                   for b in data).encode()


def plant(text, kinds, tail):
    """The text with the tail behind all strings of these kinds."""
    def grow(match):
        word = match.group()
        if kind_of(text, match.start()) not in kinds or word.startswith(b'"0x'):
            return word
        if word.startswith(b"@"):
            return b'@"' + word[1:] + tail + b'"'
        return word[:-1] + tail + b'"'

    # Data of weights stands behind the module, and is nothing that is printed.
    body, mark, data = text.partition(b"{-#")
    return STRING.sub(grow, body) + mark + data


def kinds_in(text):
    return sorted({kind_of(text, match.start())
                   for match in STRING.finditer(text.partition(b"{-#")[0])})


# ------------------------------------------------------------------------ checking

def strip(code):
    """C++ without its comments and literals; a reader may end a line at a CR, too."""
    code = re.sub(r"\\[ \t]*\r?\n", "", code)
    token = re.compile(r'//[^\n\r]*|/\*.*?\*/|R"(\w*)\(.*?\)\1"|"(?:[^"\\\n\r]|\\.)*"'
                       r"|'(?:[^'\\\n\r]|\\.)*'", re.S)
    return token.sub(" ", code)


def leaks(text, number):
    return re.search(rf"(?<!\w){number}", text)


class Page(html.parser.HTMLParser):
    """The markup of a page: all but its texts."""
    def __init__(self, text):
        super().__init__(convert_charrefs=True)
        self.markup, self.scripts = "", 0
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        self.markup += f"{tag} {attributes} "
        self.scripts += tag == "script"


def complain_hidden(name, data):
    try:
        text = data.decode()
    except UnicodeDecodeError:
        yield f"{name} is no UTF-8"
        return
    if found := HIDDEN.search(text):
        yield f"{name} has {found.group()!r}: {text[max(0, found.start() - 40):][:80]!r}"


def check_source(path, text, number):
    for trigraphs in (False, True):
        code = strip(text.replace("??/", "\\") if trigraphs else text)
        if leaks(code, number) or re.search(r"[\"\\]|/\*|\*/", re.sub(r"\\\n", "", code)):
            yield f"{path.name}: {number} became code"
            return


def check_folder(folder, number):
    for path in sorted(folder.iterdir()):
        if path.is_dir() or path.suffix == ".bin":
            continue
        yield from complain_hidden(path.name, path.read_bytes())
        text = path.read_bytes().decode(errors="replace")
        if path.name == "CMakeLists.txt":
            code = re.sub(r"#.*", "", text)
            if leaks(code, number) or "$ENV" in code or "]]" in code:
                yield f"{path.name}: {number} became code"
        elif path.name == "model.json":
            json.loads(text)
        else:
            yield from check_source(path, text, number)


def check_lock(path, number):
    yield from complain_hidden(path.name, path.read_bytes())
    for line in path.read_text(errors="replace").splitlines():
        if not line.startswith("#") and str(number) in line:
            yield f"{path.name}: {number} stands in {line!r}"


def check_page(path, number, scripts):
    yield from complain_hidden(path.name, path.read_bytes())
    page = Page(path.read_text(errors="replace"))
    if page.scripts != scripts or leaks(page.markup, number):
        yield f"{path.name}: {number} became markup"


class Planter:
    def __init__(self, fusec, place):
        self.fusec, self.place = fusec, place
        self.counts = collections.Counter()
        model = place / "model.onnx"
        model.write_bytes(make_model().SerializeToString())
        done = run([fusec, "compile", "--list-stages"])
        self.stages = [line.split("\t")[0] for line in done.stdout.decode().splitlines()]
        plain = self.place / "plain"
        self.make(model, plain)
        self.scripts = Page((plain.with_suffix(".html")).read_text()).scripts

    def make(self, text, out):
        """All that is made of a text, and what is said about it."""
        done = run([self.fusec, "compile", text, "-o", out, "--remarks", "--write-lock",
                    out.with_suffix(".lock")])
        if done.returncode == 0:
            run([self.fusec, "inspect", out, "--html", out.with_suffix(".html")])
        return done

    def text_of(self, stage, setting):
        done = run([self.fusec, "compile", self.place / setting[0], f"--until={stage}",
                    *setting[1:]])
        if done.returncode:
            sys.exit(f"--until={stage} {setting}: {done.stderr.decode()}")
        return done.stdout

    def check(self, text, what, number):
        path, out = self.place / "planted.mlir", self.place / "out"
        path.write_bytes(text)
        for left in (out.with_suffix(".lock"), out.with_suffix(".html")):
            left.unlink(missing_ok=True)
        shutil.rmtree(out, ignore_errors=True)
        done = self.make(path, out)
        problems = [*complain_hidden("stdout", done.stdout), *complain_hidden("stderr", done.stderr)]
        if done.returncode in REFUSED:
            self.counts["refused"] += 1
            if out.exists() or not done.stderr:
                problems.append("is refused, and not cleanly")
        elif done.returncode:
            problems.append(f"exit code {done.returncode}: {done.stderr[-300:]}")
        else:
            self.counts["emitted"] += 1
            problems += check_folder(out, number)
            problems += check_lock(out.with_suffix(".lock"), number)
            problems += check_page(out.with_suffix(".html"), number, self.scripts)
        if problems:
            shutil.copy(path, self.place / f"planted-{number}.mlir")
        return [f"{what} ({number}): {problem}" for problem in problems]


def cells_of(text):
    """What is planted in one go: each kind by itself, and all that may be any text."""
    kinds = kinds_in(text)
    return [{kind} for kind in kinds if kind not in FREE] + [set(kinds) & FREE]


def fill(tail, number):
    tail = tail if isinstance(tail, bytes) else tail.encode()
    return tail.replace(b"{}", str(number).encode())


def check_planted(fusec, place, every):
    planter = Planter(fusec, place)
    texts = list(itertools.product(SETTINGS, planter.stages))
    rng = random.Random("planted")
    kinds = set()
    number = 900000
    # The last text has most kinds, and all of them are taken; of others some, and always
    # what may be anything.
    last = (SETTINGS[1], planter.stages[-1])
    for setting, stage in [last, *rng.sample(texts, len(texts) // (5 * every))]:
        text = planter.text_of(stage, setting)
        *strict, free = cells_of(text)
        if (setting, stage) != last:
            strict = rng.sample(strict, min(len(strict), max(3, len(strict) // every)))
        for cell in [free, *strict]:
            number += 1
            kinds |= cell
            tail = fill(rng.choice(TAILS), number)
            what = f"{'|'.join(sorted(cell))} of {' '.join((stage, *setting))} with {tail!r}"
            yield from planter.check(plant(text, cell, escape(tail)), what, number)
    print(f"planted into {len(kinds)} kinds of strings: {planter.counts['refused']} texts "
          f"refused, {planter.counts['emitted']} emitted")


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", type=pathlib.Path, default=checking.REPOSITORY / "build")
    parser.add_argument("--every", type=int, default=1)
    args = parser.parse_args()
    place = args.build.resolve() / "mutation" / "planted"
    shutil.rmtree(place, ignore_errors=True)
    place.mkdir(parents=True)
    problems = list(check_planted(args.build.resolve() / "bin" / "fusec", place, args.every))
    print("\n".join(problems + [f"{len(problems)} problems"]))
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
