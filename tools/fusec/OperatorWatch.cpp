// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/fusec/OperatorWatch.h"

#include "compiler/operators/Manifest.h"
#include "runtime/src/Target.h"

namespace fusec::tool {

/// The file of a library of that name, or what it is called where --ops named
/// none.
static std::string findFile(llvm::StringRef library,
                            llvm::ArrayRef<std::string> ops) {
  for (const std::string &path : ops) {
    llvm::Expected<operators::Manifest> manifest = operators::readLibrary(path);
    if (manifest && manifest->library == library)
      return path;
    if (!manifest)
      llvm::consumeError(manifest.takeError()); // text, functions
  }
  return ("lib" + library + ".so").str();
}

std::string describeTest(const EmittedCall &call,
                         llvm::ArrayRef<std::string> ops) {
  return "fusec op test " + findFile(call.library, ops) + " " + call.test;
}

OperatorWatch::OperatorWatch(const fusec_model_desc &desc,
                             llvm::ArrayRef<EmittedCall> calls,
                             llvm::ArrayRef<std::string> ops) {
  for (const EmittedCall &call : calls) {
    const fusec_model_desc &entry = rt::getTarget(desc, call.entry);
    const Step step(&entry, entry.num_launches + call.number);
    owners[step] = {findFile(call.library, ops), "the operator " + call.name,
                    describeTest(call, ops) + " repeats it"};
  }
}

const fusec_profile_hook *
OperatorWatch::wrap(const fusec_profile_hook *within) {
  if (owners.empty())
    return within;
  inner = within;
  hook.self = this;
  hook.begin = [](void *self, uint32_t step) {
    OperatorWatch &of = *static_cast<OperatorWatch *>(self);
    if (of.inner)
      of.inner->begin(of.inner->self, step);
    auto owner = of.owners.find({fusec_session_descriptor(of.session), step});
    ForeignCode::set(owner == of.owners.end() ? nullptr : &owner->second);
  };
  hook.end = [](void *self, uint32_t step) {
    OperatorWatch &of = *static_cast<OperatorWatch *>(self);
    ForeignCode::set(nullptr);
    if (of.inner)
      of.inner->end(of.inner->self, step);
  };
  if (inner && inner->took)
    hook.took = [](void *self, uint32_t step, double milliseconds) {
      OperatorWatch &of = *static_cast<OperatorWatch *>(self);
      of.inner->took(of.inner->self, step, milliseconds);
    };
  return &hook;
}

} // namespace fusec::tool
