// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The C++ compiler of this machine.
#ifndef FUSEC_TOOLS_FUSEC_HOSTCOMPILER_H
#define FUSEC_TOOLS_FUSEC_HOSTCOMPILER_H

#include "llvm/Support/Error.h"
#include <string>
#include <vector>

namespace fusec::tool {

struct HostCompiler {
  /// The program and the arguments that come before all others.
  std::vector<std::string> command;
  /// What tells it from every other compiler, whatever it is called.
  std::string identity;
  /// The first line of what it says about itself; empty where it says nothing.
  std::string version;
  /// Whether it is GCC.
  bool isGnu = false;

  /// As a user would write it.
  std::string name() const;
};

/// What $CXX says, which may be several words (ccache g++), or the first of the
/// usual names that is there.
llvm::Expected<HostCompiler> findCompiler();

} // namespace fusec::tool

#endif // FUSEC_TOOLS_FUSEC_HOSTCOMPILER_H
