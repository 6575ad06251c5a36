# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""How much memory a compilation may take."""
import pathlib
import sys

from batch import run_program

MEASURED = pathlib.Path(__file__).resolve().parent / "measured.py"
# Of the weights file: what is read and what is written may both be resident.
WEIGHTS, BESIDE = 2, 300e6


def compile_measured(fusec, model, folder, seconds):
    """The CPU seconds of `fusec compile`, which proves its schedules, and its peak resident
    memory in bytes."""
    answer = run_program([sys.executable, MEASURED, fusec, "compile", model, "-o", folder,
                          "--sched-verify"], seconds)
    cpu, peak = answer.split()
    return float(cpu), int(peak)


def weights_bytes(folder):
    weights = folder / "weights.bin"
    return weights.stat().st_size if weights.exists() else 0


def check_memory(peak, weights):
    """Why a compilation may not take `peak` bytes, or None."""
    allowed = WEIGHTS * weights + BESIDE
    if peak <= allowed:
        return None
    return (f"took {peak / 1e6:.0f} MB for {weights / 1e6:.0f} MB of weights, more than "
            f"{allowed / 1e6:.0f} MB")
