// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/fusec/TimingSlot.h"

#include "tools/fusec/Cache.h"

#include "llvm/Support/FileSystem.h"
#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

namespace fusec::tool {

TimingSlot::TimingSlot() {
  std::string folder = cacheFolder();
  (void)llvm::sys::fs::create_directories(folder);
  file = ::open((folder + "/tune.slot").c_str(), O_RDWR | O_CREAT | O_CLOEXEC,
                0666);
  if (file >= 0)
    (void)::flock(file, LOCK_EX);
}

TimingSlot::~TimingSlot() {
  if (file >= 0)
    ::close(file);
}

} // namespace fusec::tool
