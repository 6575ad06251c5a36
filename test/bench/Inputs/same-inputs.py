# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Whether the C++ of a pack makes the inputs that tools/bench/cuda/data.py makes.

  same-inputs.py REPOSITORY FOLDER MODEL...    FOLDER has what replay wrote
"""
import pathlib
import sys

repository, folder, *names = map(pathlib.Path, sys.argv[1:])
sys.path[:0] = [str(repository / "test/e2e"), str(repository / "tools/bench/cuda")]
import builder  # noqa: E402
import cases  # noqa: E402, F401
import data  # noqa: E402
import timed  # noqa: E402, F401

made = 0
for case in builder.all_cases():
    if pathlib.Path(case.name) not in names:
        continue
    made += len(data.plan_inputs(case))
    for i, array in enumerate(case.graph.inputs.values()):
        found = (folder / f"{case.name}_{i}.bin").read_bytes()
        if found != array.tobytes():
            sys.exit(f"{case.name}: input {i} is another one")
print(f"{len(names)} models, {made} inputs made" if made else "no input was made")
