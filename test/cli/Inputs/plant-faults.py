# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Plants faults in the kernels of models, and has fusec verify --bisect find them.

  plant-faults.py FOLDER COUNT MODEL...     in a folder of its own, COUNT of up to 20 faults
  plant-faults.py --compile ARGUMENT...   as a C++ compiler that plants them ($CXX)

The compiler has each kernel pass what it stores through planted(), which changes it where the
variable FUSEC_PLANTED says so: in one kernel, in one way. So a model is built once for all of
its faults. A wrong kernel gives other numbers, a wrong constant numbers that are a little too
large, a wrong rounding numbers with few bits. Prints what was found; exits 1 if a fault was
not, or was called by another name.
"""
import concurrent.futures
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys

COMPILER = shutil.which("g++") or shutil.which("clang++") or "c++"
KINDS = ("kernel", "constant", "rounding")
FAULTS = 20
KERNEL = re.compile(r"^void (\w+?)_(?:default|naive)\w*\(", re.M)
PRELUDE = """
#include <cstdlib>
static const int planted_fault = std::getenv("FUSEC_PLANTED")
                                     ? std::atoi(std::getenv("FUSEC_PLANTED")) : -1;
template <typename V> static inline V planted(int kernel, V value) {
  if (planted_fault / 3 != kernel || planted_fault < 0)
    return value;
  if (planted_fault % 3 == 0)
    return V(0.75f) - value * V(1.5f);
  if (planted_fault % 3 == 1)
    return value + V(0.125f);
  // Veltkamp: 8 bits are left. No compiler makes one operation of the product.
  const V wide = mul_rounded(value, V(65537.0f));
  return wide - (wide - value);
}
"""


def list_kernels(text):
    """The kernels of a source, each once, in order."""
    return list(dict.fromkeys(KERNEL.findall(text)))


def split_arguments(text, begin):
    """Of the call whose parenthesis opens before `begin`, where each argument ends."""
    depth, ends = 1, []
    for at in range(begin, len(text)):
        depth += (text[at] in "([{") - (text[at] in ")]}")
        if depth == 0 or (depth == 1 and text[at] == ","):
            ends.append(at)
        if depth == 0:
            return ends
    raise ValueError("a call does not end")


def plant(text):
    """The source, with its stores through planted()."""
    kernels, parts, at = list_kernels(text), [], 0
    starts = [(m.start(), kernels.index(m.group(1))) for m in KERNEL.finditer(text)]
    for match in re.finditer(r"\bstore(_strided)?\(&", text):
        number = [kernel for start, kernel in starts if start < match.start()][-1]
        ends = split_arguments(text, match.end() - 1)
        value = 2 if match.group(1) else 1  # a stride stands before it
        begin, end = ends[value - 1] + 1, ends[value]
        parts += [text[at:begin], f" planted<f32x16>({number}, {text[begin:end]})"]
        at = end
    text = "".join(parts) + text[at:]
    include = text.rindex("#include", 0, starts[0][0])
    line = text.index("\n", include) + 1
    return text[:line] + PRELUDE + text[line:]


def compile_planted(arguments):
    changed = []
    for argument in arguments:
        path = pathlib.Path(argument)
        if path.name.endswith("_kernels.cpp"):
            planted = path.with_name(f"planted_{os.getpid()}.cpp")
            planted.write_text(plant(path.read_text()))
            argument = str(planted)
        changed.append(argument)
    return subprocess.run([COMPILER, *changed]).returncode


def verify(folder, model, fault):
    """The name of the first bad kernel, or None."""
    environment = os.environ | {"CXX": str(folder / "compiler"),
                                "XDG_CACHE_HOME": str(folder / "cache")}
    if fault is not None:
        environment["FUSEC_PLANTED"] = str(fault)
    done = subprocess.run(["fusec", "verify", model, "--bisect", "--json"], capture_output=True,
                          text=True, env=environment)
    found = json.loads(done.stdout)
    if "error" in found:
        raise RuntimeError(found["error"]["message"])
    bad = [kernel for kernel in found["kernels"] if not kernel["passed"]]
    assert len(bad) <= 1 and (done.returncode == 0) == found["passed"]
    return bad[0] if bad else None


def pick(faults, count):
    """So many of them, from everywhere; a few are of one kind each."""
    step = len(faults) // count
    return faults[::step - (step > 1 and step % len(KINDS) == 0)][:count]


def main(folder, count, models):
    folder = pathlib.Path(folder)
    (folder / "compiler").write_text(
        f'#!/bin/sh\nexec "{sys.executable}" "{pathlib.Path(__file__).resolve()}" --compile "$@"\n')
    (folder / "compiler").chmod(0o755)
    faults = []
    for model in models:
        subprocess.run(["fusec", "compile", model, "-o", folder / "src", "--cpu=native"],
                       check=True, stdout=subprocess.DEVNULL)
        [source] = (folder / "src").glob("*_kernels.cpp")
        if bad := verify(folder, model, None):  # and builds it
            print(f"{model}: without a fault {bad['kernel']} is bad")
        faults += [(model, kernel, 3 * number + kind)
                   for number, kernel in enumerate(list_kernels(source.read_text()))
                   for kind in range(3)]
    faults, found = pick(faults[:FAULTS], count), 0
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        results = pool.map(lambda fault: verify(folder, fault[0], fault[2]), faults)
        for (model, kernel, number), bad in zip(faults, results):
            if bad and bad["kernel"] == kernel and bad["nodes"]:
                found += 1
            else:
                print(f"{model}: a wrong {KINDS[number % 3]} in {kernel}: found {bad}")
    print(f"{found} of {len(faults)} faults found")
    return found != count


if __name__ == "__main__":
    sys.exit(compile_planted(sys.argv[2:]) if sys.argv[1] == "--compile" else
             main(sys.argv[1], int(sys.argv[2]), sys.argv[3:]))
