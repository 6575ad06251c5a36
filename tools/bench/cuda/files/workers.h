// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Tasks in child processes: one that crashes or does not end costs its own
// result alone. What went wrong on a GPU ends all that its process has there,
// too.
#ifndef PACK_WORKERS_H
#define PACK_WORKERS_H

#include <cstdint>
#include <functional>

/// What is left of a task.
struct Outcome {
  uint32_t task = 0;
  bool isLast = false;    ///< its process can do no more
  char problem[512] = {}; ///< empty: it is right
  uint64_t compared = 0, same = 0;
};

/// Runs tasks 0 to `count` - 1 on `jobs` processes; `perform` is called in
/// those, `report` in this one, once for each task and in any order. A task may
/// take `seconds`.
void runTasks(uint32_t count, unsigned jobs, unsigned seconds,
              const std::function<void(Outcome &)> &perform,
              const std::function<void(const Outcome &)> &report);

#endif
