# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A case of the end-to-end tests as files, and what its kernels should compute."""
import shutil

import batch
import builder
import oracle


class Test:
    """A case on disk, and what it should compute."""

    def __init__(self, case, folder):
        self.case, self.name, self.folder = case, case.name, folder
        self.inputs, self.outputs = case.graph.inputs, list(case.graph.outputs)
        if folder.exists():
            shutil.rmtree(folder)
        folder.mkdir(parents=True)
        shapes = None
        if not case.refusal:
            self.expected, self.scales = oracle.expected_outputs(case)
            shapes = {n: array.shape for n, array in zip(self.outputs, self.expected)}
        model = case.graph.build(shapes)
        self.model = folder / f"{case.name}.onnx"
        self.model.write_bytes(model.SerializeToString())
        for i, array in enumerate(self.inputs.values()):
            (folder / f"in_{i}.bin").write_bytes(array.tobytes())
        self.dtypes = [builder.DTYPES_BY_CODE[o.type.tensor_type.elem_type]
                       for o in model.graph.output]

    def check(self, configuration, compiler=None, tolerance=None):
        """Raises batch.Failure for the first output that is not as expected, by the tolerance
        of the case, or another class of operators."""
        where = configuration if compiler is None else f"{configuration}, {compiler}"
        for i, name in enumerate(self.outputs):
            raw = (self.folder / f"{configuration}_{i}.bin").read_bytes()
            actual = batch.decode(raw, self.dtypes[i], self.expected[i].shape)
            difference = oracle.compare(actual, self.expected[i],
                                        tolerance or self.case.tolerance, self.scales[i])
            if difference:
                raise batch.Failure(f"{where}: output {name}: {difference}")
            if self.case.reproducible and configuration in batch.SAME_BITS and \
                    raw != (self.folder / f"default_{i}.bin").read_bytes():
                raise batch.Failure(f"output {name}: other bits in {where}")
