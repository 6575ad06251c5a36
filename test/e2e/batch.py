# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs the tools on one model each, with what can go wrong as a Failure."""
import pathlib
import subprocess

import numpy as np

HERE = pathlib.Path(__file__).resolve().parent
REPOSITORY = HERE.parents[1]
# Rows of dialects/TargetInfo.cpp.
CPUS = ("generic", "portable", "neon", "zen4", "sapphire-rapids", "sapphire-rapids-amx")
# Configurations of the harness whose outputs are the bits of `default`: other threads.
SAME_BITS = ("one_thread", "together", "seven_threads")
COMPILE_SECONDS, RUN_SECONDS = 240, 120
SANITIZED_SECONDS = 300  # of a run that a sanitizer watches


class Failure(Exception):
    """A model did not get through a stage; the text says why."""


def decode(raw, dtype, shape):
    array = np.frombuffer(raw, dtype)
    if array.size != np.prod(shape, dtype=np.int64):
        raise Failure(f"{array.size} elements, expected shape {shape}")
    return array.reshape(shape)


def run_program(command, seconds):
    try:
        done = subprocess.run(list(map(str, command)), capture_output=True, text=True,
                              timeout=seconds)
    except FileNotFoundError:
        raise Failure(f"no program {command[0]}; build first") from None
    except subprocess.TimeoutExpired:
        raise Failure(f"still running after {seconds} s") from None
    if done.returncode:
        text = (done.stderr.strip() or done.stdout.strip())[-2000:]
        raise Failure(f"exit code {done.returncode}: {text}")
    return done.stdout


def compile_model(program, test, cpu):
    """A case that names a row has that one, whichever the others have."""
    options = [*test.case.options, *test.case.cpu_options]
    if not any(option.startswith("--cpu=") for option in options):
        options.append(f"--cpu={cpu}")
    run_program([program, "compile", test.model, "--sched-verify", *options,
                 "-o", test.folder / "src"], COMPILE_SECONDS)


def expect_refusal(program, test, code, texts):
    """`fusec compile` says why not, with this exit code, and leaves no folder."""
    out = test.folder / "src"
    done = subprocess.run([str(program), "compile", str(test.model), "-o", str(out)],
                          capture_output=True, text=True)
    if done.returncode != code:
        raise Failure(f"exit code {done.returncode}, expected {code}: {done.stderr[-500:]}")
    missing = [text for text in (test.model.name, *texts) if text not in done.stderr]
    if missing:
        raise Failure(f"the message lacks {missing}: {done.stderr[-500:]}")
    if out.exists():
        raise Failure(f"left {out}")


def interpret(program, test):
    """Runs the model in fusec-ref; the outputs become ref_<i>.bin."""
    command = [program, test.model,
               *(option for option in test.case.options if option.startswith("--ops="))]
    for i, name in enumerate(test.inputs):
        command += ["--input", f"{name}={test.folder}/in_{i}.bin"]
    for i, name in enumerate(test.outputs):
        command += ["--output", f"{name}={test.folder}/ref_{i}.bin"]
    run_program(command, RUN_SECONDS)
