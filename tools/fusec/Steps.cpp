// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/fusec/Steps.h"

#include "tools/fusec/Interrupt.h"
#include "tools/fusec/Json.h"
#include "tools/fusec/Progress.h"
#include "tools/fusec/StaleKernels.h"
#include "tools/fusec/TunedChoices.h"

namespace fusec::tool {

ExitCode fail(const llvm::Twine &what, const llvm::Twine &hint) {
  return failOn("fusec", what, hint);
}

ExitCode fail(llvm::Error error, const llvm::Twine &hint) {
  return fail(llvm::toString(std::move(error)), hint);
}

ExitCode failOn(llvm::StringRef file, const llvm::Twine &reason,
                const llvm::Twine &hint) {
  clearProgress();
  if (isInterrupted())
    return kExitInterrupted;
  Problem problem;
  problem.file = file.str();
  problem.reason = reason.str();
  problem.hint = hint.str();
  say(problem);
  return kExitBadInput;
}

ExitCode readStdin(CompileOptions &options) {
  if (options.input != "-")
    return kExitFine;
  options.input = "<stdin>";
  auto bytes = llvm::MemoryBuffer::getSTDIN();
  if (!bytes)
    return failOn(options.input,
                  "cannot be read: " + bytes.getError().message());
  options.memory = io::MappedFile::hold(std::move(*bytes), options.input);
  return kExitFine;
}

ExitCode compileInto(Driver &driver, llvm::StringRef folder) {
  ExitCode code = driver.lower(reportStage);
  if (auto *choices =
          static_cast<TunedChoices *>(driver.getOptions().advisor.get());
      choices && code == kExitFine)
    warnOfStale(driver.module(), *choices);
  if (code == kExitFine)
    code = driver.emit(folder);
  clearProgress();
  say(driver.diagnostics());
  return code;
}

} // namespace fusec::tool
