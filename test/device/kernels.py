# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Models compiled for GPUs, the kernels that they launch, and the simulator that runs
them (Simulate.cpp)."""
import argparse
import json
import math
import os
import pathlib
import re
import subprocess
import sys

import onnx

REPOSITORY = pathlib.Path(__file__).resolve().parents[2]
sys.path.append(str(REPOSITORY / "test/e2e"))

import batch  # noqa: E402
import builder  # noqa: E402
import cases  # noqa: E402, F401  (registers the models)
import oracle  # noqa: E402

INCLUDE = REPOSITORY / "runtime/include"
TARGET = "cuda-sm80"
# Elements of views whose names do not say their bits.
BYTES = {"float": 4, "double": 8, "bool": 1, "i4x2": 1, "u4x2": 1}
VIEW = re.compile(r"View(?:32)?<(?:const )?(\w+)((?:, \d+)*)> \w+\{\s*(\w+)\}")
SYMBOL = re.compile(r'extern "C" __global__ void __launch_bounds__\(\d+\) (\w+)\(')


class Kernel:
    """The default variant of a group: its text, without the comment before it."""

    def __init__(self, model, group, text, headers):
        self.model, self.headers = model, headers
        self.grid, self.block = group["grid"], group["block"]
        self.requested_bytes = group["requested_bytes"]
        begin = SYMBOL.search(text)
        self.symbol, self.text = begin[1], text[begin.start():].rstrip() + "\n"
        # Of a routine of the library there is none: its call is all.
        self.key = group.get("key", self.renamed("of_library"))

    def count_bytes(self):
        """Of each argument, 0 where the text does not say."""
        bytes_of = {}
        for element, extents, name in VIEW.findall(self.text):
            size = BYTES.get(element) or int(re.match(r"[a-z]+(\d+)", element)[1]) // 8
            bytes_of[name] = size * math.prod(map(int, re.findall(r"\d+", extents)))
        begin = self.text.index(f" {self.symbol}(") + len(self.symbol) + 1
        arguments = self.text[begin:self.text.index(")", begin)].split(",")
        return [bytes_of.get(re.search(r"(\w*)$", argument)[1], 0) for argument in arguments]

    def renamed(self, symbol, text=None):
        return (text or self.text).replace(f" {self.symbol}(", f" {symbol}(", 1)


def make_parser(doc):
    """The options that all programs of this folder have."""
    parser = argparse.ArgumentParser(description=doc,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", type=lambda text: pathlib.Path(text).resolve(),
                        default=REPOSITORY / "build")
    parser.add_argument("--only", default=".", help="a regular expression of names")
    parser.add_argument("--json", type=pathlib.Path, help="where to write the results")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    return parser


def write_results(path, reasons):
    """`reasons` says why each test failed, and nothing of those that did not."""
    if path:
        path.write_text(json.dumps([
            {"name": name, "reason": reason, "outcome": "failed" if reason else "passed"}
            for name, reason in reasons.items()]))


def tell_results(path, suffix, reasons):
    """The same, on the terminal too; the exit code."""
    for name, reason in reasons.items():
        if reason:
            print(f"FAILED {name}: {reason}")
    print(f"{sum(not reason for reason in reasons.values())} of {len(reasons)} are right")
    write_results(path, {name + suffix: reason for name, reason in reasons.items()})
    return 1 if any(reasons.values()) else 0


def select_cases(every, sample, only):
    """All cases that are no refusals, or those of a sample, whose names match."""
    chosen = [case for case in builder.all_cases() if not case.refusal] if every \
        else named_cases(sample)
    return [case for case in chosen if re.search(only, case.name)]


def named_cases(names):
    by_name = {case.name: case for case in builder.all_cases()}
    return [by_name[name] for name in names]


def find_shapes(case):
    """Those of the outputs, where one has as many rows as the data say: a model has to
    declare them. Otherwise nothing."""
    inferred = onnx.shape_inference.infer_shapes(case.graph.build())
    shapes = [output.type.tensor_type.shape for output in inferred.graph.output
              if output.type.tensor_type.HasField("shape")]
    if all(dim.HasField("dim_value") for shape in shapes for dim in shape.dim):
        return None
    expected, _ = oracle.expected_outputs(case)
    return {name: array.shape for name, array in zip(case.graph.outputs, expected)}


def write_model(case, folder):
    """The file of a model; beside it, in_0.bin and so on, are its inputs."""
    folder.mkdir(parents=True)
    model = folder / f"{case.name}.onnx"
    model.write_bytes(case.graph.build(find_shapes(case)).SerializeToString())
    for i, array in enumerate(case.graph.inputs.values()):
        (folder / f"in_{i}.bin").write_bytes(array.tobytes())
    return model


def compile_model(programs, model, folder, options=(), target=TARGET):
    """The folder of its sources."""
    batch.run_program([programs / "fusec", "compile", model, f"--target={target}", *options,
                       "--runtime=installed", "-o", folder], batch.COMPILE_SECONDS)
    return folder


def read_kernels(folder):
    """Of each group in a folder of sources, the kernel of its default variant."""
    described = json.loads((folder / "model.json").read_text())
    kernels = []
    for group in described["groups"]:
        variant = group["variants"][0]
        begin, end = variant["lines"]
        lines = (folder / variant["file"]).read_text().splitlines(keepends=True)
        headers = [line for line in lines if line.startswith("#include")]
        kernels.append(Kernel(described["name"], group, "".join(lines[begin - 1:end]), headers))
    return kernels


def write_source(path, texts):
    """A CUDA file of kernels, (kernel, text) each."""
    path.parent.mkdir(parents=True, exist_ok=True)
    headers = {header: None for kernel, _ in texts for header in kernel.headers}
    path.write_text("".join(headers) + "".join(
        f"namespace fusec::{kernel.model} {{\n{text}}}\n" for kernel, text in texts))
    return path


class Simulator:
    """A model in the simulator: built once, run as often as is asked."""

    def __init__(self, programs, folder, **first):
        """`folder` is that of the model's file, in which src are its sources; `first` are
        further members of the first request."""
        inputs = sorted(folder.glob("in_*.bin"), key=lambda path: int(path.stem[3:]))
        folder = folder / "src"
        self.name = json.loads((folder / "model.json").read_text())["name"]
        library = folder / "model.so"
        batch.run_program(["g++", "-std=c++17", "-O0", "-shared", "-fPIC", f"-I{folder}",
                           f"-I{INCLUDE}", folder / f"{self.name}.cpp", "-o", library],
                          batch.COMPILE_SECONDS)
        weights = folder / "weights.bin"
        self.process = subprocess.Popen([programs / "device-simulate"], text=True,
                                        stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self.plain = self.ask(library=str(library), query=f"fusec_{self.name}_query",
                              weights=str(weights) if weights.exists() else "",
                              inputs=list(map(str, inputs)), **first,
                              **made_of(folder / f"{self.name}_kernels.cu"))

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.stdin.close()
        self.process.wait()

    def ask(self, **request):
        self.process.stdin.write(json.dumps(request) + "\n")
        self.process.stdin.flush()
        answer = self.process.stdout.readline()
        if not answer:
            raise batch.Failure(f"the simulator ended at {request}")
        answer = json.loads(answer)
        if "failure" in answer:
            raise batch.Failure(f"{answer['failure']}, at {request}")
        return answer


def made_of(source, *before):
    """A CUDA file as a request names it; headers are looked for in `before` first."""
    return {"source": str(source), "includes": [*map(str, before), str(INCLUDE)]}


def verdict(answer):
    """What was reported, None if nothing was."""
    if answer["findings"]:
        return answer["findings"][0]["kind"]
    if "error" in answer:
        return "error"
    return "wrong" if "wrong" in answer else None
