# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""entry-times.py FOLDER ISA [RUNS]: how long each entry of a program takes, over a program of its
one shape. FOLDER and FOLDER-alone0, -alone1 and so on are what entry-sizes.py wrote. Both
libraries, compiled for the instruction set ISA alone, are in one process, and their runs take
turns, either first. Run it by hand on a quiet machine.

Prints a line for each entry (medians in microseconds, and the ratio of the medians), and how
many bytes the program has for its kernels, each of which is there once, and for all else: its
entries, their tables and what launches kernels. Fails where the median ratio of all entries is
above 1.03, or where all else is more than a tenth of the kernels.
"""
import ctypes as c
import json
import pathlib
import statistics
import subprocess
import sys
import time

import numpy as np

from tensors import Tensor

TYPES = {"f32": np.float32, "i32": np.int32, "i64": np.int64, "bool": np.bool_}


class Program:
    def __init__(self, folder, isa):
        build = folder / "build"
        self.model = json.loads((folder / "model.json").read_text())
        name = self.model["name"]
        for command in (["-S", folder, "-B", build, "-G", "Ninja", f"-DFUSEC_KERNEL_ISAS={isa}"],
                        ["--build", build, "--target", name + "_shared"]):
            subprocess.run(["cmake", *command], check=True, stdout=subprocess.DEVNULL)
        self.path = build / f"lib{name}.so"
        self.fusec = c.CDLL(str(self.path))
        query = getattr(self.fusec, f"fusec_{name}_query")
        query.restype = c.c_void_p
        model, self.session = c.c_void_p(), c.c_void_p()
        desc = c.c_void_p(query(self.model["abi_version"]))
        weights = str(folder / "weights.bin").encode()
        assert not self.fusec.fusec_model_create(desc, weights, None, c.byref(model))
        assert not self.fusec.fusec_session_create(model, None, c.byref(self.session))

    def tensors(self, described):
        arrays = [np.zeros(one["dims"], TYPES[one["dtype"]]) for one in described]
        return arrays, (Tensor * len(arrays))(*map(Tensor, arrays)), len(arrays)

    def runner(self, entry):
        self.fusec.fusec_session_reset(self.session)
        _, inputs, num_inputs = kept = self.tensors(entry["inputs"])
        _, outputs, num_outputs = more = self.tensors(entry["outputs"])

        def run(keeps=(kept, more)):
            begin = time.perf_counter()
            status = self.fusec.fusec_session_run(self.session, inputs, num_inputs, outputs,
                                                  num_outputs)
            assert status == 0, status
            return (time.perf_counter() - begin) * 1e6
        return run


def bytes_of(program, folders):
    """The bytes of code and of tables in a program's objects."""
    objects = list((program.path.parent / "CMakeFiles").glob(f"{folders}/*.o"))
    listed = subprocess.run(["size", *objects], check=True, capture_output=True, text=True)
    return sum(int(n) for row in listed.stdout.splitlines()[1:] for n in row.split()[:2])


def main(folder, isa, runs=200):
    folder = pathlib.Path(folder)
    whole = Program(folder, isa)
    ratios = []
    for number, entry in enumerate([whole.model, *whole.model["others"]]):
        alone = Program(folder.with_name(f"{folder.name}-alone{number}"), isa)
        ours, own = whole.runner(entry), alone.runner(alone.model)
        for _ in range(10):
            ours(), own()
        times = [(ours(), own()) for _ in range(int(runs) // 2)]
        times += [(ours(), own())[::-1] for ours, own in [(own, ours)] * (int(runs) // 2)]
        one, other = (statistics.median(column) for column in zip(*times))
        ratios.append(one / other)
        print(f"{entry['extents']}: {one:.1f} us, {other:.1f} us alone, {one / other:.3f}",
              flush=True)
    name = whole.model["name"]
    kernels, rest = bytes_of(whole, f"{name}_kernels_*.dir"), bytes_of(whole, f"{name}.dir")
    print(f"median ratio {statistics.median(ratios):.3f}, greatest {max(ratios):.3f}")
    print(f"kernels: {kernels} bytes, all else: {rest} bytes, {rest / kernels:.3f} of them")
    return int(statistics.median(ratios) > 1.03 or rest > 0.1 * kernels)


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
