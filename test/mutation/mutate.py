# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Damages models: a seed and a model give the bytes of a corrupted one.

Most changes keep to the structure (a node loses an input, a shape becomes absurd), so
that they get past the protobuf parser and meet what lies behind it; others are on bytes.
"""
import random

import onnx
from google.protobuf.message import DecodeError, EncodeError
from onnx import AttributeProto, TensorProto

EXTENTS = (0, 1, -1, 2, 3, 7, 1 << 15, 1 << 20, (1 << 31) - 1, 1 << 31, 1 << 32, 1 << 40,
           (1 << 62) + 1, (1 << 63) - 1, -(1 << 63))
FLOATS = (0.0, -0.0, 1.0, -1.0, float("nan"), float("inf"), -float("inf"), 1e-45, 3e38)
NAMES = ("", " ", "../../etc/passwd", "a/b", "int", "class", 'q"uote', "*/ int x; /*",
         "??/", "line\nbreak", "\\", "n" * 10000, "\u00e9\u6f22", "main", "%s%n", "$(id)",
         "0", "\t", "//", "NULL", "x\0y")
STRINGS = (*NAMES, "SAME_UPPER", "VALID", "NOTSET", "linear", "constant", "reverse",
           "bidirectional", "Tanh", "ij,jk->ik", "i...j->", "->", "half_pixel")
OTHER_OPS = ("Add", "MatMul", "Conv", "Reshape", "Softmax", "Concat", "Gather", "If",
             "Loop", "Scan", "LSTM", "Split", "Resize", "Pad", "Slice", "Einsum",
             "Constant", "Shape", "Cast", "Transpose", "TopK", "NoSuchOperator")
TYPES = (*range(0, 24), -1, 99, 1 << 30)


def snapshot(message):
    """A copy outside of any model. Copying a message straight into a part of itself, as a
    node into its own body, crashes protobuf."""
    copy = type(message)()
    copy.CopyFrom(message)
    return copy


class Mutator:
    """Changes one model in place, again and again."""

    def __init__(self, model, rng):
        self.model, self.rng = model, rng
        self.graphs = list(self.find_graphs(model.graph))
        self.nodes = [(graph.node, i) for graph in self.graphs
                      for i in range(len(graph.node))]

    def find_graphs(self, graph):
        yield graph
        for node in graph.node:
            for attribute in node.attribute:
                if attribute.HasField("g"):
                    yield from self.find_graphs(attribute.g)

    def pick(self, choices):
        return choices[self.rng.randrange(len(choices))]

    def pick_graph(self):
        return self.pick(self.graphs)

    def pick_node(self):
        nodes, index = self.pick(self.nodes)
        return nodes[min(index, len(nodes) - 1)]

    def pick_value(self):
        """The name of a value of the model."""
        graph = self.pick_graph()
        names = [name for node in graph.node for name in (*node.input, *node.output)]
        names += [value.name for value in (*graph.input, *graph.output, *graph.initializer)]
        return self.pick(names)

    def number(self):
        return self.pick(EXTENTS) if self.rng.random() < 0.6 else self.rng.randint(-6, 9)

    # Nodes.

    def drop_node(self):
        graph = self.pick_graph()
        del graph.node[self.rng.randrange(len(graph.node))]

    def repeat_node(self):
        self.pick_graph().node.append(snapshot(self.pick_node()))

    def change_operator(self):
        node = self.pick_node()
        node.op_type = self.pick((self.pick_node().op_type, self.pick(OTHER_OPS),
                                  self.pick(NAMES)))

    def change_domain(self):
        self.pick_node().domain = self.pick(("", "ai.onnx", "ai.onnx.ml", "com.microsoft",
                                             self.pick(NAMES)))

    def change_inputs(self):
        inputs = self.pick(("input", "output"))
        names = getattr(self.pick_node(), inputs)
        kind = self.rng.randrange(5)
        if kind == 0 or not names:
            names.extend([self.pick_value()] * self.pick((1, 1, 2, 40)))
        elif kind == 1:
            names.pop()
        elif kind == 2:
            i, j = (self.rng.randrange(len(names)) for _ in range(2))
            names[i], names[j] = names[j], names[i]
        elif kind == 3:
            names[self.rng.randrange(len(names))] = self.pick_value()
        else:
            names[self.rng.randrange(len(names))] = self.pick(NAMES)

    def rename_value(self):
        """Everywhere, so that the model keeps its meaning."""
        old, new = self.pick_value(), self.pick(NAMES)
        for graph in self.graphs:
            for node in graph.node:
                for names in (node.input, node.output):
                    for i, name in enumerate(names):
                        if name == old:
                            names[i] = new
            for value in (*graph.input, *graph.output, *graph.initializer,
                          *graph.value_info):
                if value.name == old:
                    value.name = new

    def rename_node(self):
        self.pick_node().name = self.pick(NAMES)

    # Attributes.

    def pick_attribute(self):
        attributes = [attribute for graph in self.graphs for node in graph.node
                      for attribute in node.attribute]
        return self.pick(attributes) if attributes else None

    def drop_attribute(self):
        node = self.pick_node()
        if node.attribute:
            del node.attribute[self.rng.randrange(len(node.attribute))]

    def add_attribute(self):
        attribute = self.pick_node().attribute.add()
        other = self.pick_attribute()
        if other:
            attribute.CopyFrom(snapshot(other))

    def retag_attribute(self):
        attribute = self.pick_attribute()
        if attribute:
            attribute.type = self.pick(AttributeProto.AttributeType.values())

    def change_attribute(self):
        attribute = self.pick_attribute()
        if attribute is None:
            return
        if self.rng.random() < 0.1:
            attribute.name = self.pick((self.pick_attribute().name, self.pick(NAMES)))
            return
        if attribute.type == AttributeProto.INT:
            attribute.i = self.number()
        elif attribute.type == AttributeProto.FLOAT:
            attribute.f = self.pick(FLOATS)
        elif attribute.type == AttributeProto.STRING:
            attribute.s = self.pick(STRINGS).encode()
        elif attribute.type == AttributeProto.INTS:
            self.change_list(attribute.ints, self.number)
        elif attribute.type == AttributeProto.FLOATS:
            self.change_list(attribute.floats, lambda: self.pick(FLOATS))
        elif attribute.type == AttributeProto.TENSOR:
            self.damage_tensor(attribute.t)

    def change_list(self, values, make):
        kind = self.rng.randrange(4)
        if kind == 0 or not values:
            values.extend([make()] * self.pick((1, 2, 9)))
        elif kind == 1:
            del values[self.rng.randrange(len(values)):]
        else:
            values[self.rng.randrange(len(values))] = make()

    # Types and shapes.

    def change_shape(self):
        graph = self.pick_graph()
        values = [*graph.input, *graph.output, *graph.value_info]
        if not values:
            return
        tensor = self.pick(values).type.tensor_type
        kind = self.rng.randrange(6)
        if kind == 0:
            tensor.elem_type = self.pick(TYPES)
        elif kind == 1:
            tensor.ClearField("shape")
        elif kind == 2:
            tensor.shape.dim.add().dim_value = self.number()
        elif not tensor.shape.dim:
            return
        elif kind == 3:
            self.pick(tensor.shape.dim).dim_param = self.pick(NAMES)
        elif kind == 4:
            tensor.shape.dim.pop()
        else:
            self.pick(tensor.shape.dim).dim_value = self.number()

    def change_type(self):
        graph = self.pick_graph()
        values = [*graph.input, *graph.output]
        if not values:
            return
        kind = self.pick(values).type
        self.pick((kind.Clear, kind.sequence_type.elem_type.tensor_type.SetInParent,
                   kind.optional_type.elem_type.SetInParent,
                   kind.map_type.SetInParent))()

    # Constants.

    def change_constant(self):
        tensors = [tensor for graph in self.graphs for tensor in graph.initializer]
        if tensors:
            self.damage_tensor(self.pick(tensors))

    def damage_tensor(self, tensor):
        kind = self.rng.randrange(8)
        if kind == 0:
            tensor.data_type = self.pick(TYPES)
        elif kind == 1:
            tensor.dims.append(self.number())
        elif kind == 2 and tensor.dims:
            tensor.dims[self.rng.randrange(len(tensor.dims))] = self.number()
        elif kind == 3:
            tensor.raw_data = tensor.raw_data[:self.rng.randrange(len(tensor.raw_data) + 1)]
        elif kind == 4 and tensor.dims:
            tensor.dims.pop()
        elif kind == 5:
            tensor.data_location = TensorProto.EXTERNAL
            for key in ("location", "offset", "length"):
                entry = tensor.external_data.add()
                entry.key = key
                entry.value = self.pick(NAMES) if key == "location" else str(self.number())
        elif kind == 6:
            tensor.name = self.pick((self.pick_value(), self.pick(NAMES)))
        elif tensor.data_type == TensorProto.INT64 and len(tensor.raw_data) >= 8:
            # Shapes, axes, counts: other numbers.
            at = 8 * self.rng.randrange(len(tensor.raw_data) // 8)
            value = self.number().to_bytes(8, "little", signed=True)
            tensor.raw_data = tensor.raw_data[:at] + value + tensor.raw_data[at + 8:]
        else:
            tensor.raw_data = bytes(self.rng.choices((0, 0x7f, 0x80, 0xff),
                                                     k=len(tensor.raw_data)))

    def drop_constant(self):
        graph = self.pick_graph()
        if graph.initializer:
            del graph.initializer[self.rng.randrange(len(graph.initializer))]

    # The graph and the model.

    def change_outputs(self):
        graph = self.pick_graph()
        values = self.pick((graph.input, graph.output))
        if values and self.rng.random() < 0.5:
            del values[self.rng.randrange(len(values))]
        else:
            values.add().name = self.pick((self.pick_value(), self.pick(NAMES)))

    def change_version(self):
        if self.rng.random() < 0.3:
            self.model.ir_version = self.number()
        else:
            opset = self.pick(self.model.opset_import)
            opset.version = self.pick((1, 6, 8, 10, 12, 15, 18, 21, 23, self.number()))

    def nest(self):
        """A graph in itself, deeper and deeper."""
        node = self.pick_node()
        for _ in range(self.pick((1, 3, 25))):
            inner = snapshot(node)
            del node.attribute[:]
            node.op_type = "If"
            for name in ("then_branch", "else_branch"):
                attribute = node.attribute.add()
                attribute.name, attribute.type = name, AttributeProto.GRAPH
                attribute.g.name = name
                if name == "then_branch":
                    attribute.g.node.append(inner)
                for output in inner.output:
                    attribute.g.output.add().name = output

    def change(self):
        self.pick((self.drop_node, self.repeat_node, self.change_operator,
                   self.change_domain, self.change_inputs, self.change_inputs,
                   self.rename_value, self.rename_node, self.drop_attribute,
                   self.add_attribute, self.retag_attribute, self.change_attribute,
                   self.change_attribute, self.change_attribute, self.change_shape,
                   self.change_shape, self.change_shape, self.change_type,
                   self.change_constant, self.change_constant, self.change_constant,
                   self.drop_constant, self.change_outputs, self.change_version,
                   self.nest))()


def damage_bytes(data, rng):
    """Cut, flipped, doubled, moved."""
    data, kind = bytearray(data), rng.randrange(4)
    if kind == 0:
        del data[rng.randrange(len(data)):]
    elif kind == 1:
        for _ in range(rng.randint(1, 6)):
            data[rng.randrange(len(data))] ^= 1 << rng.randrange(8)
    elif kind == 2:
        begin = rng.randrange(len(data))
        data[begin:begin] = data[begin:begin + rng.randint(1, 64)]
    else:
        for _ in range(rng.randint(1, 3)):
            data[rng.randrange(len(data))] = rng.choice((0, 1, 0x7f, 0x80, 0xff))
    return bytes(data)


def mutate(models, seed):
    """The name of the model that was damaged, and the bytes of what became of it."""
    rng = random.Random(f"mutation {seed}")
    name, original = models[rng.randrange(len(models))]
    if rng.random() < 0.25:
        return name, damage_bytes(original.SerializeToString(), rng)
    model = onnx.ModelProto()
    model.CopyFrom(original)
    mutator = Mutator(model, rng)
    for _ in range(rng.choice((1, 1, 1, 2, 3, 5))):
        try:
            mutator.change()
        except (IndexError, ValueError, TypeError, DecodeError):
            continue  # nothing there to change, no such number, or nested too deeply
    try:
        data = model.SerializeToString()
    except EncodeError:
        return name, original.SerializeToString()
    if rng.random() < 0.1:
        data = damage_bytes(data, rng)
    return name, data


def gets_past_parser(data):
    try:
        return onnx.ModelProto.FromString(data).HasField("graph")
    except Exception:  # protobuf's implementations differ in what they raise
        return False
