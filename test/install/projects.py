# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Projects that use the install tree in ways that the examples do not."""
import json
import re
import shutil
import sys

import numpy as np
import onnx
import onnx.parser
import onnxruntime

import examples
from support import EXAMPLES, REPOSITORY, Project, fake_driver, fresh, require, run

sys.path.insert(0, str(REPOSITORY / "test/e2e"))
import oracle  # noqa: E402


def projects(work, tree, generator="Unix Makefiles"):
    """Models that other build steps write, with make; each change rebuilds what it must."""
    source = work / "produced"
    shutil.rmtree(source, ignore_errors=True)
    shutil.copytree(REPOSITORY / "test/install/produced", source)
    lock = source / "sub/fusec.lock"
    run(tree / "bin/fusec", "compile", source / "sub/shift.mlir", "-o", source / "out",
        "--write-lock", lock)
    project = Project(tree, source, fresh(work / "produced-build"), generator,
                      [f"-DPYTHON={sys.executable}"])
    project.configure()
    project.make()

    def printed():
        return run(project.build / "produced", project.build / "fusec/scale/weights.bin",
                   project.build / "fusec/scales/weights.bin")
    require(printed() == "2 4 6 8, largest 3\n", printed())
    project.require_idle()

    # Variants that are tried while it runs, by a program that needs neither fusec nor its
    # environment; what it found out is there for the next process.
    def tuned():
        return json.loads(run("env", "-i", project.build / "tuned",
                              project.build / "fusec/scale/weights.bin", work / "tuned.frc.d"))
    shutil.rmtree(work / "tuned.frc.d", ignore_errors=True)
    report = tuned()
    require([step["rate"] for step in report["steps"]] == [0] * 10, report)
    require(report["later"] == {"hits": 2, "misses": 0, "rate": 1}, report)
    tried = [variant["runs"] for group in report["groups"] for variant in group["variants"]]
    require(sum(tried) == 9 and min(tried) > 0 and len(tried) > 1, report)
    report = tuned()
    require([step["rate"] for step in report["steps"]] == [1] * 10, report)
    require([group["from"] for group in report["groups"]] == ["cache"], report)

    # The model is written anew: the same bytes but for scale.bin.
    (source / "models/scale.csv").write_text("5 6 7 8\n")
    project.require_rebuilt(["scale.onnx"], ["made.mlir"])
    require(printed() == "10 12 14 16, largest 3\n", printed())

    # Only the file with its tensors.
    (project.build / "models/scale.bin").write_bytes(np.float32([9, 8, 7, 6]).tobytes())
    project.require_rebuilt(["scale.onnx"], ["made.mlir"])
    require(printed() == "18 16 14 12, largest 0\n", printed())

    # Only what was decided: the same numbers from another kernel.
    kernel = project.build / "sub/fusec/shift/shift_kernels.cpp"
    decided = lock.read_text()
    require("tile = [4]" in decided and "// Schedule: tile 4" in kernel.read_text(), decided)
    lock.write_text(decided.replace("tile = [4]", "tile = [2]"))
    project.require_rebuilt(["made.mlir"], ["scale.onnx", "largest.mlir"])
    require("// Schedule: tile 2" in kernel.read_text(), "the lock's config was not taken")
    require(printed() == "18 16 14 12, largest 0\n", printed())
    lock.write_text(decided.replace("tile = [4]", "tile = [4, 4]"))
    text = project.make(code=None)
    require("fusec.lock:" in text and "2 tile sizes for 1 loops" in text, text)
    lock.write_text(decided)
    project.require_rebuilt(["made.mlir"], ["scale.onnx", "largest.mlir"])

    text = (source / "sub/shift.mlir").read_text()
    (source / "sub/shift.mlir").write_text(text.replace("fuse.add", "fuse.mul"))
    project.require_rebuilt(["made.mlir"], ["scale.onnx"])
    require(printed() == "81 64 49 36, largest 0\n", printed())

    # What a change leaves as it is need not be compiled again.
    objects = list(project.build.glob("**/scale_kernels*.dir/**/*.o"))
    require(len(objects) == 2, f"not two files of kernels: {objects}")
    before = {path: path.stat().st_mtime_ns for path in objects}
    (source / "models/scale.csv").write_text("6 7 8 9\n")
    text = project.require_rebuilt(["scale.onnx"], ["made.mlir"])
    require(before == {path: path.stat().st_mtime_ns for path in objects}, text)
    require(printed() == "36 49 64 81, largest 3\n", printed())

    # A new fusec may write something else.
    (tree / "bin/fusec").touch()
    project.require_rebuilt(["made.mlir", "scale.onnx", "largest.mlir"], [])


# What CMake is told -> what it must answer.
REFUSALS = {
    "fusec_add_model(m MODEL m.mlir TARGET cuda)":
        "'cuda' is no value of TARGET: expected cpu, or for GPUs an architecture as cuda-sm80",
    "fusec_add_model(m MODEL m.mlir TARGET cpu,cuda-sm80)":
        "'cpu,cuda-sm80' is no value of TARGET: expected cpu, or for GPUs an architecture as "
        "cuda-sm80, several with spaces between them",
    "fusec_add_model(m MODEL m.mlir TARGET cpu cuda-sm87)":
        "TARGET: 'cuda-sm87' is none of {cpu,cuda-sm75,cuda-sm80,cuda-sm86,cuda-sm89,cuda-sm90,cuda-sm100,cuda-sm120}; cuda-sm86 is for "
        "GPUs of sm_87, too",
    "fusec_add_model(m MODEL m.mlir TARGET cuda-sm80 KERNEL_FILES 2)":
        "KERNEL_FILES and tuning are for TARGET cpu",
    "fusec_add_model(m)": "name the model",
    "fusec_add_model(m MODEL m.mlir DIMS n=1)":
        "'DIMS' is no keyword, nor a value of one; did you mean DIM or DISABLE_RULE? The keywords are",
    "fusec_add_model(m MODEL m.mlir DIM)": "DIM has no value",
    "fusec_add_model(m MODEL m.mlir ALLOW f8)":
        "'f8' is no value of ALLOW: expected bf16, bf16-activations or int8-activations",
    "fusec_add_model(m MODEL m.mlir VENDOR mkl)":
        "'mkl' is no value of VENDOR: expected openblas or onednn",
    "fusec_add_model(m MODEL m.mlir OPTIONS --vendor=openblas)":
        "what --vendor names has to be linked: write VENDOR openblas in place of it",
    "fusec_add_model(my-model MODEL m.mlir)": "use a C identifier",
    "fusec_add_model(2d MODEL m.mlir)": "use a C identifier",
    "fusec_add_model(class MODEL m.mlir)":
        "'class' is a keyword of C or C++; take another, such as class_model",
    "fusec_add_model(double MODEL m.mlir)": "'double' is a keyword of C or C++",
    "fusec_add_model(m MODEL missing.onnx)": "there is no MODEL missing.onnx",
    # To CMake, a keyword that is misspelt is a value of the keyword before it.
    "fusec_add_model(m MODEL m.mlir DIM n=1 TARGT cpu)":
        "'TARGT' is no value of DIM: expected NAME=N; "
        "did you mean TARGET?",
    "fusec_add_model(m MODEL m.mlir DIM n)": "'n' is no value of DIM",
    "fusec_add_model(m MODEL m.mlir DIM n=-1)": "'n=-1' is no value of DIM",
    "fusec_add_model(m MODEL m.mlir SHAPE x=1x3 LOK f)":
        "'LOK' is no value of SHAPE: expected INPUT=1x3x224x224; did you mean LOCK?",
    "fusec_add_model(m MODEL m.mlir BIND x)": "'x' is no value of BIND: expected INPUT=FILE",
    "fusec_add_model(m MODEL m.mlir CHOICES direct)": "'direct' is no value of CHOICES",
    "fusec_add_model(m MODEL m.mlir OPTIONS --no-fuse TARGT cpu)": "'TARGT' is no option",
    "fusec_add_model(m MODEL m.mlir DEPENDS m.mlir TARGT cpu)":
        "'TARGT' in DEPENDS is neither a target nor a file; did you mean TARGET?",
    "fusec_add_model(m MODEL m.mlir LOCK none.lock)": "there is no LOCK none.lock",
    "fusec_add_model(m MODEL m.mlir VARIANTS 5 TUNING_RANGE 2:2)": "the TUNING_RANGE 2:2 has no run",
    "fusec_add_model(m MODEL m.mlir TUNING_RANGE 2:9)": "add VARIANTS 5",
    "fusec_add_model(m MODEL m.mlir VARIANTS 0)": "'0' is no value of VARIANTS",
    "fusec_add_model(m MODEL m.mlir LEVEL 4)": "'4' is no value of LEVEL: expected 0, 1, 2 or 3",
    "fusec_add_model(m MODEL m.mlir DISABLE_RULE POWERS)": "'POWERS' is no value of DISABLE_RULE",
    "fusec_add_model(m MODEL m.mlir RULES none)":
        "RULES none is neither a target, which must stand before, nor a file",
    "add_library(r STATIC m.cpp)\nfusec_add_model(m MODEL m.mlir RULES r)":
        "RULES r is a target, and no library that can be loaded: write add_library(r MODULE ...)",
    "fusec_add_model(m MODEL m.mlir KERNEL_FILES all)": "'all' is no value of KERNEL_FILES",
    "fusec_add_model(m MODEL m.mlir CACHE none)": "there is no CACHE none",
}
# What is no mistake, though it looks like one.
ACCEPTED = [
    "add_custom_target(DATA)\nfusec_add_model(m MODEL m.mlir DEPENDS DATA OPTIONS --no-fuse)",
    "set_source_files_properties(${CMAKE_CURRENT_BINARY_DIR}/made.lock PROPERTIES GENERATED ON)"
    "\nfusec_add_model(m MODEL m.mlir LOCK made.lock)",
    # A model that is yet to be made: before, behind, and somewhere else.
    "add_custom_command(OUTPUT made.mlir COMMAND ${CMAKE_COMMAND} -E touch made.mlir)\n"
    "fusec_add_model(m MODEL made.mlir)",
    "fusec_add_model(m MODEL made.mlir)\n"
    "add_custom_command(OUTPUT made.mlir COMMAND ${CMAKE_COMMAND} -E touch made.mlir)",
    "add_custom_target(maker)\nfusec_add_model(m MODEL elsewhere.mlir DEPENDS maker)",
    "add_subdirectory(user)\nadd_subdirectory(maker)",
]
# What CMake takes, and the build must answer.
BUILD_REFUSALS = {
    "fusec_add_model(m MODEL open.onnx)": "hint: add DIM n=N to fusec_add_model",
    "fusec_add_model(std MODEL m.mlir)": "std_0 is",
    "fusec_add_model(m MODEL m.mlir LOCK empty.lock OPTIONS --frozen)":
        "has no entry for 1 of 1 groups",
    "fusec_add_model(m MODEL m.mlir CHOICES nothing=direct)": "nothing",
    "fusec_add_model(m MODEL m.mlir DISABLE_RULE power)": "there is no rule or piece 'power'",
    "fusec_add_model(m MODEL m.mlir RULES m.mlir)": "invalid ELF header",
    "fusec_add_model(m MODEL m.mlir LOCK m.mlir)": "is no fusec.lock",
    "fusec_add_model(m MODEL m.mlir CACHE m.mlir)": "is no cache of fusec",
}


def refusals(work, tree):
    """Mistakes are told where they are made."""
    folder = fresh(work / "refusals")
    shutil.copy(REPOSITORY / "test/pipelines/Inputs/mlp.mlir", folder / "m.mlir")
    for name, line in {"user": "fusec_add_model(m MODEL ${CMAKE_BINARY_DIR}/maker/made.mlir)",
                       "maker": "add_custom_command(OUTPUT made.mlir COMMAND maker)"}.items():
        (folder / name).mkdir()
        (folder / name / "CMakeLists.txt").write_text(line + "\n")
    onnx.save(onnx.parser.parse_model(
        '<ir_version: 8, opset_import: ["": 17]> '
        "open (float[n, 2] x) => (float[n, 2] y) { y = Relu(x) }"), folder / "open.onnx")
    (folder / "empty.lock").write_text("fusec.lock 4\ntarget generic\n")
    project = Project(tree, folder, folder / "build")

    def configure(line, code):
        (folder / "CMakeLists.txt").write_text(
            "cmake_minimum_required(VERSION 3.20)\nproject(p LANGUAGES C CXX)\n"
            f"find_package(fusec REQUIRED)\n{line}\n")
        return " ".join(project.configure(code=code).split())

    for line, expected in REFUSALS.items():
        text = configure(line, 1)
        require(expected in text, f"{line}: no '{expected}' in\n{text}")
    # What it says about a lock that is not there makes one.
    text = configure("fusec_add_model(m MODEL m.mlir LOCK none.lock)", 1)
    words = text.split("This writes it: ")[1].split(" Call Stack")[0].split()
    run(*words, cwd=folder)
    require((folder / "none.lock").exists(), text)
    for line in ACCEPTED:
        configure(line, 0)
    for line, expected in BUILD_REFUSALS.items():
        configure(line, 0)
        name = line.split("(")[1].split()[0]
        text = project.make(f"{name}_sources", code=None)
        require(expected in text, f"{line}: no '{expected}' in\n{text}")
        require("FAILED" in text, f"{line}: built\n{text}")

    (folder / "CMakeLists.txt").write_text(
        "cmake_minimum_required(VERSION 3.20)\nproject(p LANGUAGES C)\n"
        "find_package(fusec REQUIRED)\n")
    c_only = Project(tree, folder, folder / "build-c")
    require("LANGUAGES C CXX" in c_only.configure(code=1), "a project in C alone")


def python(work, tree):
    """The emitted folder as a shared library, called from Python."""
    folder = fresh(work / "python")
    run(tree / "bin/fusec", "compile", EXAMPLES / "digits/digits.onnx", "-o", folder / "out")
    project = Project(tree, folder / "out", folder / "build")
    project.configure()
    project.make("digits_shared")
    images = EXAMPLES / "digits/images.npy"
    text = run(sys.executable, EXAMPLES / "python/digits.py",
               folder / "build/libdigits.so", folder / "out/weights.bin", images,
               folder / "logits.npy")
    require(text.startswith("read as "), text)
    session = onnxruntime.InferenceSession(EXAMPLES / "digits/digits.onnx")
    name = session.get_inputs()[0].name
    expected, = session.run(None, {name: np.load(images).reshape(320, 1, 8, 8)})
    difference = oracle.compare(np.load(folder / "logits.npy"), expected, "network")
    require(difference is None, f"not as ONNX Runtime: {difference}")


def user(work, tree):
    """A project with other flags than fusec's, in each standard of C++."""
    folder = fresh(work / "user")
    shutil.copytree(REPOSITORY / "test/install/user", folder, dirs_exist_ok=True)
    for name, text in {"fill_in": "b = IsNaN(x) y = Where(b, w, x)", "scale": "y = Mul(x, w)",
                       "negate": "y = acme.Flip(x)"}.items():
        (folder / name).mkdir()
        weights = "" if name == "negate" else "<float[4] w = {1, 2, 3, 4}>"
        onnx.save(onnx.parser.parse_model(
            '<ir_version: 8, opset_import: ["": 17, "acme": 1]> '
            f"{name} (float[1, 4] x) => (float[1, 4] y) {weights} {{ {text} }}"),
            folder / name / "model.onnx")
    flip = onnx.parser.parse_function(
        '<domain: "acme", opset_import: ["": 17]> Flip (x) => (y) { y = Neg(x) }')
    onnx.save(onnx.helper.make_model(onnx.helper.make_graph([], "functions", [], []),
                                     functions=[flip]), folder / "negate/functions.onnx")
    project = Project(tree, folder, folder / "build")
    project.configure()
    standards = (11, 14, 17, 20, 23)
    project.make(*[f"user{standard}" for standard in standards], "scale_shared")
    # What is embedded need not be there.
    (project.build / "fusec/scale/weights.bin").unlink()
    for standard in standards:
        text = run(project.build / f"user{standard}", project.build / "fusec/fill_in/weights.bin")
        require("expected 16 bytes for f32[1, 4], got 12\n-1 -4 -9 -16\n" in text, text)

    # The shared library exports the C interface.
    exported = run("nm", "-D", "--defined-only", project.build / "libscale.so")
    names = {line.split()[-1] for line in exported.splitlines()}
    header = "".join((tree / "share/fusec/runtime/include/fusec" / name).read_text()
                     for name in ("runtime.h", "runtime.hpp"))
    declared = set(re.findall(r"FUSEC_API [^;(]*?(fusec_\w+)\(", header))
    require(names == declared | {"fusec_scale_query"},
            f"exported and not declared: {sorted(names - declared)}; "
            f"declared and not exported: {sorted(declared - names)}")


def targets(work, tree):
    """A model for the CPU and for GPUs: each change rebuilds what it must."""
    folder = fresh(work / "targets")
    shutil.copy(REPOSITORY / "test/pipelines/Inputs/mlp.mlir", folder)
    shutil.copy(REPOSITORY / "test/codegen/Inputs/targets.cpp", folder / "main.cpp")
    (folder / "CMakeLists.txt").write_text(
        "cmake_minimum_required(VERSION 3.20)\nproject(p LANGUAGES C CXX)\n"
        "find_package(fusec REQUIRED)\n"
        "fusec_add_model(mlp MODEL mlp.mlir TARGET cuda-sm80 cpu cuda-sm90)\n"
        "fusec_add_model(device_only MODEL mlp.mlir TARGET cuda-sm80)\n"
        "add_executable(user main.cpp)\ntarget_link_libraries(user PRIVATE mlp)\n")
    project = Project(tree, folder, folder / "build")
    project.configure()
    project.make("user", "mlp_shared", "device_only")
    text = run(project.build / "user")
    require("runs cpu, y[0][0] = 3" in text, text)
    driver = fake_driver(work, folder)
    for architecture, target in (80, "cuda-sm80"), (120, "cuda-sm90"):
        text = run("env", f"LD_LIBRARY_PATH={driver}", project.build / "user", architecture)
        require(f"runs {target}\n" in text, text)
    project.require_idle()


def cross(work, tree):
    """Models for another processor: fusec runs here, what it emits in qemu."""
    folder = fresh(work / "cross")
    names = ["edges", "language"]
    for name in names:
        shutil.copytree(EXAMPLES / name, folder / name)
    (folder / "CMakeLists.txt").write_text(
        "cmake_minimum_required(VERSION 3.20)\nproject(all LANGUAGES C CXX)\n" +
        "".join(f"add_subdirectory({name})\n" for name in names))
    toolchain = REPOSITORY / "test/install/aarch64.cmake"
    project = Project(tree, folder, folder / "build", "Ninja",
                      ["-DFUSEC_KERNEL_ISAS=", f"-DCMAKE_TOOLCHAIN_FILE={toolchain}",
                       f"-Dfusec_DIR={tree}/share/cmake/fusec"])
    project.configure()
    project.make()
    emulator = ["qemu-aarch64", "-L", "/usr/aarch64-linux-gnu"]
    require("aarch64" in run("readelf", "-h", project.build / "edges/edges_demo").lower(),
            "not a program for aarch64")
    examples.check_edges(project.build, emulator)
    examples.check_language(project.build, emulator)
