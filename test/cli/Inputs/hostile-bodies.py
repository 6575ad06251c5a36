# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Text of operators that is none, or too much: exit code and message of `fusec compile`, which
has 5 s and leaves nothing."""
import os
import pathlib
import subprocess
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).parents[2] / "import/bodies/Inputs"))
from model import write

os.chdir(sys.argv[1])
HEAD = "op acme.X (x: f32[*b]) -> (y: f32[*b])"


def chain(count, body):
    lines = ["op acme.F0 (x: f32[*b]) -> (y: f32[*b]) { y = x }"]
    lines += [f"op acme.F{i} (x: f32[*b]) -> (y: f32[*b]) {{ y = {body(i)} }}"
              for i in range(1, count)]
    return "\n".join(lines + [f"{HEAD} {{ y = F{count - 1}(x) }}"])


TEXTS = {
    "empty": b"",
    "binary": bytes(range(128, 256)) * 100,
    "zeros": bytes(1000),
    "big": b"#" * 2000000,
    "cut": f"{HEAD} {{ y = x".encode(),
    "deep": f"{HEAD} {{ y = {'(' * 400000}x".encode(),
    "long": f"{HEAD} {{ y = {'x + ' * 100000}x }}".encode(),
    "signs": f"{HEAD} {{ y = {'-' * 400000}x }}".encode(),
    "powers": f"{HEAD} {{ y = {'x ^ ' * 100000}x }}".encode(),
    "subscripts": f"{HEAD} {{ y = {'x[' * 100000}0 }}".encode(),
    "doubled": chain(40, lambda i: f"F{i - 1}(x) + F{i - 1}(2 * x)").encode(),
    "chain": chain(9000, lambda i: f"F{i - 1}(x)").encode(),
    "huge": b"op acme.X (x: f32[*b, n]) -> (y: f32[*b]) { y = sum[n, i: 1000000, j: 1000000]"
            b"(x + f32(index(i) * index(j))) }",
    "far": b"op acme.X (x: f32[m, n]) -> (y: f32[m, n])"
           b" { y = x[m * 4611686018427387904, n * 4611686018427387904] else 0 }",
}
for name, text in TEXTS.items():
    pathlib.Path(f"{name}.fop").write_bytes(text)
os.mkfifo("fifo.fop")
os.symlink("/dev/zero", "device.fop")
os.symlink("loop.fop", "loop.fop")
write("x.onnx", "acme.X", [("f32", [2, 3])], 1)
for name in [*TEXTS, "fifo", "device", "loop", "none"]:
    begin = time.monotonic()
    run = subprocess.run(["fusec", "compile", "x.onnx", "-o", "out", "--ops", f"{name}.fop"],
                         capture_output=True, text=True, timeout=60)
    seconds = time.monotonic() - begin
    left = [path for path in os.listdir() if path.startswith("out")]
    said = run.stderr.split("\n")[0].removeprefix("x.onnx: ")
    slow = f" after {seconds:.1f} s" if seconds > float(sys.argv[2]) else ""
    print(f"{name}: {run.returncode}{slow}: {said[:150]}", *left)
# The interpreter does not begin what it cannot end.
run = subprocess.run(["fusec-ref", "x.onnx", "--ops", "huge.fop"], capture_output=True, text=True,
                     timeout=60)
print(f"interpreted: {run.returncode}: {run.stderr.strip()}")
