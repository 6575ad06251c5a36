// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dialects/library/Registry.h"

#include "dialects/library/Declared.h"

#include "llvm/ADT/STLExtras.h"

using namespace mlir;

namespace fusec::library {

void Registry::add(const Routine &routine) {
  [[maybe_unused]] bool isNew = routines.emplace(routine.name, routine).second;
  assert(isNew && "names of routines differ");
}

const Routine *Registry::find(llvm::StringRef name) const {
  auto found = routines.find(name);
  return found == routines.end() ? nullptr : &found->second;
}

const Registry &getRegistry() {
  static const Registry registry = [] {
    Registry all;
    addGemm(all);
    addNonMaxSuppression(all);
    addRegions(all);
    addScatter(all);
    addTopK(all);
    return all;
  }();
  return registry;
}

const Routine *find(llvm::StringRef name) {
  return isDeclared(name) ? &getDeclaredRoutine() : getRegistry().find(name);
}

llvm::SmallVector<const Vendor *> getVendors() {
  llvm::SmallVector<const Vendor *> vendors;
  for (const auto &[name, routine] : getRegistry().getRoutines())
    if (routine.vendor && !llvm::is_contained(vendors, routine.vendor))
      vendors.push_back(routine.vendor);
  llvm::sort(vendors, [](const Vendor *a, const Vendor *b) {
    return a->name < b->name;
  });
  return vendors;
}

const Vendor *findVendor(llvm::StringRef name) {
  for (const Vendor *vendor : getVendors())
    if (vendor->name == name)
      return vendor;
  return nullptr;
}

llvm::SmallVector<const Routine *> getContractions(const Vendor &vendor) {
  llvm::SmallVector<const Routine *> found;
  for (const auto &[name, routine] : getRegistry().getRoutines())
    if (routine.vendor == &vendor && routine.contracts)
      found.push_back(&routine);
  return found;
}

} // namespace fusec::library
