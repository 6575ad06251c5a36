// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/fusec/TimingSlot.h"

#include "tools/fusec/CacheFolder.h"
#include "tools/fusec/Interrupt.h"

#include <cerrno>
#include <fcntl.h>
#include <sys/file.h>
#include <thread>
#include <unistd.h>

namespace fusec::tool {

TimingSlot::TimingSlot() {
  llvm::Expected<std::string> cache = openCache();
  if (!cache) { // Who builds says why not.
    llvm::consumeError(cache.takeError());
    return;
  }
  file = ::open((*cache + "/tune.slot").c_str(),
                O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600);
  constexpr std::chrono::milliseconds kPause(10);
  while (file >= 0 && ::flock(file, LOCK_EX | LOCK_NB) &&
         (errno == EWOULDBLOCK || errno == EINTR) && !mustStop())
    std::this_thread::sleep_for(kPause);
}

TimingSlot::~TimingSlot() {
  if (file >= 0)
    ::close(file);
}

} // namespace fusec::tool
