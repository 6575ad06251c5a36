// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Inputs and expected outputs from files, and how results compare with them.
#ifndef FUSEC_TOOLS_FUSEC_TESTDATA_H
#define FUSEC_TOOLS_FUSEC_TESTDATA_H

#include "compiler/io/Compare.h"
#include "tools/fusec-ref/ModelIo.h"
#include <optional>

namespace fusec::tool {

/// --rtol and --atol; without them, the table of tolerances.
struct ToleranceOptions {
  std::optional<double> relative, absolute;
  io::Tolerance get(io::ElementType type, io::OpClass opClass) const;
};

/// The class of results where an algorithm may be taken beside what has
/// `opClass`: another one where it is one of --allow.
io::OpClass lowerClass(io::OpClass opClass, llvm::StringRef algorithm);

/// The files input_0.pb, output_0.pb, ... of ONNX's test data sets, as
/// NAME=FILE arguments in the order of the ports. Errors: no such folder, no
/// files, more files than ports.
llvm::Error addTestData(llvm::StringRef folder,
                        llvm::ArrayRef<ref::Port> inputs,
                        llvm::ArrayRef<ref::Port> outputs,
                        std::vector<std::string> &inputArguments,
                        std::vector<std::string> &checkArguments);

/// The worst of several comparisons.
struct Verdict {
  bool passed = true;
  double maxAbsError = 0;
  uint64_t maxUlp = 0;
  void add(const io::Comparison &comparison);
  void add(const Verdict &other);
};

} // namespace fusec::tool

#endif // FUSEC_TOOLS_FUSEC_TESTDATA_H
