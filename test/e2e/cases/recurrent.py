# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""LSTM, GRU and RNN in all their forms."""
import numpy as np

from builder import Case, Graph, cases

GATES = {"RNN": 1, "GRU": 3, "LSTM": 4}


def layer(g, kind, x, inputs, hidden, directions=1, bias=True, lengths=None, states=None,
          peepholes=False, batch=2, batch_first=False, constant=True, outputs=None, **attributes):
    """A layer on `x`; weights are inputs of the graph unless `constant`."""
    def tensor(name, shape):
        return g.weight(shape, scale=0.5) if constant else g.input(name, shape)
    gates = GATES[kind]
    operands = [x, tensor("w", (directions, gates * hidden, inputs)),
                tensor("r", (directions, gates * hidden, hidden)),
                tensor("b", (directions, 2 * gates * hidden)) if bias else None, lengths]
    state = (batch, directions, hidden) if batch_first else (directions, batch, hidden)
    for n in range(2 if kind == "LSTM" else 1):
        operands.append(g.input(f"state{n}", state) if states else None)
    if kind == "LSTM":
        operands.append(tensor("p", (directions, 3 * hidden)) if peepholes else None)
    if directions == 2:
        attributes.setdefault("direction", "bidirectional")
    if batch_first:
        attributes["layout"] = 1
    return g.op(kind, *operands, outputs=outputs or (3 if kind == "LSTM" else 2),
                hidden_size=hidden, **attributes)


@cases
def recurrent():
    for kind in GATES:
        lower = kind.lower()
        g = Graph(f"{lower}_small")
        y = layer(g, kind, g.input("x", (5, 2, 3)), 3, 4)
        yield Case(g.output(*y, dtype="f32"), "network")

        g = Graph(f"{lower}_no_bias")
        y = layer(g, kind, g.input("x", (4, 3, 7)), 7, 11, bias=False, batch=3)
        yield Case(g.output(*y, dtype="f32"), "network")

        g = Graph(f"{lower}_run_time_weights")
        y = layer(g, kind, g.input("x", (3, 2, 5)), 5, 6, constant=False)
        yield Case(g.output(*y, dtype="f32"), "network")

        g = Graph(f"{lower}_one_step")
        y = layer(g, kind, g.input("x", (1, 2, 8)), 8, 16, states=True)
        yield Case(g.output(*y, dtype="f32"), "network")

        g = Graph(f"{lower}_states_reverse")
        y = layer(g, kind, g.input("x", (6, 4, 16)), 16, 32, states=True, batch=4,
                  direction="reverse")
        yield Case(g.output(*y, dtype="f32"), "network")

        g = Graph(f"{lower}_bidirectional")
        y = layer(g, kind, g.input("x", (7, 3, 10)), 10, 20, directions=2, states=True, batch=3)
        yield Case(g.output(*y, dtype="f32"), "network")

        for directions in (1, 2):
            g = Graph(f"{lower}_lengths_{directions}")
            sizes = g.input("sizes", value=np.array([6, 1, 4], np.int32))
            y = layer(g, kind, g.input("x", (6, 3, 5)), 5, 8, directions=directions,
                      lengths=sizes, states=True, batch=3)
            yield Case(g.output(*y, dtype="f32"), "network")

        g = Graph(f"{lower}_clip")
        y = layer(g, kind, g.input("x", (5, 2, 3)), 3, 4, clip=0.3)
        yield Case(g.output(*y, dtype="f32"), "network")

        g = Graph(f"{lower}_last_only")  # two layers, then a classifier
        y = layer(g, kind, g.input("x", (5, 2, 12)), 12, 24, directions=2)[0]
        y = g.op("Reshape", g.op("Transpose", y, perm=[0, 2, 1, 3]), g.const(5, 2, 48))
        last = layer(g, kind, y, 48, 16)[1]
        y = g.op("Gemm", g.op("Squeeze", last, g.const(0)), g.weight((16, 5)))
        yield Case(g.output(g.op("Softmax", y), dtype="f32"), "network")


@cases
def activations():
    g = Graph("rnn_activations")
    y = layer(g, "RNN", g.input("x", (4, 2, 3)), 3, 4, directions=2,
              activations=["LeakyRelu", "HardSigmoid"], activation_alpha=[0.1, 0.3],
              activation_beta=[0.4])
    yield Case(g.output(*y, dtype="f32"), "network")
    for name, extra in (("Relu", {}), ("Affine", {"activation_alpha": [0.5],
                                                  "activation_beta": [0.1]}),
                        ("ScaledTanh", {"activation_alpha": [1.5], "activation_beta": [0.7]}),
                        ("ThresholdedRelu", {"activation_alpha": [0.2]}),
                        ("Elu", {"activation_alpha": [0.6]}), ("Softsign", {}),
                        ("Softplus", {})):
        g = Graph(f"rnn_{name.lower()}")
        y = layer(g, "RNN", g.input("x", (4, 2, 3)), 3, 4, activations=[name], **extra)
        yield Case(g.output(*y, dtype="f32"), "network")
    g = Graph("lstm_activations")
    y = layer(g, "LSTM", g.input("x", (4, 2, 3)), 3, 4,
              activations=["HardSigmoid", "Softsign", "Relu"])
    yield Case(g.output(*y, dtype="f32"), "network")


@cases
def lstm_forms():
    g = Graph("lstm_peepholes")
    y = layer(g, "LSTM", g.input("x", (5, 2, 3)), 3, 4, peepholes=True, states=True)
    yield Case(g.output(*y, dtype="f32"), "network")
    g = Graph("lstm_peepholes_bidirectional_clip")
    y = layer(g, "LSTM", g.input("x", (5, 2, 3)), 3, 4, directions=2, peepholes=True,
              states=True, clip=0.5)
    yield Case(g.output(*y, dtype="f32"), "network")
    g = Graph("lstm_input_forget")
    y = layer(g, "LSTM", g.input("x", (5, 2, 3)), 3, 4, input_forget=1)
    yield Case(g.output(*y, dtype="f32"), "network")
    for before in (0, 1):
        g = Graph(f"gru_linear_before_reset_{before}")
        y = layer(g, "GRU", g.input("x", (5, 3, 9)), 9, 33, directions=2, states=True, batch=3,
                  linear_before_reset=before)
        yield Case(g.output(*y, dtype="f32"), "network")
