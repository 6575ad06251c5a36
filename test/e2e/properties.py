# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What must hold for any model: the same bytes every time, text at each stage that
compiles on, folders that build alone, and an answer to broken files."""
import os
import random
import shutil
import subprocess

from batch import COMPILE_SECONDS, Failure, run_program

# Small models of different kinds; each property is a test for each of them.
MODELS = ("mlp", "lenet", "resnet_block", "attention_masked", "bert_layer_primitives",
          "mix_of_movement", "layer_norm_function", "six_dims", "loop_nested", "if_nested",
          "lstm_lengths_2", "split_gram_20011")
ALL_STAGES = ("mix_of_movement", "layer_norm_function", "loop_nested")
BUILT_ALONE = ("mlp", "resnet_block")
DAMAGE_ROUNDS = 9  # a smoke test: test/mutation does it in earnest

# fusec's exit codes for input that is not its own fault: fine, unsupported, bad input.
EXPECTED_EXITS = {0, 2, 4}
# What a shell-less process may need; no folder of LLVM's or of this build is in it.
BARE_ENVIRONMENT = {"PATH": "/usr/bin:/bin", "HOME": "/nonexistent", "LC_ALL": "C"}


def read_folder(folder):
    return {str(path.relative_to(folder)): path.read_bytes()
            for path in sorted(folder.rglob("*")) if path.is_file()}


def require_equal(first, second, what):
    """Two results of read_folder."""
    different = sorted(name for name in first.keys() | second.keys()
                       if first.get(name) != second.get(name))
    if different:
        raise Failure(f"{what} changes {', '.join(different)}")


def fresh(folder):
    if folder.exists():
        shutil.rmtree(folder)
    folder.mkdir(parents=True)
    return folder


def same_bytes(fusec, test):
    """Another folder, user, home, locale, time zone and time: the same files."""
    place = fresh(test.folder / "elsewhere" / "deeper")
    model = shutil.copy(test.model, place)
    environment = dict(os.environ, HOME=str(place), USER="nobody", LOGNAME="nobody",
                       TZ="Asia/Tokyo", LC_ALL="C")
    done = subprocess.run([fusec, "compile", os.path.basename(model), "-o", "out"],
                          cwd=place, env=environment, capture_output=True, text=True)
    if done.returncode:
        raise Failure(f"exit code {done.returncode}: {done.stderr[-500:]}")
    require_equal(read_folder(test.folder / "src"), read_folder(place / "out"),
                  "another place")


def same_as(folder, test):
    """fusec as another compiler built it writes the same files: `folder` holds what
    the same test left in that build."""
    require_equal(read_folder(folder / "src"), read_folder(test.folder / "src"),
                  "the compiler that built fusec")


def stages_compile_on(fusec, test):
    """The text after a stage compiles to the same files. After each stage for a small
    model; for the others after some, other ones for each, which together are all."""
    expected = read_folder(test.folder / "src")
    stages = run_program([fusec, "compile", "--list-stages"], COMPILE_SECONDS).split()
    if len(stages) < 5:
        raise Failure(f"only {len(stages)} stages are listed")
    if test.name not in ALL_STAGES:
        others = [name for name in MODELS if name not in ALL_STAGES]
        stages = stages[others.index(test.name)::len(others)]
    for stage in stages:
        place = fresh(test.folder / "stages" / stage)
        text = run_program([fusec, "compile", test.model, f"--until={stage}"],
                           COMPILE_SECONDS)
        (place / f"{test.name}.mlir").write_text(text)
        run_program([fusec, "compile", place / f"{test.name}.mlir", "-o", place / "out"],
                    COMPILE_SECONDS)
        require_equal(expected, read_folder(place / "out"), f"going through {stage}")


def builds_alone(fusec, test):
    """CMake and g++ suffice: neither fusec nor LLVM is in reach."""
    place = fresh(test.folder / "alone")
    shutil.copytree(test.folder / "src", place / "src")
    for path in (place / "src").rglob("*"):
        if path.is_file() and path.suffix in (".h", ".hpp", ".cpp", ".txt", ".cmake"):
            for word in ("llvm/", "mlir/", str(test.folder)):
                if word in path.read_text():
                    raise Failure(f"{path.name} mentions {word}")
    for command in (["cmake", "-S", place / "src", "-B", place / "build",
                     "-DCMAKE_CXX_COMPILER=g++", "-DCMAKE_C_COMPILER=gcc"],
                    ["cmake", "--build", place / "build", "-j", "2"]):
        done = subprocess.run(list(map(str, command)), env=BARE_ENVIRONMENT,
                              capture_output=True, text=True)
        if done.returncode:
            raise Failure((done.stderr or done.stdout)[-1000:])


def survives_damage(fusec, test):
    """Cut, flipped and doubled bytes: a message and a known exit code, no crash, and no
    output folder unless the model compiled."""
    rng = random.Random(test.name)
    original = test.model.read_bytes()
    place = fresh(test.folder / "damaged")
    for number in range(DAMAGE_ROUNDS):
        data = bytearray(original)
        if number % 3 == 0:
            del data[rng.randrange(len(data)):]
        elif number % 3 == 1:
            for _ in range(rng.randint(1, 8)):
                data[rng.randrange(len(data))] ^= 1 << rng.randrange(8)
        else:
            begin = rng.randrange(len(data))
            data[begin:begin] = data[begin:begin + rng.randint(1, 64)]
        model, out = place / f"{test.name}_{number}.onnx", place / "out"
        model.write_bytes(data)
        done = subprocess.run([str(fusec), "compile", str(model), "-o", str(out)],
                              capture_output=True, text=True, errors="replace",
                              timeout=COMPILE_SECONDS)
        if done.returncode not in EXPECTED_EXITS:
            raise Failure(f"{model}: exit code {done.returncode}: {done.stderr[-500:]}")
        if done.returncode and not done.stderr.strip():
            raise Failure(f"{model}: exit code {done.returncode} without a message")
        if done.returncode and out.exists():
            raise Failure(f"{model}: failed and left {out}")
        shutil.rmtree(out, ignore_errors=True)
        model.unlink()


PROPERTIES = {"same_bytes": (same_bytes, MODELS), "stages": (stages_compile_on, MODELS),
              "builds_alone": (builds_alone, BUILT_ALONE),
              "damage": (survives_damage, MODELS)}


def run_properties(runner, fusec, tests):
    for name, (function, models) in PROPERTIES.items():
        selected = [test for test in tests if test.name in models]
        runner.stage(name, lambda test, f=function: f(fusec, test), selected,
                     f"@{name}")
