# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What the tests of the install tree share: running commands, and CMake projects."""
import os
import pathlib
import shutil
import subprocess

REPOSITORY = pathlib.Path(__file__).resolve().parents[2]
EXAMPLES = REPOSITORY / "examples"


class Failure(Exception):
    """The test failed; the text says why."""


def require(condition, text):
    if not condition:
        raise Failure(text)


def run(*command, code=0, seconds=1000, **options):
    """The output of a command, both streams together; any other exit code fails."""
    command = [str(word) for word in command]
    environment = dict(os.environ)
    if shutil.which("ccache"):
        environment.setdefault("CMAKE_C_COMPILER_LAUNCHER", "ccache")
        environment.setdefault("CMAKE_CXX_COMPILER_LAUNCHER", "ccache")
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          text=True, timeout=seconds, env=environment, **options)
    require(code is None or done.returncode == code,
            f"{' '.join(command)}: exit code {done.returncode}, expected {code}\n"
            f"{done.stdout}")
    return done.stdout


def best_isa():
    """The instruction set of this machine; a model need not be built for others."""
    flags = pathlib.Path("/proc/cpuinfo").read_text().split()
    return "avx512" if "avx512vl" in flags else "avx2" if "avx2" in flags else "baseline"


class Project:
    """A CMake project, built in a folder of its own against the install tree."""

    def __init__(self, tree, source, build, generator="Ninja", options=()):
        self.source, self.build = pathlib.Path(source), pathlib.Path(build)
        self.generator = generator
        # Without optimization what is not a kernel compiles in half the time.
        self.options = [f"-DCMAKE_PREFIX_PATH={tree}", "-DCMAKE_BUILD_TYPE=Debug",
                        f"-DFUSEC_KERNEL_ISAS={best_isa()}", *options]

    def configure(self, *options, code=0):
        return run("cmake", "-S", self.source, "-B", self.build, "-G", self.generator,
                   *self.options, *options, code=code)

    def make(self, *targets, code=0):
        words = ["--target", *targets] if targets else []
        return run("cmake", "--build", self.build, "-j", "2", *words, code=code)

    def require_idle(self):
        """Nothing has changed, so nothing may be done."""
        text = self.make()
        done = [line for line in text.splitlines()
                if any(word in line for word in ("Building", "Linking", "with fusec"))]
        require(not done, f"built although nothing changed:\n{text}")
        if self.generator == "Ninja":
            require("no work to do" in text, f"ninja found work to do:\n{text}")

    def require_rebuilt(self, models, others):
        """Builds; of the models' sources those of `models` were written anew. Returns what
        the build said."""
        text = self.make()
        for model in models:
            require(f"Compiling {model} with fusec" in text, f"{model} not rebuilt:\n{text}")
        for other in others:
            require(other not in text, f"{other} was rebuilt:\n{text}")
        require("fusec_runtime.dir" not in text, f"the runtime was rebuilt:\n{text}")
        self.require_idle()
        return text


def fresh(folder):
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    return folder


def fake_driver(work, folder):
    """A folder in `folder` with CUDA's driver of the tests, which has a GPU of sm_80."""
    driver = fresh(folder / "driver")
    shutil.copy(work.parents[1] / "test/runtime/libfake_cuda.so", driver / "libcuda.so.1")
    return driver
