// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/fusec/TimingSlot.h"

#include "tools/fusec/CacheFolder.h"

#include <fcntl.h>
#include <sys/file.h>
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
  if (file >= 0)
    (void)::flock(file, LOCK_EX);
}

TimingSlot::~TimingSlot() {
  if (file >= 0)
    ::close(file);
}

} // namespace fusec::tool
