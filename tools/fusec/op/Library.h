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
  /// The forms for CPUs of `op`, which is of that unit, each an algorithm: one
  /// at most where the unit knows of no algorithms.
  std::vector<const fusec_op_form *>
  listCpuForms(unsigned unit, const fusec_op_desc &op) const;
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

/// Whether a form gives the same bits in each run.
bool isReproducible(const fusec_op_form &form);

/// A form, and the scratch memory of a call of it.
struct TestedForm {
  const fusec_op_form *form = nullptr;
  int64_t workspaceBytes = 0;
};

/// Fills `memory` with numbers around 0, all of which each type has.
void fillWithNumbers(llvm::MutableArrayRef<char> memory, const TypeInfo &type,
                     uint64_t seed);

/// Where `given`, the bytes of a tensor, is another one than `expected`, which
/// `whose` gives, beyond rounding; "" where it is not.
std::string findDifference(const TypeInfo &type, llvm::StringRef given,
                           llvm::StringRef expected, llvm::StringRef whose);

/// What is wrong with how `tested`, a form of `op`, computes a call: run again
/// and on several threads, with memory around its results that nobody may
/// touch. Where there is `expected`, its results are right, and messages call
/// it `whose`.
std::vector<std::string>
findFaults(const fusec_op_desc &op, const TestedForm &tested,
           const TestedForm &expected, llvm::StringRef whose,
           const std::vector<operators::TensorType> &inputs,
           const std::vector<operators::TensorType> &outputs,
           const std::vector<operators::Parameter> &parameters,
           const std::vector<operators::Quantization> &quantized,
           uint64_t seed);

} // namespace fusec::tool::op

#endif // FUSEC_TOOLS_FUSEC_OP_LIBRARY_H
