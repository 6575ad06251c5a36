// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// fusec op add and rm: folders of libraries and files of functions, which --ops
// names as a whole. Nothing else is in such a folder, and nothing says more of
// it than the files themselves.
#ifndef FUSEC_TOOLS_FUSEC_OP_REGISTRY_H
#define FUSEC_TOOLS_FUSEC_OP_REGISTRY_H

#include "compiler/Driver.h"

namespace fusec::tool::op {

/// What of a registry is changed.
struct RegistryChange {
  std::string folder;
  std::string name; ///< to add, a file; to remove, what is in the folder
  bool replaces = false;
};

/// Copies a library or a file of functions into the folder, which is made if
/// need be. One of the same name is replaced where each of its operators has a
/// higher version now, or `replaces` says so. kExitBadInput with the reason,
/// and nothing is changed, where it does not fit in.
ExitCode addToRegistry(const RegistryChange &change);

/// Removes one, called as its file or as its library; kExitBadInput with what
/// there is where there is none.
ExitCode removeFromRegistry(const RegistryChange &change);

} // namespace fusec::tool::op

#endif // FUSEC_TOOLS_FUSEC_OP_REGISTRY_H
