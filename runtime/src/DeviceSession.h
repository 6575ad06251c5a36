// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a session has on a device, and what its host program does there.
#ifndef FUSEC_RUNTIME_DEVICESESSION_H
#define FUSEC_RUNTIME_DEVICESESSION_H

#include "DeviceModel.h"
#include "Memory.h"
#include "Target.h"

namespace fusec::rt {

class DeviceSession {
public:
  DeviceSession(fusec_model &of, const Weights &with, const Target &target)
      : model(of), file(with), desc(*target.desc), device(target.device) {}
  DeviceSession(const DeviceSession &) = delete;
  DeviceSession &operator=(const DeviceSession &) = delete;
  ~DeviceSession();

  /// Memory, code and weights for a session with these options; `setup` is
  /// complete but for variants that are taken later, and outlives this.
  fusec_status build(const fusec_session_options &options, const Setup &setup,
                     const int64_t *inputDims, Error &error);

  void *arena() const { return arenaMemory; }
  const void *weights() const { return shared->getWeights(); }
  const fusec_device_run *steps() const { return &run; }

  /// Before and after the host program: `inputs` and `outputs` become what it
  /// works on, and what the caller has on the host is copied. `explanation` is
  /// what the program said of its status, or empty.
  fusec_status begin(const fusec_tensor *in, const fusec_tensor *out,
                     const void **inputs, void **outputs, Error &error);
  fusec_status end(const fusec_tensor *out, void *const *outputs,
                   fusec_status status, const char *explanation, Error &error);

private:
  /// Memory in one piece, of which parts are taken one after another.
  struct Places {
    uint64_t bytes = 0;
    uint64_t take(uint64_t size) {
      const uint64_t place = alignUp(bytes, 256);
      bytes = place + size;
      return place;
    }
  };

  fusec_status allocate(const fusec_session_options &options,
                        const int64_t *inputDims, Error &error);
  /// Fills what launches find at zero, and leave so.
  fusec_status zero();
  fusec_status fail(fusec_status with, const char *what, Error &error);
  void launch(uint32_t number, const void *const *operands);
  int32_t enqueue(uint32_t number, const char *name,
                  int32_t (*body)(void *ctx, void *stream), void *ctx);
  /// Does `give`, which gives the stream step `number`, and tells the profiler
  /// how long that takes.
  template <typename Give>
  void profiled(uint32_t number, const char *what, const char *name, Give give);
  void copy(void *to, const void *from, uint64_t bytes, uint32_t kind);
  void fill(void *to, const void *value, uint32_t valueBytes, uint64_t count);
  /// Keeps the first failure, with what was done.
  bool hasFailed(fusec_status with, const char *what, const char *name);
  /// What the device was given, for messages: "kernel ", and its name.
  struct Step {
    const char *what, *name;
    bool isMarked = false; ///< the device notes that it has come to its end
  };
  void note(Step step);
  /// Has the device note that it has come here.
  void setMark();
  /// Waits; an error there is of a step before.
  void wait();
  /// Says which step has failed, or which few are the first that are not known
  /// to have come to their end. False where all did.
  bool blame(fusec_status with);

  fusec_model &model;
  const Weights &file;
  const fusec_model_desc &desc;
  const fusec_device *device;
  const Setup *setup = nullptr;
  DeviceModel *shared = nullptr;
  DeviceKernels kernels;
  void *stream = nullptr;
  bool ownsStream = false;
  const fusec_profile_hook *profile = nullptr;
  void *events[2] = {};
  char *memory = nullptr;
  void *arenaMemory = nullptr;
  bool ownsArena = false;
  char *workspaceEnd = nullptr;
  Array<uint64_t> inputPlaces, outputPlaces; ///< in `memory`
  Mapping hostArena;
  Array<const void *> arguments; ///< of a launch: where its pointers lie
  fusec_device_run run = {};

  fusec_status status = FUSEC_OK;
  Error why;

  /// A device makes its caller wait when it has some thousand steps to do, so
  /// that what failed is among the last ones.
  static constexpr uint32_t kRecent = 1 << 14;
  Array<Step> recent; ///< by their number modulo kRecent
  uint32_t numSteps = 0, numMarked = 0, markEvery = 16;
  const volatile uint32_t *mark = nullptr; ///< how many have come to their end
};

} // namespace fusec::rt

#endif
