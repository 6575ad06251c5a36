// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a session has on a device, and what its host program does there.
#ifndef FUSEC_RUNTIME_DEVICESESSION_H
#define FUSEC_RUNTIME_DEVICESESSION_H

#include "DeviceModel.h"
#include "DeviceQueue.h"
#include "Memory.h"
#include "Target.h"

namespace fusec::rt {

class DeviceSession {
public:
  DeviceSession(fusec_model &of, const Weights &with, const Target &target)
      : model(of), file(with), desc(*target.desc), device(target.device),
        queue(*target.device, target.desc->name) {}
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
  // What the host program does.
  void launch(uint32_t number, const void *const *operands);
  void copy(void *to, const void *from, uint64_t bytes, uint32_t kind);
  void fill(void *to, const void *value, uint32_t valueBytes, uint64_t count);

  /// Whether kernels can work on what the caller has there: memory of the
  /// device that begins at a multiple of FUSEC_DEVICE_ALIGNMENT.
  bool isUsable(const fusec_tensor &tensor) const;
  /// Notes that the copy of a tensor on the device took its place in a run.
  void tellOfCopy(const char *kind, const fusec_tensor_desc &of,
                  const fusec_tensor &tensor, bool &isTold);
  /// Whether the caller's stream is captured, which some runs cannot be.
  fusec_status checkCapture(const fusec_tensor *in, const fusec_tensor *out,
                            bool &isCaptured, Error &error);

  fusec_model &model;
  const Weights &file;
  const fusec_model_desc &desc;
  const fusec_device *device;
  const Setup *setup = nullptr;
  DeviceModel *shared = nullptr;
  DeviceKernels kernels;
  char *memory = nullptr;
  void *arenaMemory = nullptr;
  bool ownsArena = false;
  char *workspaceEnd = nullptr;
  Array<uint64_t> inputPlaces, outputPlaces; ///< in `memory`
  /// Whether a log was told that it is copied.
  Array<bool> toldInputs, toldOutputs;
  Mapping hostArena;
  fusec_device_run run = {};
  DeviceQueue queue;
};

} // namespace fusec::rt

#endif
