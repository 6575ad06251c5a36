// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A library of operators that is loaded into this process, and calls of it.
// Only the child process does that (`fusec op host`).
#ifndef FUSEC_TOOLS_FUSEC_OP_LIBRARY_H
#define FUSEC_TOOLS_FUSEC_OP_LIBRARY_H

#include "compiler/operators/Host.h"
#include "fusec/op_abi.h"

namespace fusec::tool::op {

class LoadedLibrary {
public:
  /// Loads `path`. Throws std::runtime_error.
  LoadedLibrary(const std::string &path, size_t units);

  /// All that it declares. Throws std::runtime_error if that is not legal.
  operators::Manifest describe() const;
  /// Null if the unit has no such operator.
  const fusec_op_desc *find(unsigned unit, llvm::StringRef domain,
                            llvm::StringRef type, int64_t version) const;
  /// The form that `fusec op build` has made of the function of elements of
  /// `op`, which is of that unit; null if there is none.
  const fusec_op_form *findScalarForm(unsigned unit,
                                      const fusec_op_desc &op) const;

private:
  void *handle;
  /// By unit; null where a unit has no operators.
  std::vector<const fusec_op_unit *> units;
};

/// A call in the C interface, over types, parameters and the quantisation of
/// inputs, which outlive it.
class AbiCall {
public:
  AbiCall(const std::vector<operators::TensorType> &inputs,
          const std::vector<operators::TensorType> &outputs,
          const std::vector<operators::Parameter> &parameters,
          const std::vector<operators::Quantization> &quantized);
  AbiCall(const AbiCall &) = delete;

  /// Of inputs, and behind them of outputs.
  std::vector<fusec_op_tensor> tensors;
  fusec_op_call call = {};
  /// Why a function failed.
  std::string failure;

private:
  std::vector<const fusec_op_tensor *> tensorPointers;
  std::vector<fusec_op_value> values;
  std::vector<const fusec_op_value *> valuePointers;
  std::vector<std::vector<int64_t>> ints;
  std::vector<std::vector<double>> floats;
  std::vector<std::vector<const char *>> texts;
  std::vector<std::vector<float>> scales; ///< of inputs
};

/// The form of an operator for CPUs, or null.
const fusec_op_form *findCpuForm(const fusec_op_desc &op);

/// Fills `memory` with numbers around 0, all of which each type has.
void fillWithNumbers(llvm::MutableArrayRef<char> memory, const TypeInfo &type,
                     uint64_t seed);

/// Where `scalar`, the form that is made of an operator's function of elements,
/// gives another result than `form`, beyond rounding; "" where it does not.
std::string findDifference(const fusec_op_desc &op, const fusec_op_form &form,
                           const fusec_op_form &scalar,
                           const std::vector<operators::TensorType> &inputs,
                           const operators::Answer &answer,
                           const std::vector<operators::Parameter> &parameters,
                           uint64_t seed);

/// What is wrong with how a form of `op` computes a call: run again and on
/// several threads, with memory around its results that nobody may touch.
std::vector<std::string>
findFaults(const fusec_op_desc &op, const fusec_op_form &form,
           const std::vector<operators::TensorType> &inputs,
           const operators::Answer &answer,
           const std::vector<operators::Parameter> &parameters,
           const std::vector<operators::Quantization> &quantized,
           uint64_t seed);

} // namespace fusec::tool::op

#endif // FUSEC_TOOLS_FUSEC_OP_LIBRARY_H
