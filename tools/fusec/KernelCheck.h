// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// verify --bisect: what each kernel leaves in memory, against the interpreter
// and against the record of another build; and the rules that are at fault
// where no kernel is.
#ifndef FUSEC_TOOLS_FUSEC_KERNELCHECK_H
#define FUSEC_TOOLS_FUSEC_KERNELCHECK_H

#include "tools/fusec/ResultRecord.h"
#include "tools/fusec/WrongRule.h"

#include "llvm/Support/JSON.h"

namespace fusec::tool {

/// What is checked, and on what.
struct KernelCheckInputs {
  mlir::ModuleOp reference; ///< the model as it is imported
  const ref::Options &interpreting;
  Executable &model;
  llvm::ArrayRef<io::Tensor> inputs;
  llvm::function_ref<io::Tolerance(io::ElementType)> tolerance;
  /// The same without what the user replaced, by which values are the same.
  llvm::function_ref<io::Tolerance(io::ElementType)> alike;
  bool outputsPassed; ///< whether the outputs are right
};

class KernelCheck {
public:
  /// The record is written into the folder `record`, unless it is empty, and
  /// results are compared with those in `against`. Throws InputError where
  /// `against` is no record, or `record` a folder that is there.
  KernelCheck(const CompileOptions &options, std::string record,
              const std::string &against);

  /// Lowers the model to what is compared with each other. The stages rewrite
  /// modules, so each has a driver of its own.
  ExitCode lower();
  /// What the session reports to that runs the kernels.
  LaunchWatch &getWatch() { return watch; }

  /// Compares. `build` says to people which build it is, in a record that is
  /// written. Throws InputError as records do.
  llvm::Error run(const KernelCheckInputs &check, std::string build);
  bool passed() const;

  /// For people: what was found, on lines of its own.
  void print(llvm::raw_ostream &os) const;
  /// The members of the object of verify --json.
  void addMembers(llvm::json::OStream &json) const;

private:
  CompileOptions options;
  Driver fused, planned;
  LaunchWatch watch;
  std::string record;
  std::optional<RecordReader> against;
  Bisection bisection;
  std::optional<GraphFault> fault;
};

} // namespace fusec::tool

#endif // FUSEC_TOOLS_FUSEC_KERNELCHECK_H
