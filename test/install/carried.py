# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What ONNX Runtime makes of models run after run, where inputs called X_in, past_X or h0 are
the outputs X_out, present_X or hn of the run before."""
import numpy as np
import onnxruntime


class Carried:
    def __init__(self, path):
        self.session = onnxruntime.InferenceSession(str(path))
        self.names = [output.name for output in self.session.get_outputs()]
        self.states = {}
        for tensor in self.session.get_inputs():
            if self.successor(tensor.name) in self.names:
                kind = np.int64 if "int64" in tensor.type else np.float32
                self.states[tensor.name] = np.zeros(tensor.shape, kind)

    @staticmethod
    def successor(name):
        return "hn" if name == "h0" else name.replace("_in", "_out").replace("past", "present")

    def run(self, **inputs):
        results = dict(zip(self.names, self.session.run(None, {**self.states, **inputs})))
        self.states = {name: results[self.successor(name)] for name in self.states}
        return results


def continue_text(path, prompt, count):
    """The text that the decoder of examples/decoder writes behind a prompt."""
    model = Carried(path)
    tokens = [ord(c) - ord(" ") for c in prompt]
    written = ""
    for _ in range(count):
        tokens = model.run(tokens=np.array(tokens))["next"].tolist()
        written += chr(ord(" ") + tokens[0])
    return written


def levels(path, samples):
    """What the GRU of examples/stream makes of a stream, sample by sample."""
    model = Carried(path)
    return [float(model.run(sample=np.full((1, 1, 1), sample, np.float32))["level"][0, 0])
            for sample in samples]
