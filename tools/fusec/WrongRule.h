// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which rewrite of the graph makes other results, where all kernels do what
// they are to do and the model's results are wrong.
#ifndef FUSEC_TOOLS_FUSEC_WRONGRULE_H
#define FUSEC_TOOLS_FUSEC_WRONGRULE_H

#include "compiler/CompileOptions.h"
#include "tools/fusec-ref/Interpreter.h"

#include <string>
#include <vector>

namespace fusec::tool {

/// What the interpreter finds of the graph that the stages make.
struct GraphFault {
  enum class Where {
    nowhere,  ///< the graph has the model's results
    anyLevel, ///< it has other ones at -O0, too
    rules,    ///< it has them at -O0, and with some rules not
  };
  Where where = Where::nowhere;
  /// The rules without which it has the model's results, none of which can be
  /// spared; empty if it is wrong without all that can be left out.
  std::vector<std::string> rules;
};

/// For people; `unseen` kernels were not compared.
std::string describe(const GraphFault &fault, size_t unseen);

/// Compares what the interpreter computes of the graph of `options` with
/// `expected`, the results of the model as it is written: as it is, at -O0, and
/// without more and more rules, until the results are right. Errors: those of
/// the interpreter.
llvm::Expected<GraphFault>
findWrongRule(const CompileOptions &options, llvm::ArrayRef<io::Tensor> inputs,
              llvm::ArrayRef<io::Tensor> expected,
              llvm::function_ref<io::Tolerance(io::ElementType)> tolerance,
              const ref::Options &interpreting);

} // namespace fusec::tool

#endif // FUSEC_TOOLS_FUSEC_WRONGRULE_H
