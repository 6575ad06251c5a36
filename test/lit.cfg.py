# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# The lit suite: .mlir and .test files. Run all of it, or one file:
#   lit test                     lit test/passes/fusion/fuse-aggregate.mlir
#   lit test --param build=DIR   against another build folder than build/
#
# Programs are found through PATH: build/bin (fusec, fusec-opt, fusec-ref, fusec-import), then
# LLVM's own (FileCheck, not, count, split-file).
# %python: the interpreter with the test packages; %repo: the root of the sources;
# %build: the build folder; %nvcc: CUDA's compiler, which need not be in PATH.
# %onnx-testdata: the data of Debian's libonnx-testdata.
# With --param full=1 (tools/test.sh --full), and 2 (--soak), some go further: %kills is how
# often a test ends a program at a random moment, %graphs how many random graphs it takes,
# %every which share of many alike, one in so many; the feature full says so.
# Features: sanitized (the build is, and nothing else may load its libraries); x86-64, avx2,
# avx512, venv, onnx-testdata; vendors (the libraries of others that
# --vendor names); abidiff (Debian's abigail-tools); own-mounts (to mount a small disk),
# other-users (to be another user, who finds the programs).
import os
import pathlib
import platform
import re
import shutil
import subprocess
import sys

import lit.formats

repo = pathlib.Path(__file__).resolve().parent.parent
build = pathlib.Path(lit_config.params.get("build", repo / "build")).resolve()

# A test that does not find a program says no more than "command not found".
programs = ("fusec", "fusec-opt", "fusec-ref", "fusec-import", "ptx-sim")
missing = [name for name in programs if not (build / "bin" / name).exists()]
if missing:
    complain = lit_config.fatal if len(missing) == len(programs) else lit_config.warning
    complain(
        f"{build}/bin has no {', '.join(missing)}; build with the tests:\n"
        "  tools/setup.sh --tests\n"
        f"  cmake -S {repo} -B {build} -G Ninja -DFUSEC_ENABLE_TESTS=ON\n"
        f"  ninja -C {build}\n"
        "or name another build folder with --param build=DIR")

cache = build / "CMakeCache.txt"
if cache.exists() and re.search("^FUSEC_SANITIZE:STRING=.", cache.read_text(), re.MULTILINE):
    config.available_features.add("sanitized")

full = int(lit_config.params.get("full", "0"))
if full:
    config.available_features.add("full")

config.name = "fusec"
config.test_format = lit.formats.ShTest(execute_external=False)
config.suffixes = [".mlir", ".test"]
# The inputs of tests. Folders without lit tests say so in a lit.local.cfg: a name
# here would hide every folder of that name.
config.excludes = ["Inputs"]
config.test_source_root = str(repo / "test")
config.test_exec_root = str(build / "test")

path = [build / "bin", "/usr/lib/llvm-22/bin", os.environ["PATH"]]
config.environment["PATH"] = os.pathsep.join(map(str, path))
# Nothing that a test does may touch the developer's own build cache.
config.environment["XDG_CACHE_HOME"] = str(build / "test" / "cache")
for name in ("ASAN_OPTIONS", "UBSAN_OPTIONS", "CCACHE_DIR", "HOME", "CUDACXX"):
    if name in os.environ:
        config.environment[name] = os.environ[name]

venv_python = repo / ".venv" / "bin" / "python"
if venv_python.exists():
    config.available_features.add("venv")
python = venv_python if venv_python.exists() else sys.executable
nvcc = os.environ.get("CUDACXX") or shutil.which("nvcc") or "/usr/local/cuda/bin/nvcc"
config.substitutions += [("%python", str(python)), ("%repo", str(repo)),
                         ("%build", str(build)), ("%nvcc", nvcc),
                         ("%kills", "50" if full > 1 else "2"),
                         ("%graphs", "300" if full > 1 else "20"),
                         ("%every", ("24", "8", "1")[full])]

if platform.machine() in ("x86_64", "AMD64"):
    config.available_features.add("x86-64")
cpuinfo = pathlib.Path("/proc/cpuinfo")
flags = cpuinfo.read_text().split() if cpuinfo.exists() else []
if {"avx2", "fma"} <= set(flags):
    config.available_features.add("avx2")
if {"avx512f", "avx512bw", "avx512vl", "avx512dq"} <= set(flags):
    config.available_features.add("avx512")


def works(*command):
    try:
        return subprocess.run(command, stdout=subprocess.DEVNULL,
                              stderr=subprocess.DEVNULL).returncode == 0
    except OSError:
        return False



if works("g++", "-shared", "-o", os.devnull, "-include", "cblas.h", "-include", "dnnl.h",
         "-x", "c++", os.devnull, "-lopenblas", "-ldnnl", "-lgomp"):
    config.available_features.add("vendors")
if shutil.which("abidiff"):
    config.available_features.add("abidiff")
if works("unshare", "-rm", "mount", "-t", "tmpfs", "tmpfs", "/mnt"):
    config.available_features.add("own-mounts")
if works("setpriv", "--reuid=65534", "--clear-groups", "test", "-x", build / "bin" / "fusec"):
    config.available_features.add("other-users")

onnx_data = pathlib.Path("/usr/share/libonnx-testdata/data")
if onnx_data.exists():
    config.available_features.add("onnx-testdata")
config.substitutions.append(("%onnx-testdata", str(onnx_data)))
