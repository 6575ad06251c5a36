// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The registry of the library: its routines by name, each of which is an entry
// that its own file adds.
#ifndef FUSEC_DIALECTS_LIBRARY_REGISTRY_H
#define FUSEC_DIALECTS_LIBRARY_REGISTRY_H

#include "dialects/library/Library.h"

#include <map>

namespace fusec::library {

class Registry {
public:
  /// Adds a routine under its name, which no other one has.
  void add(const Routine &routine);

  /// The routine of this name, or null. It stays where it is.
  const Routine *find(llvm::StringRef name) const;
  /// All of them, by name.
  const std::map<llvm::StringRef, Routine> &getRoutines() const {
    return routines;
  }

private:
  std::map<llvm::StringRef, Routine> routines;
};

/// The routines that fusec has.
const Registry &getRegistry();

// One for each file of routines.
void addGemm(Registry &registry);
void addNonMaxSuppression(Registry &registry);
void addRegions(Registry &registry);
void addScatter(Registry &registry);
void addTopK(Registry &registry);

} // namespace fusec::library

#endif // FUSEC_DIALECTS_LIBRARY_REGISTRY_H
