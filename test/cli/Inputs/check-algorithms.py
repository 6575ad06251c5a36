#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""check-algorithms.py [--update]: holds the kernels that fusec makes of a few models against
the table beside this file. Where they changed, what caches know of them is of other kernels:
then lock::kAlgorithmSet has to go up, and the table is written anew with --update."""
import hashlib
import pathlib
import re
import subprocess
import sys
import tempfile

here = pathlib.Path(__file__).resolve().parent
repository = here.parents[2]
table = here / "algorithm-set.txt"
header = repository / "passes/lock/GroupKey.h"
models = ["cli/Inputs/algos.mlir", "cli/Inputs/tune.mlir", "cli/Inputs/softmax.mlir",
          "cli/Inputs/row-blocks.mlir", "pipelines/Inputs/mlp.mlir"]
# What each of them is compiled for, and what else there is.
rows = [("--cpu=" + cpu, model) for model in models
        for cpu in ("generic", "zen4", "sapphire-rapids", "neon")]
rows += [("--target=cuda-sm80", "cli/Inputs/tune.mlir"),
         ("--target=cuda-sm80", "cli/Inputs/softmax.mlir"),
         ("--target=cuda-sm80 --numerics=fast", "cli/Inputs/tune.mlir"),
         ("--target=cuda-sm80 --numerics=fast", "pipelines/Inputs/long-sum.mlir"),
         ("--cpu=generic --numerics=fast", "pipelines/Inputs/long-sum.mlir")]


def hash_of(text):
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def kernels_of(file):
    """The functions: not the lists of variants behind them, which change with the ABI."""
    begin = "\nnamespace fusec::kernels {\n" if file.suffix == ".cuh" else "\nnamespace {\n"
    return file.read_text().partition(begin)[2].partition("\n} // namespace")[0]


def sum_of(options, model):
    """Of what a C++ compiler sees of all kernels."""
    with tempfile.TemporaryDirectory() as work:
        subprocess.run(["fusec", "compile", repository / "test" / model, "-o", f"{work}/m",
                        *options.split(), "--variants=10", "--name=kernels"], check=True,
                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        text = "".join(kernels_of(file) for file in sorted(pathlib.Path(work).glob("m/kernels_kernels*")))
    text = re.sub(r"//[^\n]*|/\*.*?\*/", "", text, flags=re.DOTALL)
    assert text, "no kernels were found"
    return hash_of(" ".join(text.split()))


version = int(re.search(r"kAlgorithmSet = (\d+);", header.read_text())[1])
lines = [f"{sum_of(options, model)} of {hash_of((repository / 'test' / model).read_text())} "
         f"{options.partition('=')[2]} {model}" for options, model in rows]
text = ("# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception\n"
        "# Sums of the kernels of some models, by check-algorithms.py --update.\n"
        f"algorithms {version}\n" + "\n".join(lines) + "\n")
if "--update" in sys.argv[1:]:
    table.write_text(text)
    sys.exit()
known = table.read_text()
if known == text:
    print(f"{len(lines)} as in version {version}")
    sys.exit()
# Other kernels of the same model; a model that was changed has others anyway.
before = {line.split(" ", 1)[1] for line in known.splitlines() if " of " in line}
changed = [line for line in lines if line not in known and line.split(" ", 1)[1] in before]
for line in changed:
    print("other kernels:", *line.split()[3:])
if changed and f"algorithms {version}\n" in known:
    sys.exit(f"times that caches have are of other kernels: set kAlgorithmSet in {header.name} "
             f"to {version + 1}, then run {pathlib.Path(__file__).name} --update")
sys.exit(f"the table is of another version, or of other models: run {pathlib.Path(__file__).name} --update")
