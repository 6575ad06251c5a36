// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/fusec/tune/Aside.h"

#include "tools/fusec/Interrupt.h"

#include "llvm/ADT/StringRef.h"
#include <cerrno>
#include <csignal>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

namespace fusec::tool {

/// In the process; it does not come back.
[[noreturn]] static void say(int output, const std::string &text) {
  for (llvm::StringRef rest = text; !rest.empty();) {
    ssize_t written = ::write(output, rest.data(), rest.size());
    if (written <= 0)
      ::_exit(1); // nobody listens
    rest = rest.drop_front(written);
  }
  ::_exit(0);
}

std::optional<std::string> doAside(llvm::function_ref<std::string()> body) {
  int ends[2];
  if (::pipe(ends))
    return std::nullopt;
  const pid_t process = ::fork();
  if (process == 0) {
    ::close(ends[0]);
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    say(ends[1], body());
  }
  ::close(ends[1]);
  std::string text;
  char buffer[4096];
  constexpr int kPause = 50; // milliseconds
  for (ssize_t count = 1; process > 0 && count != 0;) {
    pollfd wanted = {ends[0], POLLIN, 0};
    const int ready = ::poll(&wanted, 1, kPause);
    if (mustStop())
      ::kill(process, SIGKILL); // what it said is all that there is
    if (ready == 0 || (ready < 0 && errno == EINTR))
      continue;
    count = ::read(ends[0], buffer, sizeof buffer);
    if (count < 0 && errno != EINTR)
      break;
    if (count > 0)
      text.append(buffer, count);
  }
  ::close(ends[0]);
  int status = 0;
  while (process > 0 && ::waitpid(process, &status, 0) < 0 && errno == EINTR)
    ;
  if (process < 0 || !WIFEXITED(status) || WEXITSTATUS(status))
    return std::nullopt;
  return text;
}

} // namespace fusec::tool
