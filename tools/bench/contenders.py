# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""fusec and its peers inside of a worker, each at its best: all optimisations, weights
packed, f32, buffers made and touched before.

A kind has prepare() (imports), version(), and a constructor that takes
  {"model": the .onnx, "inputs": [names], "folder": where in_<i>.npy are, "threads": N,
   "precision": "f32", or "bf16" where products of f32 may be so}
and whatever its build in build.py left; run() runs once, results() are the outputs."""
import ctypes
import importlib.metadata
import pathlib

import numpy as np


def aligned(array):
    """A copy that starts at a multiple of 64 bytes, as allocators of tensors do."""
    room = np.empty(array.nbytes + 64, np.uint8)
    start = -room.ctypes.data % 64
    copy = room[start:start + array.nbytes].view(array.dtype).reshape(array.shape)
    copy[...] = array
    return copy


def load_inputs(task):
    folder = pathlib.Path(task["folder"])
    return [aligned(np.load(folder / f"in_{i}.npy")) for i in range(len(task["inputs"]))]


class Tensor(ctypes.Structure):
    """fusec_tensor"""
    _fields_ = [("data", ctypes.c_void_p), ("bytes", ctypes.c_uint64),
                ("dims", ctypes.POINTER(ctypes.c_int64)), ("rank", ctypes.c_uint32),
                ("dtype", ctypes.c_uint32)]


class SessionOptions(ctypes.Structure):
    """fusec_session_options, of which only the number of threads is set."""
    _fields_ = [("threads", ctypes.c_uint32), ("num_choices", ctypes.c_uint32),
                ("rest", ctypes.c_void_p * 14)]


class Fusec:
    """The shared library of an emitted folder, called as examples/python does."""

    @staticmethod
    def prepare():
        import onnx  # noqa: F401

    @staticmethod
    def version():
        return ""

    def __init__(self, task):
        self.library = library = ctypes.CDLL(task["library"])
        library.fusec_last_error.restype = ctypes.c_char_p
        query = getattr(library, f"fusec_{task['name']}_query")
        query.restype = ctypes.c_void_p
        self.model, self.session = ctypes.c_void_p(), ctypes.c_void_p()
        self.check(library.fusec_model_create(
            # Of whichever ABI it has: --fusec may name an older program.
            ctypes.c_void_p(next(filter(None, map(query, range(1, 100))), None)),
            task["weights"].encode() if task["weights"] else None,
            None, ctypes.byref(self.model)))
        options = SessionOptions(threads=task["threads"])
        self.check(library.fusec_session_create(self.model, ctypes.byref(options),
                                                ctypes.byref(self.session)))
        self.outputs = [aligned(np.zeros(shape, dtype)) for shape, dtype in task["outputs"]]
        self.inputs = load_inputs(task)
        ins, outs = self.tensors(self.inputs), self.tensors(self.outputs)
        self.arguments = (self.session, ins, len(ins), outs, len(outs))
        self.call = library.fusec_session_run

    def tensors(self, arrays):
        from onnx.helper import np_dtype_to_tensor_dtype
        self.shapes = getattr(self, "shapes", [])
        tensors = (Tensor * len(arrays))()
        for tensor, array in zip(tensors, arrays):
            dims = (ctypes.c_int64 * max(1, array.ndim))(*array.shape)
            self.shapes.append(dims)
            tensor.data, tensor.bytes = array.ctypes.data, array.nbytes
            tensor.dims, tensor.rank = dims, array.ndim
            tensor.dtype = np_dtype_to_tensor_dtype(array.dtype)
        return tensors

    def check(self, status):
        if status:
            session = self.session if self.session.value else None
            raise RuntimeError(self.library.fusec_last_error(session).decode())

    def run(self):
        if self.call(*self.arguments):
            self.check(1)

    def results(self):
        return self.outputs


class OnnxRuntime:
    """Spinning threads, inputs and outputs bound to fixed buffers."""

    @staticmethod
    def prepare():
        import onnxruntime
        onnxruntime.set_default_logger_severity(3)

    @staticmethod
    def version():
        import onnxruntime
        return onnxruntime.__version__

    def __init__(self, task):
        import onnxruntime as ort
        options = ort.SessionOptions()
        options.graph_optimization_level = ort.GraphOptimizationLevel.ORT_ENABLE_ALL
        options.intra_op_num_threads = task["threads"]
        options.inter_op_num_threads = 1
        options.add_session_config_entry("session.intra_op.allow_spinning", "1")
        self.session = ort.InferenceSession(task["model"], options,
                                            providers=["CPUExecutionProvider"])
        self.binding = self.session.io_binding()
        self.values = [ort.OrtValue.ortvalue_from_numpy(a) for a in load_inputs(task)]
        for name, value in zip(task["inputs"], self.values):
            self.binding.bind_ortvalue_input(name, value)
        self.outputs = [ort.OrtValue.ortvalue_from_numpy(aligned(np.zeros(shape, dtype)))
                        for shape, dtype in task["outputs"]]
        for output, value in zip(self.session.get_outputs(), self.outputs):
            self.binding.bind_ortvalue_output(output.name, value)

    def run(self):
        self.session.run_with_iobinding(self.binding)

    def results(self):
        return [value.numpy() for value in self.outputs]


class OpenVino:
    """One stream of all threads, for the least latency, and f32 where the CPU has AMX or
    products of bf16, unless these are measured."""

    @staticmethod
    def prepare():
        import openvino  # noqa: F401

    @staticmethod
    def version():
        import openvino
        return openvino.__version__.split("-")[0]

    def __init__(self, task):
        import openvino
        core = openvino.Core()
        compiled = core.compile_model(core.read_model(task["model"]), "CPU", {
            "INFERENCE_PRECISION_HINT": task["precision"], "PERFORMANCE_HINT": "LATENCY",
            "NUM_STREAMS": 1, "INFERENCE_NUM_THREADS": task["threads"]})
        self.request = compiled.create_infer_request()
        self.inputs = load_inputs(task)
        for i, array in enumerate(self.inputs):
            self.request.set_input_tensor(i, openvino.Tensor(array, shared_memory=True))
        self.outputs = [aligned(np.zeros(shape, dtype)) for shape, dtype in task["outputs"]]
        for i, array in enumerate(self.outputs):
            self.request.set_output_tensor(i, openvino.Tensor(array, shared_memory=True))

    def run(self):
        # infer() would make a dictionary of the results as well.
        self.request.start_async()
        self.request.wait()

    def results(self):
        return self.outputs


class Iree:
    """What build.py has compiled, on the driver of local threads."""

    @staticmethod
    def prepare():
        import iree.runtime  # noqa: F401

    @staticmethod
    def version():
        return importlib.metadata.version("iree-base-runtime")

    def __init__(self, task):
        import iree.runtime as rt
        self.rt = rt
        rt.flags.parse_flags(f"--task_topology_group_count={task['threads']}",
                             "--task_worker_spin_us=1000")
        instance = rt.VmInstance()
        self.device = rt.get_driver("local-task").create_default_device()
        module = rt.VmModule.mmap(instance, task["vmfb"])
        self.context = rt.VmContext(instance, [rt.create_hal_module(instance, self.device),
                                               module])
        name = next(n for n in module.function_names if "$" not in n and n[:2] != "__")
        self.function = module.lookup_function(name)
        self.arguments = rt.VmVariantList(len(task["inputs"]))
        for array in load_inputs(task):
            self.arguments.push_ref(self.device.allocator.allocate_buffer_copy(
                memory_type=rt.MemoryType.HOST_LOCAL | rt.MemoryType.DEVICE_VISIBLE,
                allowed_usage=rt.BufferUsage.DEFAULT, device=self.device, buffer=array,
                element_type=rt.dtypes.map_dtype_to_hal_element_type(array.dtype)))
        self.kinds = [np.dtype(dtype) for _, dtype in task["outputs"]]
        self.last = None

    def run(self):
        self.last = self.rt.VmVariantList(len(self.kinds))
        self.context.invoke(self.function, self.arguments, self.last)

    def results(self):
        for i, kind in enumerate(self.kinds):
            view = self.last.get_as_object(i, self.rt.HalBufferView)
            yield view.map().asarray(view.shape, kind)


class Torch:
    """torch.compile with weights frozen into the code, so that it may pack them."""

    @staticmethod
    def prepare():
        import torch_model  # noqa: F401

    @staticmethod
    def version():
        import torch
        return torch.__version__

    def __init__(self, task):
        import torch
        import torch._inductor.config
        from torch_model import Module
        torch.set_num_threads(task["threads"])
        torch._inductor.config.freezing = True
        self.inputs = [torch.from_numpy(array) for array in load_inputs(task)]
        with torch.inference_mode():
            self.module = torch.compile(Module(task["model"]).eval(), dynamic=False)
            self.module(*self.inputs)
        self.torch, self.last = torch, None

    def run(self):
        with self.torch.inference_mode():
            self.last = self.module(*self.inputs)

    def results(self):
        return [value.contiguous().numpy() for value in self.last]


KINDS = {"fusec": Fusec, "ort": OnnxRuntime, "openvino": OpenVino, "iree": Iree,
         "torch": Torch}
