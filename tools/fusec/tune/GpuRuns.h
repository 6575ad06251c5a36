// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What candidates that run on a GPU need of it: memory, times by events, and
// how fast it is meanwhile. The GPU is a table of functions: tests have others.
#ifndef FUSEC_TOOLS_FUSEC_TUNE_GPURUNS_H
#define FUSEC_TOOLS_FUSEC_TUNE_GPURUNS_H

#include "compiler/io/Tensor.h"
#include "fusec/device.h"
#include "fusec/runtime.h"

#include "tools/fusec/DeviceImage.h"

#include <vector>

namespace fusec::tool {

class GpuRuns {
public:
  /// `gpu` outlives this.
  explicit GpuRuns(const fusec_device &gpu);
  GpuRuns(const GpuRuns &) = delete;
  GpuRuns &operator=(const GpuRuns &) = delete;
  ~GpuRuns();

  /// Takes the kernels of sessions from a file that `tools` has compiled.
  llvm::Error load(const DeviceTools &tools, const std::string &name) {
    return image.load(tools, name);
  }
  /// What sessions take to run on the GPU, and to tell how long that takes.
  void addTo(fusec_session_options &options) const;

  /// Memory of the GPU in place of that of `tensors`, with what is there.
  llvm::Error place(std::vector<fusec_tensor> &tensors);
  /// Between arrays of the host and tensors that are placed.
  llvm::Error upload(const io::Tensor &from, const fusec_tensor &to);
  llvm::Error download(const fusec_tensor &from, io::Tensor &to);

  /// What the launches since the last call took, in picoseconds.
  uint64_t takeTime();

  /// Looks at the clocks. Until then nothing is known of them.
  void watchClocks();
  /// Whether that of the processors was so different since the last call that
  /// times say little.
  bool haveClocksMoved();
  /// "1395-1410/1593": MHz of the processors, and of the memory, as they were
  /// seen; empty where nobody tells.
  std::string describeClocks() const;

private:
  /// The least and the most that was seen, in MHz.
  struct Range {
    uint32_t least = UINT32_MAX, most = 0;
    void add(uint32_t mhz);
    std::string print() const;
  };
  llvm::Error check(fusec_status status, const char *what);

  const fusec_device &gpu;
  DeviceImage image;
  fusec_profile_hook hook;
  std::vector<void *> memory;
  double milliseconds = 0;
  Range processors, memories;
  Range recent; ///< of the processors, since somebody asked
};

} // namespace fusec::tool

#endif // FUSEC_TOOLS_FUSEC_TUNE_GPURUNS_H
