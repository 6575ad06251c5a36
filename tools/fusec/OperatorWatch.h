// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Calls of operators of users in programs that run in this process: a crash in
// one is no bug of fusec.
#ifndef FUSEC_TOOLS_FUSEC_OPERATORWATCH_H
#define FUSEC_TOOLS_FUSEC_OPERATORWATCH_H

#include "compiler/rules/ForeignCode.h"
#include "fusec/runtime.h"
#include "tools/fusec/Cache.h"

#include <map>

namespace fusec::tool {

/// The line that runs `call` by itself. `ops` are the files that --ops named;
/// without the library's the line names it as it is called.
std::string describeTest(const EmittedCall &call,
                         llvm::ArrayRef<std::string> ops);

/// Says which operator a session runs (ForeignCode).
class OperatorWatch {
public:
  /// Of the model `desc`; `calls` are those of readEmittedModel.
  OperatorWatch(const fusec_model_desc &desc, llvm::ArrayRef<EmittedCall> calls,
                llvm::ArrayRef<std::string> ops);
  OperatorWatch(const OperatorWatch &) = delete;

  /// The hook of a session, which calls `inner`, too: null, or as long as this.
  const fusec_profile_hook *wrap(const fusec_profile_hook *inner);
  void follow(const fusec_session *of) { session = of; }

private:
  using Step = std::pair<const fusec_model_desc *, uint32_t>;

  std::map<Step, ForeignCode::Owner> owners;
  const fusec_session *session = nullptr;
  const fusec_profile_hook *inner = nullptr;
  fusec_profile_hook hook = {};
};

} // namespace fusec::tool

#endif // FUSEC_TOOLS_FUSEC_OPERATORWATCH_H
