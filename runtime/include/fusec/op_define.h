// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Part of fusec/op.h: how an operator is declared, and what the C interface
// calls of it.
#include "fusec/op.h" // first: it includes this file behind what that needs

#ifndef FUSEC_OP_DEFINE_H
#define FUSEC_OP_DEFINE_H

#include "fusec/op_grid.h"

namespace fusec {
namespace op {
inline namespace FUSEC_OP_NAMESPACE {

/// An operator as FUSEC_OP builds it.
class Op {
public:
  explicit Op(const char *name) : type(name) {}
  Op(const Op &) = delete;

  /// Of its ONNX nodes; else what the library is built for, or "custom".
  Op &domain(std::string name) {
    domainName = std::move(name);
    return *this;
  }
  /// The first version of its domain's operator set that has it so; 1.
  Op &version(unsigned number) {
    since = number;
    return *this;
  }
  Op &inputs(unsigned count) { return number(ins, count, "in"); }
  Op &inputs(std::initializer_list<Operand> all) {
    ins.assign(all.begin(), all.end());
    return *this;
  }
  Op &outputs(unsigned count) { return number(outs, count, "out"); }
  Op &outputs(std::initializer_list<Operand> all) {
    outs.assign(all.begin(), all.end());
    return *this;
  }
  /// A parameter of the type of its default.
  Op &param(std::string name, ParamVal value) {
    params.emplace_back(std::move(name), std::move(value));
    return *this;
  }
  Op &shape(ShapeFunction function) {
    shapes = std::move(function);
    return *this;
  }
  Op &dtype(DTypeFunction function) {
    types = std::move(function);
    return *this;
  }
  /// Bytes of scratch memory; the tensors have no data.
  Op &workspace(WorkspaceFunction function) {
    bytes = std::move(function);
    return *this;
  }
  Op &supports(SupportsFunction function) {
    isSupported = std::move(function);
    return *this;
  }
  /// How it is computed on a device. `function` takes a Context too, or not. Of
  /// several for "cpu" each is an algorithm with a name of its own. On "cuda"
  /// all memory is the GPU's, and it gives context.stream() its work; in a
  /// source of CUDA, FUSEC_OP of an operator of another source adds the form.
  template <typename F>
  Op &compute(const char *device, F function, Algorithm algorithm = {}) {
    forms.push_back(Form{Device(device), withContext(std::move(function)),
                         std::move(algorithm)});
    return *this;
  }
  /// The operator computes each element by itself, by `function` of `header`,
  /// a file beside this source, and becomes a part of kernels: fusec/scalars.h
  /// says how that is written. `steps` is how many additions take as long; if
  /// it is not said, it counts as one function like exp. `compute` is then not
  /// needed, and what `fusec op test` compares with where there is one.
  Op &scalar(std::string header, std::string function, unsigned steps = 0) {
    scalarFile = std::move(header);
    scalarFunction = std::move(function);
    scalarRow.steps = steps;
    return *this;
  }

  /// On GPUs all threads of each block of `grid` call `function` of `header`, a
  /// file beside this source, in a kernel of the program's: fusec/op_block.h
  /// says how that is written. Of an operator that has a `compute` for "cuda",
  /// too, that one takes the calls that the grid does not support.
  Op &block(std::string header, std::string function, Grid grid = Grid()) {
    onBlocks.set(std::move(header), std::move(function), std::move(grid));
    return *this;
  }

  /// The operator that computes the gradient of this one, "OtherOp", or
  /// "acme.OtherOp" (fusec_op_desc.gradient).
  Op &gradient(std::string other) {
    gradientName = std::move(other);
    return *this;
  }

  const std::string &name() const { return type; }
  /// The version of the interface that knows what it takes to compute it.
  uint32_t leastAbi() const {
    if (forms.empty())
      return isScalar() ? 2 : onBlocks.isThere() ? 3 : 1;
    return hasAlgorithms() ? 3 : 1;
  }
  /// What the C interface has of it; asked once. Throws where the declaration
  /// is wrong.
  const fusec_op_desc *describe();

private:
  struct Form {
    Device device;
    ComputeFunction function;
    Algorithm algorithm;
    fusec_op_form abi = {};
  };
  /// What calls of the same types and parameters share.
  struct State {
    Tensors in, out;
    Param params;
  };

  static Op &of(void *self) { return *static_cast<Op *>(self); }
  Op &number(std::vector<Operand> &operands, unsigned count,
             const char *prefix) {
    operands.clear();
    for (unsigned i = 0; i < count; ++i)
      operands.emplace_back(prefix + std::to_string(i));
    return *this;
  }
  /// Whether it only adds forms to an operator that another source declares.
  bool isFurther() const {
    return ins.empty() && outs.empty() && !forms.empty() && params.empty() &&
           !shapes && !types && !bytes && !isSupported && !isScalar() &&
           !onBlocks.isThere();
  }
  void check() const;
  static int32_t infer(void *self, const fusec_op_call *call,
                       fusec_op_type *const *results);
  static int32_t askWorkspace(void *self, const fusec_op_call *call,
                              uint64_t *result);
  static int32_t askSupports(void *self, const fusec_op_call *call,
                             uint32_t *yes);
  static int32_t askFormWorkspace(void *form, const fusec_op_call *call,
                                  uint64_t *result);
  static int32_t askFormSupports(void *form, const fusec_op_call *call,
                                 uint32_t *yes);
  static int32_t create(void *form, const fusec_op_call *call, void **state);
  static int32_t run(void *form, void *state, const fusec_op_call *call);
  static void destroy(void *, void *state) {
    delete static_cast<State *>(state);
  }

  std::string type, domainName, gradientName;
  unsigned since = 1;
  std::vector<Operand> ins, outs;
  std::vector<std::pair<std::string, ParamVal>> params;
  ShapeFunction shapes;
  DTypeFunction types;
  WorkspaceFunction bytes;
  SupportsFunction isSupported;
  std::vector<Form> forms;

  std::string scalarFile, scalarFunction;
  fusec_op_scalar scalarRow = {sizeof(fusec_op_scalar), 0, nullptr, nullptr};

  BlockFunction onBlocks;

  bool isScalar() const { return !scalarFile.empty(); }
  void checkScalar() const;
  bool hasAlgorithms() const {
    bool isPlain = true;
    for (const Form &form : forms)
      isPlain &= form.algorithm.isPlain();
    return !isPlain;
  }

  // What `describe` points into.
  Rows<fusec_op_operand> inputRows, outputRows;
  Rows<fusec_op_value> paramRows;
  std::vector<std::vector<const char *>> texts;
  std::vector<const fusec_op_form *> formRows;
  fusec_op_desc desc = {};
};

inline void Op::check() const {
  if (isFurther())
    return;
  if (outs.empty())
    throw std::invalid_argument("declares no outputs");
  if (forms.empty() && !isScalar() && !onBlocks.isThere())
    throw std::invalid_argument("has no .compute");
  if (isScalar() && onBlocks.isThere())
    throw std::invalid_argument("has both .scalar and .block; kernels for GPUs "
                                "call a function of elements, too");
  if (isScalar())
    checkScalar();
  if (ins.empty() && (!shapes || !types))
    throw std::invalid_argument(
        "has no inputs, and so needs both .shape and .dtype");
  if (!since)
    throw std::invalid_argument("has the version 0; they begin at 1");
  for (const auto *operands : {&ins, &outs})
    for (size_t i = 0; i < operands->size(); ++i)
      for (size_t j = 0; j < i; ++j)
        if ((*operands)[i].name() == (*operands)[j].name())
          throw std::invalid_argument("names two operands '" +
                                      (*operands)[i].name() + "'");
  for (size_t i = 0; i < params.size(); ++i)
    for (size_t j = 0; j < i; ++j)
      if (params[i].first == params[j].first)
        throw std::invalid_argument("declares the parameter '" +
                                    params[i].first + "' twice");
  for (size_t i = 0; i < forms.size(); ++i)
    for (size_t j = 0; j < i; ++j)
      if (forms[i].device == forms[j].device &&
          forms[i].algorithm.name() == forms[j].algorithm.name())
        throw std::invalid_argument(
            "has two algorithms '" + forms[i].algorithm.name() +
            "' for one device; name them, as in .compute(\"cpu\", f, "
            "Algorithm(\"blocked\"))");
  for (const Operand &out : outs)
    if (out.abi().alias != FUSEC_OP_APART && out.abi().alias_of >= ins.size())
      throw std::invalid_argument(
          "says that the output '" + out.name() + "' aliases input " +
          std::to_string(out.abi().alias_of) + ", which there is not");
}

inline void Op::checkScalar() const {
  if (hasAlgorithms())
    throw std::invalid_argument("computes elements by a function, beside which "
                                "there are no algorithms");
  if (ins.empty() || outs.size() != 1)
    throw std::invalid_argument("computes elements by a function, and so needs "
                                "inputs and one output");
  if (shapes || types || bytes)
    throw std::invalid_argument(
        "computes elements by a function, so that its result is of the type of "
        "its inputs: leave out .shape, .dtype and .workspace");
  for (const Operand &in : ins)
    if (in.abi().quantized)
      throw std::invalid_argument("declares the input '" + in.name() +
                                  "' quantised, which a function of elements "
                                  "does not take");
  if (outs[0].abi().alias == FUSEC_OP_MUST_ALIAS)
    throw std::invalid_argument("declares that its output must lie where an "
                                "input does, and computes elements by a "
                                "function, whose results lie nowhere");
}

inline const fusec_op_desc *Op::describe() {
  check();
  if (isScalar()) {
    scalarRow.file = scalarFile.c_str();
    scalarRow.function = scalarFunction.c_str();
    for (Operand &in : ins)
      if (!in.abi().num_dtypes)
        in.types({"float32", "float16", "bfloat16"});
  }
  for (const Operand &operand : ins)
    inputRows.rows.push_back(operand.abi());
  for (const Operand &operand : outs)
    outputRows.rows.push_back(operand.abi());
  texts.resize(params.size());
  for (size_t i = 0; i < params.size(); ++i)
    paramRows.rows.push_back(
        params[i].second.abi(params[i].first.c_str(), texts[i]));
  inputRows.close();
  outputRows.close();
  paramRows.close();
  for (Form &form : forms) {
    const Algorithm &algorithm = form.algorithm;
    form.abi = {sizeof(fusec_op_form),
                form.device.abi(),
                algorithm.label.c_str(),
                &form,
                create,
                run,
                destroy,
                algorithm.flags,
                0,
                algorithm.bytes ? askFormWorkspace : nullptr,
                algorithm.isSupported ? askFormSupports : nullptr};
    formRows.push_back(&form.abi);
  }
  desc = {sizeof(fusec_op_desc),
          since,
          type.c_str(),
          domainName.empty() ? nullptr : domainName.c_str(),
          uint32_t(ins.size()),
          uint32_t(outs.size()),
          uint32_t(params.size()),
          uint32_t(forms.size()),
          inputRows.pointers.data(),
          outputRows.pointers.data(),
          paramRows.pointers.data(),
          formRows.data(),
          this,
          infer,
          askWorkspace,
          askSupports,
          isScalar() ? &scalarRow : nullptr,
          gradientName.empty() ? nullptr : gradientName.c_str(),
          onBlocks.describe()};
  return &desc;
}

inline int32_t Op::infer(void *self, const fusec_op_call *call,
                         fusec_op_type *const *results) {
  return guard(call, [&] {
    const Op &op = of(self);
    const Tensors in = readTensors(call->inputs, call->num_inputs);
    const Param values = readParams(*call);
    std::vector<Shape> inShapes, outShapes(op.outs.size());
    std::vector<DType> inTypes, outTypes(op.outs.size());
    for (const Tensor &tensor : in) {
      inShapes.push_back(tensor.shape());
      inTypes.push_back(tensor.dtype());
    }
    if (op.shapes)
      op.shapes(inShapes, values, outShapes);
    else
      outShapes.assign(op.outs.size(), inShapes.at(0));
    if (op.types)
      op.types(inTypes, values, outTypes);
    else
      outTypes.assign(op.outs.size(), inTypes.at(0));
    if (outShapes.size() != op.outs.size() || outTypes.size() != op.outs.size())
      throw std::length_error("it changed the number of outputs");
    for (size_t i = 0; i < op.outs.size(); ++i) {
      results[i]->dtype = outTypes[i].abi();
      results[i]->rank = uint32_t(outShapes[i].rank());
      for (size_t axis = 0; axis < outShapes[i].rank(); ++axis)
        results[i]->dims[axis] = outShapes[i][axis];
    }
  });
}

inline int32_t Op::askWorkspace(void *self, const fusec_op_call *call,
                                uint64_t *result) {
  return guard(call, [&] {
    const Op &op = of(self);
    *result = op.bytes ? op.bytes(readTensors(call->inputs, call->num_inputs),
                                  readParams(*call))
                       : 0;
  });
}

inline int32_t Op::askSupports(void *self, const fusec_op_call *call,
                               uint32_t *yes) {
  return guard(call, [&] {
    const Op &op = of(self);
    *yes = !op.isSupported ||
           op.isSupported(readTensors(call->inputs, call->num_inputs),
                          readParams(*call), Device::ofCode(call->device));
  });
}

inline int32_t Op::askFormWorkspace(void *form, const fusec_op_call *call,
                                    uint64_t *result) {
  return guard(call, [&] {
    *result = static_cast<Form *>(form)->algorithm.bytes(
        readTensors(call->inputs, call->num_inputs), readParams(*call));
  });
}

inline int32_t Op::askFormSupports(void *form, const fusec_op_call *call,
                                   uint32_t *yes) {
  return guard(call, [&] {
    *yes = static_cast<Form *>(form)->algorithm.isSupported(
        readTensors(call->inputs, call->num_inputs), readParams(*call),
        Device::ofCode(call->device));
  });
}

inline int32_t Op::create(void *, const fusec_op_call *call, void **state) {
  return guard(call, [&] {
    auto made = std::make_unique<State>();
    made->in = readTensors(call->inputs, call->num_inputs);
    made->out = readTensors(call->outputs, call->num_outputs);
    made->params = readParams(*call);
    *state = made.release();
  });
}

inline int32_t Op::run(void *form, void *state, const fusec_op_call *call) {
  return guard(call, [&] {
    State &made = *static_cast<State *>(state);
    for (uint32_t i = 0; i < call->num_inputs; ++i)
      made.in[i].moveTo(call->inputs[i]->data);
    for (uint32_t i = 0; i < call->num_outputs; ++i)
      made.out[i].moveTo(call->outputs[i]->data);
    static_cast<Form *>(form)->function(made.in, made.params, made.out,
                                        Context(*call));
  });
}

} // namespace FUSEC_OP_NAMESPACE
} // namespace op
} // namespace fusec

#endif
