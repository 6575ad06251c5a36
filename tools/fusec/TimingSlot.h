// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Timings side by side are of both: who times kernels takes turns.
#ifndef FUSEC_TOOLS_FUSEC_TIMINGSLOT_H
#define FUSEC_TOOLS_FUSEC_TIMINGSLOT_H

namespace fusec::tool {

/// What times kernels holds it, on one machine one process at a time; waits
/// until nobody else does, or until it must stop.
class TimingSlot {
public:
  TimingSlot();
  TimingSlot(const TimingSlot &) = delete;
  TimingSlot &operator=(const TimingSlot &) = delete;
  ~TimingSlot();

private:
  int file;
};

} // namespace fusec::tool

#endif // FUSEC_TOOLS_FUSEC_TIMINGSLOT_H
