// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What each program does about streams that are closed or full, and files that
// may not grow: a message and an exit code, where LLVM would abort and the
// system would kill.
#ifndef FUSEC_TOOLS_STANDARDSTREAMS_H
#define FUSEC_TOOLS_STANDARDSTREAMS_H

#include "llvm/Support/WithColor.h"
#include "llvm/Support/raw_ostream.h"
#include <csignal>
#include <cstdlib>
#include <fcntl.h>
#include <unistd.h>

namespace fusec::tool {

/// Call it first in `main`. Then a program that ends, also inside of exit(),
/// with text that could not be written to stdout says so; its exit code is 4.
inline void guardStreams(const char *name) {
  static const char *program;
  program = name;
  // The next file that is opened would become the stream. These cannot be
  // written to, or read.
  for (int stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO})
    if (::fcntl(stream, F_GETFD) == -1)
      (void)::open("/dev/null", stream == STDOUT_FILENO ? O_RDONLY : O_WRONLY);
  // Output that nobody reads any more is not a crash.
  std::signal(SIGPIPE, SIG_DFL);
  // A limit on the size of files (ulimit -f) becomes an error of the write, so
  // that what is half-written is removed.
  std::signal(SIGXFSZ, SIG_IGN);
  // Before the streams' destructors, which abort where there was an error; and
  // so after their constructors.
  llvm::outs();
  llvm::errs();
  std::atexit([] {
    llvm::errs().clear_error();
    llvm::outs().flush();
    std::error_code error = llvm::outs().error();
    if (!error)
      return;
    llvm::outs().clear_error();
    llvm::WithColor::error(llvm::errs(), program)
        << "the standard output cannot be written: " << error.message() << "\n";
    llvm::errs().clear_error();
    std::_Exit(4); // kExitBadInput
  });
}

} // namespace fusec::tool

#endif // FUSEC_TOOLS_STANDARDSTREAMS_H
