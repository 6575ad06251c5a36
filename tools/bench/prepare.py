# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A workload's files, in build/bench/<name>: the model, its inputs, and ONNX Runtime's
answers; made once, until what makes them changes."""
import hashlib
import json
import pathlib
import shutil

import numpy as np
import onnx

from paths import REPOSITORY
import floors
import oracle

HERE = pathlib.Path(__file__).resolve().parent
# What the generated files depend on.
SOURCES = [*(HERE / f"{name}.py" for name in ("micro", "cnn", "transformers", "quantised")),
           *sorted((REPOSITORY / "test" / "models" / "zoo").glob("*.py")),
           REPOSITORY / "test" / "e2e" / "builder.py", REPOSITORY / "test" / "e2e" / "oracle.py",
           *sorted((REPOSITORY / "test" / "e2e" / "cases").glob("*.py"))]


def digest_of(*parts):
    digest = hashlib.sha256()
    for part in parts:
        digest.update(part.read_bytes() if isinstance(part, pathlib.Path) else str(part).encode())
    return digest.hexdigest()


def far_apart(found, expected):
    """What is wrong with the output of an 8-bit network, or None. Where floats are rounded to
    codes, those that lie on either side of a tie become codes that are one apart, in each
    layer, so that single elements of two right results may differ by any amount; as vectors
    they stay near each other. Of ResNet-50 and BERT-base, OpenVINO's lie 0.012 and 0.025 of
    the norm from ONNX Runtime's."""
    found, expected = (np.asarray(array, np.float64) for array in (found, expected))
    apart = np.linalg.norm(found - expected) / max(np.linalg.norm(expected), 1e-30)
    return None if apart <= 0.05 else f"is {apart:.3f} of its norm away from ONNX Runtime's"


class Prepared:
    """facts: "inputs", "outputs" are their names; "work" is that of the floor."""

    def __init__(self, workload, root):
        self.workload, self.folder = workload, root / workload.name
        self.model = self.folder / "model.onnx"
        made_by = digest_of(*SOURCES, workload.dims)
        stamp = self.folder / "generated.json"
        self.facts = json.loads(stamp.read_text()) if stamp.exists() else {}
        counted_by = digest_of(HERE / "floors.py")
        if self.facts.get("made_by") != made_by:
            self.facts = dict(self.generate(), made_by=made_by)
        if self.facts.get("counted_by") != counted_by:
            work = floors.count_work(onnx.load(self.model))
            self.facts |= {"work": vars(work), "counted_by": counted_by}
            stamp.write_text(json.dumps(self.facts))

    def generate(self):
        if self.folder.exists():
            shutil.rmtree(self.folder)
        self.folder.mkdir(parents=True)
        graph = self.workload.build()
        answers = oracle.run_onnxruntime(graph.build(), graph.inputs)
        model = graph.build({n: a.shape for n, a in zip(graph.outputs, answers)})
        if self.workload.convert:
            model = self.workload.convert(model, graph.inputs)
            answers = oracle.run_onnxruntime(model, graph.inputs)
        self.model.write_bytes(model.SerializeToString())
        scales = oracle.magnitudes(graph) if self.workload.tolerance == "contraction" else []
        for kind, arrays in (("in", graph.inputs.values()), ("expected", answers),
                             ("scale", scales)):
            for i, array in enumerate(arrays):
                np.save(self.folder / f"{kind}_{i}.npy", array)
        return {"inputs": list(graph.inputs), "outputs": list(graph.outputs)}

    @property
    def work(self):
        return floors.Work(**self.facts["work"])

    def difference(self, folder):
        """What is wrong with the results out_<i>.npy in `folder`, or None."""
        for i, name in enumerate(self.facts["outputs"]):
            expected = np.load(self.folder / f"expected_{i}.npy")
            if self.workload.kind in ("int8", "int4", "bf16"):
                wrong = far_apart(np.load(folder / f"out_{i}.npy"), expected)
                if wrong:
                    return f"output {name}: {wrong}"
                continue
            scale = self.folder / f"scale_{i}.npy"
            wrong = oracle.compare(np.load(folder / f"out_{i}.npy"), expected,
                                   self.workload.tolerance,
                                   np.load(scale) if scale.exists() else None)
            if wrong:
                return f"output {name}: {wrong}"
        return None
