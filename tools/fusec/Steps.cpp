// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/fusec/Steps.h"

#include "compiler/import/Message.h"
#include "tools/fusec/Progress.h"

#include "llvm/Support/raw_ostream.h"

namespace fusec::tool {

ExitCode fail(const llvm::Twine &what) {
  clearProgress();
  printMessage(llvm::errs(), what.str());
  return kExitBadInput;
}

ExitCode fail(llvm::Error error) {
  return fail(llvm::toString(std::move(error)));
}

ExitCode compileInto(Driver &driver, llvm::StringRef folder) {
  ExitCode code = driver.lower(reportStage);
  if (code == kExitFine)
    code = driver.emit(folder);
  clearProgress();
  driver.diagnostics().print(llvm::errs());
  return code;
}

} // namespace fusec::tool
