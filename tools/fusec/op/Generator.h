// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// fusec op gen: libraries for other programs, of operators whose bodies are
// text.
#ifndef FUSEC_TOOLS_FUSEC_OP_GENERATOR_H
#define FUSEC_TOOLS_FUSEC_OP_GENERATOR_H

#include "compiler/Diagnostics.h"
#include "tools/fusec/op/Faces.h"

namespace fusec::tool::op {

struct GenOptions {
  std::vector<std::string> files; ///< of text
  std::string output;
  std::vector<std::string> ops; ///< none: all of the files
  std::vector<GivenShapes> shapes;
  std::vector<std::string> types, parameters;
  FaceSet faces;
};

/// Compiles models of the operators and what calls them into a library, and
/// writes it, and what faces have beside it, once all is there. Prints what
/// went wrong. Throws UsageError.
ExitCode generateLibrary(const GenOptions &options);

/// The file of Python that is written for PyTorch beside a library.
std::string nameTorchFace(llvm::StringRef library);

} // namespace fusec::tool::op

#endif // FUSEC_TOOLS_FUSEC_OP_GENERATOR_H
