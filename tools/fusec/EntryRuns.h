// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The runs of an entry beside those of the reference interpreter.
#ifndef FUSEC_TOOLS_FUSEC_ENTRYRUNS_H
#define FUSEC_TOOLS_FUSEC_ENTRYRUNS_H

#include "compiler/Driver.h"
#include "tools/fusec-ref/Interpreter.h"
#include "tools/fusec/RunOptions.h"

namespace fusec::tool {

/// How an output compares.
struct Row {
  std::string entry; ///< empty where the model has one shape
  std::string name;  ///< of an output or a state
  Verdict verdict;
  std::string text; ///< how it compares, for people
};

/// What an entry is compared with, and how.
struct Reference {
  mlir::ModuleOp module; ///< as it is imported
  const CompileOptions &options;
  const ref::Options &interpreting;
  ToleranceOptions tolerance;
  io::OpClass opClass;
  /// Of floats: results are no more exact than what they come from.
  io::ElementType narrowest;
};

/// Runs the entry that `model` has taken, of these extents, as `arguments` say,
/// and compares it with the interpreter: a row for each output and state. A
/// model with states runs several times, one with caches that grow at several
/// lengths of them (GrowingRuns).
llvm::Expected<std::vector<Row>> compareEntry(const RunOptions &arguments,
                                              const Reference &reference,
                                              Executable &model,
                                              llvm::ArrayRef<int64_t> extents);

} // namespace fusec::tool

#endif // FUSEC_TOOLS_FUSEC_ENTRYRUNS_H
