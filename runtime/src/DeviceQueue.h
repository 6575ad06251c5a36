// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a session gives a stream of a device, and how far the device has come.
#ifndef FUSEC_RUNTIME_DEVICEQUEUE_H
#define FUSEC_RUNTIME_DEVICEQUEUE_H

#include "DeviceGraphs.h"
#include "Error.h"

namespace fusec::rt {

/// Behind a step that fails nothing is done until the next run begins.
class DeviceQueue {
public:
  DeviceQueue(const fusec_device &on, const char *modelName)
      : device(on), model(modelName) {}
  DeviceQueue(const DeviceQueue &) = delete;
  DeviceQueue &operator=(const DeviceQueue &) = delete;
  ~DeviceQueue();
  /// Waits for what the stream was given, whatever became of it, after which
  /// nothing of what that works on is needed.
  void finish();

  /// For kernels of so many launches and arguments.
  fusec_status build(const fusec_session_options &options, uint32_t numLaunches,
                     uint32_t mostArguments, Error &error);

  void *getStream() const { return stream; }
  bool isOwner() const { return ownsStream; }
  bool isTimed() const { return events[1]; }
  fusec_status getStatus() const { return status; }
  const Error &getError() const { return why; }
  /// The failure of a call of the device's, as an error of the model's.
  fusec_status fail(fusec_status with, const char *what, Error &error) const;

  /// A run begins, in which the stream may be captured: it is given steps that
  /// are not done now.
  void beginRun(bool isCapturedNow);

  /// Adds a step, which `access` tells what memory it accesses, and `added`
  /// that this is all.
  void add(uint32_t number, const char *what, const char *name,
           const fusec_device_node &node, uint32_t memories);
  void access(const void *pointer, uint64_t bytes, bool isWritten) {
    pending.access(pointer, bytes, isWritten);
  }
  void added() {
    if (!isDeferred)
      flush();
  }
  /// Gives the stream what it has not been given yet, as a graph or step by
  /// step.
  void flush();

  /// Copies between host and device before and after the program's steps.
  void copy(void *to, const void *from, uint64_t bytes, uint32_t kind,
            const char *what, const char *name);
  /// Such a copy as a step, for whose end this waits if it is to the host.
  void copyStep(void *to, const void *from, uint64_t bytes, uint32_t kind);
  /// Has `body` give the stream the step `number`.
  int32_t enqueue(uint32_t number, const char *name,
                  int32_t (*body)(void *ctx, void *stream), void *ctx);
  /// Waits for all; an error there is of a step before.
  void wait();
  /// Keeps the first failure, with what was done.
  bool hasFailed(fusec_status with, const char *what, const char *name);

private:
  /// What the device was given, for messages: "kernel ", and its name.
  struct Step {
    const char *what, *name;
    bool isMarked = false; ///< the device notes that it has come to its end
    uint32_t graph = 0;    ///< of a graph's first one: how many it has
  };
  bool flushAsGraph();
  void give(uint32_t step);
  /// Does `give`, which gives the stream step `number`, and tells the profiler
  /// how long that takes.
  template <typename Give>
  void profiled(uint32_t number, const char *what, const char *name, Give give);
  void note(Step step);
  /// Has the device note that it has come here.
  void setMark();
  /// Says which step has failed, or which few are the first that are not known
  /// to have come to their end. False where all did.
  bool blame(fusec_status with);

  const fusec_device &device;
  const char *model; ///< its name
  void *stream = nullptr;
  bool ownsStream = false;
  const fusec_profile_hook *profile = nullptr;
  void *events[2] = {};
  DeviceSteps pending; ///< that the stream has not been given yet
  DeviceGraphs graphs;
  bool isDeferred = false; ///< steps wait for others, to become a graph
  bool isCaptured = false;

  fusec_status status = FUSEC_OK;
  Error why;

  /// A device makes its caller wait when it has some thousand steps to do, so
  /// that what failed is among the last ones.
  static constexpr uint32_t kRecent = 1 << 14;
  Array<Step> recent; ///< by their number modulo kRecent
  uint32_t numSteps = 0, numMarked = 0;
  /// How many steps an error may name; of a graph, those of two spans.
  uint32_t markEvery = 2 * DeviceNodes::kUsualSpan;
  uint32_t span = DeviceNodes::kUsualSpan;
  const volatile uint32_t *mark = nullptr; ///< how many have come to their end
  /// How many of the graph that runs, and 0 when it is over.
  const volatile uint32_t *graphMark = nullptr;
};

} // namespace fusec::rt

#endif
