# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compiles many models with fusec, builds what it emitted in one Ninja run, and runs it."""
import pathlib
import re
import shutil
import subprocess

import numpy as np

HERE = pathlib.Path(__file__).resolve().parent
REPOSITORY = HERE.parents[1]
COMPILE_SECONDS, RUN_SECONDS = 120, 60


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


def compile_model(program, test):
    run_program([program, "compile", test.model, "-o", test.folder / "src"],
                COMPILE_SECONDS)


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
    command = [program, test.model]
    for i, name in enumerate(test.inputs):
        command += ["--input", f"{name}={test.folder}/in_{i}.bin"]
    for i, name in enumerate(test.outputs):
        command += ["--output", f"{name}={test.folder}/ref_{i}.bin"]
    run_program(command, RUN_SECONDS)


def best_isa():
    """The strongest instruction set of this machine that kernels are compiled for."""
    flags = set(pathlib.Path("/proc/cpuinfo").read_text().split())
    if {"avx512f", "avx512bw", "avx512cd", "avx512dq", "avx512vl"} <= flags:
        return "avx512"
    return "avx2" if {"avx2", "fma", "f16c", "bmi2"} <= flags else "baseline"


class Project:
    """The CMake project in test/e2e/harness over the emitted folders."""

    def __init__(self, work, build, jobs):
        self.work, self.build_folder, self.jobs = work, work / "project", jobs
        cache = (build / "CMakeCache.txt").read_text()
        self.settings = [
            f"-D{key}={value}" for key, value in re.findall(
                r"^(CMAKE_CXX_COMPILER|CMAKE_C_COMPILER|FUSEC_SANITIZE)(?::\w+)=(.+)$", cache, re.M)]
        if shutil.which("ccache"):
            self.settings += ["-DCMAKE_CXX_COMPILER_LAUNCHER=ccache"]

    def configure(self):
        run_program(["cmake", "-G", "Ninja", "-S", HERE / "harness", "-B", self.build_folder,
                     f"-DREPOSITORY={REPOSITORY}", f"-DWORK={self.work}",
                     "-DCMAKE_BUILD_TYPE=Release", *self.settings], 120)

    def build(self, folders, thorough):
        """folders: name -> emitted folder. Returns name -> compiler output of those
        that could not be built, and links the others into the harness. Those in
        `thorough` are compiled for all instruction sets, the others for this machine's
        best one only: most of the time goes into compiling kernels."""
        best = best_isa()
        lines = [f"set(MODEL_{name} {folder})\n"
                 f"set(ISAS_{name} {'' if name in thorough else best})\n"
                 for name, folder in folders.items()]
        (self.work / "models.cmake").write_text(
            "".join(lines) + f"set(MODELS {' '.join(folders)})\n")
        (self.work / "linked.cmake").unlink(missing_ok=True)
        self.configure()
        for archive in self.build_folder.glob("models/*/*.a"):
            if archive.parent.name not in folders:
                shutil.rmtree(archive.parent)
        # A model that does not compile must not keep the others from being run.
        log = subprocess.run(["ninja", "-C", self.build_folder, "-j", str(self.jobs),
                              "-k", "0"], capture_output=True, text=True).stdout
        broken = {}
        for block in log.split("FAILED: ")[1:]:
            match = re.match(r"models/(\w+)/", block)
            if match:
                error = re.search(r"^.*error:.*$", block, re.M)
                broken.setdefault(match.group(1), error.group(0) if error else block[:500])
        built = [name for name in folders if name not in broken]
        if built:
            self.link(built, folders)
        return broken

    def link(self, names, folders):
        queries = {name: self.query_function(folders[name]) for name in names}
        text = '#include "harness.h"\n\n'
        for query in queries.values():
            text += f'extern "C" const fusec_model_desc *{query}(uint32_t);\n'
        text += "const HarnessModel harness_models[] = {\n"
        for name, query in queries.items():
            text += f'    {{"{name}", {query}, "{folders[name]}/weights.bin"}},\n'
        text += f"}};\nconst unsigned num_harness_models = {len(names)};\n"
        (self.work / "models.cpp").write_text(text)
        (self.work / "linked.cmake").write_text(f"set(LINKED {' '.join(names)})\n")
        self.configure()
        run_program(["ninja", "-C", self.build_folder, "harness"], 300)

    @staticmethod
    def query_function(folder):
        for header in folder.glob("*.h"):
            match = re.search(r"\bfusec_\w+_query\b", header.read_text())
            if match:
                return match.group(0)
        raise Failure(f"no header in {folder} declares a query function")

    def run(self, test):
        """Runs a model; returns its configurations."""
        return run_program([self.build_folder / "harness", test.name, test.folder],
                           RUN_SECONDS).split()
