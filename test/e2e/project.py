# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Builds what was emitted for many models in one Ninja run, and links it into one
program. Starting a compiler and reading what it needs takes as long as a small model; so
many models share a translation unit, and all share a precompiled vocabulary."""
import json
import os
import pathlib
import re
import shutil
import subprocess
import zlib

from batch import RUN_SECONDS, SANITIZED_SECONDS, Failure, run_program

HERE = pathlib.Path(__file__).resolve().parent
REPOSITORY = HERE.parents[1]
BATCHES_PER_JOB = 4  # at least, so that no core waits for long at the end
# The end-to-end tests see what the host compiler's optimiser does to kernels; elsewhere
# it is time. Options for host programs, and for kernels: where models compute little, and
# where they may be whole networks. With the usual FUSEC_INLINE -O0 takes longer than -O1.
# And the lines of kernels that share a translation unit, some ten seconds of a compiler.
AS_EMITTED = (("-O0",), (), 4000)
NO_OPTIMISATION = (("-O0",), ("-O0", "-DFUSEC_INLINE=inline"), 12000)
LITTLE_OPTIMISATION = (("-O1",), ("-O1",), 6000)
FAILED = re.compile(r"^FAILED: (?:\[code=\d+\] )?", re.M)


def best_isa():
    """The strongest instruction set of this machine that kernels are compiled for."""
    flags = set(pathlib.Path("/proc/cpuinfo").read_text().split())
    if {"avx512f", "avx512bw", "avx512cd", "avx512dq", "avx512vl"} <= flags:
        return "avx512"
    return "avx2" if {"avx2", "fma", "f16c", "bmi2"} <= flags else "baseline"


def has_vnni():
    """Whether this machine adds products of bytes in 32 bits, not in pairs that saturate at 16."""
    flags = set(pathlib.Path("/proc/cpuinfo").read_text().split())
    return bool({"avx512_vnni", "avx_vnni"} & flags)


def best_isas():
    """That one, and what kernels are compiled for beside it where they can use it."""
    flags = set(pathlib.Path("/proc/cpuinfo").read_text().split())
    isas = [best_isa()]
    for isa, flag in (("avx512vnni", "avx512_vnni"), ("avx512bf16", "avx512_bf16"),
                      ("amx", "amx_int8")):
        if isas[-1].startswith("avx512") and flag in flags:
            isas.append(isa)
    return isas


def compilers(cache):
    """(C, C++) of each compiler that models are shared out to: the one that built fusec,
    and the other one of GCC and clang. Sanitizers are those of the first alone."""
    own = tuple(re.search(rf"^CMAKE_{language}_COMPILER(?::\w+)=(.+)$", cache, re.M).group(1)
                for language in ("C", "CXX"))
    if re.search(r"^FUSEC_SANITIZE(?::\w+)=.", cache, re.M):
        return [own]
    is_clang = "clang" in pathlib.Path(own[1]).resolve().name
    others = [("gcc", "g++")] if is_clang else [("clang-22", "clang++-22"), ("clang", "clang++")]
    return [own] + [pair for pair in others if all(map(shutil.which, pair))][:1]


class Emitted:
    """An emitted folder; what it holds is named after the model's identifier."""

    def __init__(self, folder):
        self.folder = folder
        description = json.loads((folder / "model.json").read_text())
        self.identifier = description["name"]
        # Whether kernels are compiled for more instruction sets than they are scheduled for.
        self.wants_further = "further_isas" in description
        self.host = folder / f"{self.identifier}.cpp"
        # A model of nothing but copies has none.
        self.kernels = sorted(folder.glob(f"{self.identifier}_kernels*.cpp"))
        # Of these files and of what they include.
        naive = folder.glob(f"{self.identifier}_kernels_naive*.h")
        self.lines = sum(path.read_bytes().count(b"\n") for path in (*self.kernels, *naive))


def pack(names, models, most, jobs):
    """Lists of names, each of at most some `most` lines of kernels. The largest models
    first, so that the last job is a short one; and the same for the same models, which
    ccache knows."""
    batches, lines = [], 0
    most = min(most, sum(models[name].lines for name in names) // (jobs * BATCHES_PER_JOB))
    for name in sorted(names, key=lambda name: (-models[name].lines, name)):
        if not batches or lines + models[name].lines > most:
            batches.append([])
            lines = 0
        batches[-1].append(name)
        lines += models[name].lines
    return batches


class Project:
    """The CMake project in test/e2e/harness over emitted folders.

    work   where the generated files and the build folder go
    build  the build of fusec, whose sanitizers are used
    compiler  the C and the C++ compiler
    isas   the instruction sets that kernels are compiled for; empty for all
    flags  options of the compiler for host programs and for kernels in batches, which
           overrule the usual ones; and how large a batch is"""

    def __init__(self, work, build, compiler, jobs, isas=None, flags=AS_EMITTED):
        self.host_flags, self.kernel_flags, self.batch_lines = flags
        self.work, self.build_folder, self.jobs = work, work / "project", jobs
        self.isas = best_isas() if isas is None else isas
        self.settings = [f"-DCMAKE_C_COMPILER={compiler[0]}", f"-DCMAKE_CXX_COMPILER={compiler[1]}"]
        sanitizers = re.findall(
            r"^(FUSEC_SANITIZE)(?::\w+)=(.+)$", (build / "CMakeCache.txt").read_text(), re.M)
        self.settings += [f"-D{key}={value}" for key, value in sanitizers]
        self.run_seconds = SANITIZED_SECONDS if sanitizers else RUN_SECONDS
        if shutil.which("ccache"):
            self.settings += [f"-DCMAKE_{language}_COMPILER_LAUNCHER=ccache"
                              for language in ("C", "CXX")]

    def build(self, folders, thorough=()):
        """folders: name -> emitted folder. Returns name -> why it could not be built,
        and links the others. Those in `thorough` are built by their own CMakeLists.txt,
        for all instruction sets, the others in batches."""
        self.models = {name: Emitted(folder) for name, folder in folders.items()}
        self.thorough = [name for name in folders if name in thorough]
        self.batches, self.number, broken = {}, 0, {}
        for further in (False, True):
            self.add_batches(pack([name for name, model in self.models.items()
                                   if name not in thorough and model.wants_further == further],
                                  self.models, self.batch_lines, self.jobs))
        while self.thorough or self.batches:
            self.generate()
            errors = self.compile()
            if not errors:
                run_program(["ninja", "-C", self.build_folder, "harness"], 300)
                break
            broken |= self.set_aside(errors)
        return broken

    def add_batches(self, batches):
        for names in batches:
            self.batches[f"batch_{self.number}"] = names
            self.number += 1

    def set_aside(self, errors):
        """A model that does not compile must not keep the others of its batch from being
        run: those that its messages mention (all, where none is mentioned) are tried
        again alone. Returns name -> error of those that were alone already."""
        broken = {}
        for unit, text in errors.items():
            names = self.batches.pop(unit, None) or [unit]
            if len(names) == 1:
                error = re.search(r"^.*error:.*$", text, re.M)
                broken[names[0]] = error.group(0) if error else text[:500]
                continue
            suspects = [name for name in names
                        if f"{self.models[name].folder}/" in text] or names
            rest = [name for name in names if name not in suspects]
            self.add_batches([[name] for name in suspects] + ([rest] if rest else []))
        self.thorough = [name for name in self.thorough if name not in broken]
        return broken

    def generate(self):
        """What CMake reads, a pair of sources for each batch, and the table of models."""
        generated = self.work / "batches"
        shutil.rmtree(generated, ignore_errors=True)
        generated.mkdir(parents=True)
        lines = [f"set(MODEL_{name} {self.models[name].folder})" for name in self.thorough]
        lines += [f"set(MODELS {' '.join(self.thorough)})",
                  f"set(BATCHES {' '.join(self.batches)})",
                  f"set(BATCH_ISAS {' '.join(self.isas)})",
                  f"set(KERNEL_FLAGS {' '.join(self.kernel_flags)})",
                  f"set(HOST_FLAGS {' '.join(self.host_flags)})"]
        for batch, names in self.batches.items():
            models = [self.models[name] for name in names]
            lines.append(f"set(SOURCES_{batch} {batch}.cpp)")
            write_includes(generated / f"{batch}.cpp", [model.host for model in models])
            kernels = sum((model.kernels for model in models), [])
            if kernels:
                lines.append(f"set(KERNELS_{batch} {batch}_kernels.cpp)")
                write_includes(generated / f"{batch}_kernels.cpp", kernels)
                write_includes(generated / f"{batch}_kernels.h",
                               [model.folder / f"{model.identifier}_kernels.h" for model in models
                                if model.wants_further])
        (generated / "models.cmake").write_text("\n".join(lines) + "\n")
        self.write_table(generated / "models.cpp")
        self.forget_other_compilers()
        run_program(["cmake", "-G", "Ninja", "-S", HERE / "harness", "-B", self.build_folder,
                     f"-DREPOSITORY={REPOSITORY}", f"-DGENERATED={generated}",
                     "-DCMAKE_BUILD_TYPE=Release", *self.settings], 120)

    def forget_other_compilers(self):
        """CMake takes no other compiler into a folder that it has configured."""
        cache = self.build_folder / "CMakeCache.txt"
        if not cache.exists():
            return
        text = cache.read_text()
        for setting in self.settings:
            name, _, value = setting.removeprefix("-D").partition("=")
            known = re.search(rf"^{name}:\w+=(.+)$", text, re.M)
            if name.endswith("_COMPILER") and known and known.group(1) != shutil.which(value):
                cache.unlink()
                shutil.rmtree(self.build_folder / "CMakeFiles", ignore_errors=True)
                return

    def write_table(self, path):
        names = self.thorough + sum(self.batches.values(), [])
        text = '#include "harness.h"\n\n'
        for name in names:
            text += ('extern "C" const fusec_model_desc *fusec_'
                     f'{self.models[name].identifier}_query(uint32_t);\n')
        text += "const HarnessModel harness_models[] = {\n"
        for name in names:
            model = self.models[name]
            text += (f'    {{"{name}", fusec_{model.identifier}_query, '
                     f'"{model.folder}/weights.bin"}},\n')
        text += f"}};\nconst unsigned num_harness_models = {len(names)};\n"
        path.write_text(text)

    def compile(self):
        """batch or thorough model -> messages of the compiler, where it failed."""
        # What ccache must be told to look into what uses a precompiled header; and to take
        # from the compiler what was included, for it would preprocess what it does not
        # have a second time, which takes as long as a third of the compilation.
        environment = os.environ | {"CCACHE_SLOPPINESS": "pch_defines,time_macros",
                                    "CCACHE_DEPEND": "1"}
        done = subprocess.run(["ninja", "-C", str(self.build_folder), "-j", str(self.jobs),
                               "-k", "0"], capture_output=True, text=True, env=environment)
        errors = {}
        for block in FAILED.split(done.stdout)[1:]:
            match = re.match(r"models/(\w+)/|\S*?(batch_\d+)", block)
            if match:
                unit = match.group(1) or match.group(2)
                errors[unit] = errors.get(unit, "") + block
        if done.returncode and not errors:
            raise Failure((done.stdout + done.stderr)[-2000:])
        return errors

    def run(self, name, folder, *options):
        """Runs a model on the inputs in `folder`; returns its configurations."""
        return run_program([self.build_folder / "harness", name, folder, *options],
                           self.run_seconds).split()


class Shares:
    """Models shared out to the compilers, a Project for each; all of them with all models
    would take as many times as long. A build of fusec by another of the compilers shares
    them out the other way round, so that after both each model has met each compiler."""

    def __init__(self, work, build, jobs, flags=AS_EMITTED):
        self.projects = {}
        for compiler in compilers((build / "CMakeCache.txt").read_text()):
            name = pathlib.Path(compiler[1]).name
            self.projects[name] = Project(work / name, build, compiler, jobs, flags=flags)

    def compiler_of(self, number):
        """The name of the compiler that takes what has this number."""
        names = list(self.projects)
        return names[number % len(names)]

    def build(self, folders, thorough=(), numbers=None):
        """As Project.build; `numbers`, where given, are those of the models' shares."""
        self.taken, broken = {}, {}
        for name in folders:
            number = zlib.crc32(name.encode()) if numbers is None else numbers[name]
            self.taken[name] = self.compiler_of(number)
        for compiler, project in self.projects.items():
            share = {name: folder for name, folder in folders.items()
                     if self.taken[name] == compiler}
            failed = project.build(share, thorough) if share else {}
            broken |= {name: f"{compiler}: {text}" for name, text in failed.items()}
        return broken

    def run(self, name, folder, *options):
        """As Project.run; says which compiler a model that fails is from."""
        compiler = self.taken[name]
        try:
            return self.projects[compiler].run(name, folder, *options)
        except Failure as failure:
            raise Failure(f"{compiler}: {failure}") from None


def write_includes(path, sources):
    path.write_text("".join(f'#include "{source}"\n' for source in sources))
