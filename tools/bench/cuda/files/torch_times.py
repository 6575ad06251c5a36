# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What PyTorch takes for the models of timed.txt, on the GPU, by events: as a CUDA graph, so
that Python does not count.

Prints `torch MODEL eager|compile MEDIAN LEAST`, in microseconds.
"""
import torch
import torch.nn.functional as F

RUNS, WARM_UPS = 50, 50


def random(*shape):
    return torch.rand(shape, device="cuda") * 2 - 1


# As timed.py of fusec's tools/bench/cuda has them.
MODELS = {
    "timed_softmax": (lambda x: F.softmax(x, -1), [(4096, 1024)]),
    "timed_layer_norm": (lambda x, s, b: F.layer_norm(x, (1024,), s, b),
                         [(4096, 1024), (1024,), (1024,)]),
    "timed_bias_gelu_residual": (lambda x, b, r: F.gelu(x + b) + r,
                                 [(4096, 2048), (2048,), (4096, 2048)]),
    "timed_gemm_bias_relu": (lambda x, w, b: F.relu(x @ w + b),
                             [(1024, 1024), (1024, 1024), (1024,)]),
    "timed_conv_bias_relu": (lambda x, w, b: F.relu(F.conv2d(x, w, b, padding=1)),
                             [(8, 64, 56, 56), (64, 64, 3, 3), (64,)]),
    "timed_gemm_2048": (lambda x, w: x @ w, [(2048, 2048), (2048, 2048)]),
    "timed_sum_rows": (lambda x: x.sum(1), [(4096, 4096)]),
    "timed_sum_columns": (lambda x: x.sum(0), [(4096, 4096)]),
    "timed_sum_all": (lambda x: x.sum(), [(4096, 4096)]),
    "timed_transpose": (lambda x: x.t().contiguous(), [(4096, 4096)]),
}


def measure(function, arguments):
    side = torch.cuda.Stream()
    with torch.cuda.stream(side):
        for _ in range(3):  # what is compiled or chosen is, before it is captured
            function(*arguments)
    torch.cuda.synchronize()
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        function(*arguments)
    begin, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
    times = []
    for _ in range(WARM_UPS + RUNS):
        begin.record()
        graph.replay()
        end.record()
        end.synchronize()
        times.append(1e3 * begin.elapsed_time(end))
    times = sorted(times[WARM_UPS:])
    return times[len(times) // 2], times[0]


def main():
    # fusec's f32 is f32.
    torch.backends.cuda.matmul.allow_tf32 = torch.backends.cudnn.allow_tf32 = False
    for name, (function, shapes) in MODELS.items():
        arguments = [random(*shape) for shape in shapes]
        for how, run in (("eager", function), ("compile", torch.compile(function))):
            try:
                median, least = measure(run, arguments)
                print(f"torch {name} {how} {median:.2f} {least:.2f}")
            except Exception as error:  # noqa: BLE001 (torch.compile needs a C compiler, ...)
                print(f"torch {name} {how} failed: {str(error).splitlines()[0]}")


if __name__ == "__main__":
    main()
