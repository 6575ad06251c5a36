# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What is compiled ahead of a run: models by fusec and a host compiler, and by IREE.

What was built is kept in the workload's folder with the CPU seconds and the memory that it
took, until what it depends on changes."""
import json
import pathlib
import shutil
import subprocess
import sys

import numpy as np

from batch import Failure, run_program
from memory import MEASURED
from prepare import digest_of
from project import best_isas

HERE = pathlib.Path(__file__).resolve().parent
COMPILE_SECONDS = 900


def run_measured(*command):
    """Runs a program; returns its CPU seconds and the peak of its memory in MB."""
    try:
        done = subprocess.run([sys.executable, MEASURED, *map(str, command)], text=True,
                              capture_output=True, timeout=COMPILE_SECONDS)
    except subprocess.TimeoutExpired:
        raise Failure(f"{pathlib.Path(command[0]).name}: still running after "
                      f"{COMPILE_SECONDS} s") from None
    if done.returncode:
        raise Failure(f"{pathlib.Path(command[0]).name}: {first_error(done)}")
    seconds, peak = done.stdout.split()
    return float(seconds), int(peak) / 1e6


def first_error(done):
    lines = (done.stderr.strip() or done.stdout.strip() or f"code {done.returncode}").split("\n")
    return next((line for line in lines if "error" in line or "unsupported" in line),
                lines[-1])[:500]


def kept(folder, key, build):
    """The facts that `build` returns for what it leaves in `folder`; failures are kept too,
    so that a compiler which takes minutes to fail does so once."""
    stamp = folder / "built.json"
    facts = json.loads(stamp.read_text()) if stamp.exists() else {}
    if facts.get("key") != key:
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        try:
            facts = dict(build(folder), key=key)
        except Failure as failure:
            facts = {"failure": str(failure), "key": key}
        stamp.write_text(json.dumps(facts))
    if "failure" in facts:
        raise Failure(facts["failure"])
    return facts


class FusecBuild:
    """fusec and the host compilers that finish its work."""

    def __init__(self, fusec):
        self.fusec, self.digest = fusec, digest_of(fusec)

    def emit(self, prepared):
        """The emitted folder: facts "seconds", "mb", "name", "weights"."""
        allowed = ["--allow=bf16-activations"] if prepared.workload.kind == "bf16" else []

        def build(folder):
            out = folder / "src"
            seconds, mb = run_measured(self.fusec, "compile", prepared.model, "--cpu", "native",
                                       *allowed, "-o", out)
            weights = out / "weights.bin"
            return {"seconds": seconds, "mb": mb, "source": str(out),
                    "name": json.loads((out / "model.json").read_text())["name"],
                    "weights": str(weights) if weights.exists() else None}
        return kept(prepared.folder / "fusec", self.digest, build)

    def task(self, prepared, compiler):
        """What contenders.Fusec wants to know, and "build_seconds", "compile_mb"."""
        emitted = self.emit(prepared)

        def build(folder):
            run_program(["cmake", "-G", "Ninja", "-S", HERE / "model", "-B", folder,
                         f"-DMODEL={emitted['source']}", f"-DCMAKE_CXX_COMPILER={compiler}",
                         "-DCMAKE_BUILD_TYPE=Release", f"-DFUSEC_KERNEL_ISAS={';'.join(best_isas())}"],
                        COMPILE_SECONDS)
            run_program(["ninja", "-C", folder, "fusec_runtime"], COMPILE_SECONDS)
            seconds, mb = run_measured("ninja", "-C", folder, f"{emitted['name']}_shared")
            return {"seconds": seconds, "mb": mb}
        name = pathlib.Path(compiler).name
        folder = prepared.folder / name
        built = kept(folder, digest_of(self.digest, version_of(compiler)), build)
        return {"name": emitted["name"], "weights": emitted["weights"],
                "library": str(folder / "model" / f"lib{emitted['name']}.so"),
                "build_seconds": emitted["seconds"] + built["seconds"],
                "compile_mb": max(emitted["mb"], built["mb"])}


def version_of(compiler):
    done = subprocess.run([compiler, "--version"], capture_output=True, text=True)
    return done.stdout


# What a fused reduction keeps on the stack is more than the default allows.
IREE_FLAGS = ["--iree-hal-target-device=local", "--iree-hal-local-target-device-backends=llvm-cpu",
              "--iree-llvmcpu-target-cpu=host", "--iree-opt-level=O3", "--iree-opt-data-tiling",
              "--iree-llvmcpu-stack-allocation-limit=262144"]


def iree_task(prepared, python, version):
    """What contenders.Iree wants to know, and "build_seconds", "compile_mb"."""
    programs = pathlib.Path(python).parent

    def build(folder):
        imported = folder / "model.mlir"
        seconds, mb = run_measured(programs / "iree-import-onnx", prepared.model, "-o", imported,
                                   "--opset-version", "17")
        more, mb_too = run_measured(programs / "iree-compile", imported, "-o",
                                    folder / "model.vmfb", *IREE_FLAGS)
        imported.unlink()
        return {"seconds": seconds + more, "mb": max(mb, mb_too)}
    folder = prepared.folder / "iree"
    built = kept(folder, digest_of(version, *IREE_FLAGS), build)
    return {"vmfb": str(folder / "model.vmfb"), "build_seconds": built["seconds"],
            "compile_mb": built["mb"]}


def model_task(prepared, threads):
    """What every contender wants to know."""
    expected = [np.load(prepared.folder / f"expected_{i}.npy", mmap_mode="r")
                for i in range(len(prepared.facts["outputs"]))]
    return {"model": str(prepared.model), "folder": str(prepared.folder), "threads": threads,
            "precision": "bf16" if prepared.workload.kind == "bf16" else "f32",
            "inputs": prepared.facts["inputs"],
            "outputs": [(array.shape, array.dtype.str) for array in expected]}
