// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a session has for one entry of its model: the host program, its sizes,
// and the kernels that it launches.
#ifndef FUSEC_RUNTIME_PROGRAM_H
#define FUSEC_RUNTIME_PROGRAM_H

#include "DeviceSession.h"
#include "SessionTuning.h"
#include "Setup.h"
#include "Target.h"
#include "Tensors.h"

namespace fusec::rt {

class Program final : public VariantSwitch {
public:
  Program() = default;
  Program(const Program &) = delete;
  Program &operator=(const Program &) = delete;
  ~Program() { delete device; }

  /// Chooses variants, by the options and the tuner, and plans memory for them;
  /// takes none.
  fusec_status prepare(const fusec_model_desc &entry,
                       const fusec_session_options &options, Error &error);
  /// Behind that: what the host program is given, with `weights`, packed as the
  /// kernels want them, which outlive this. `inputs` and `outputs` are where a
  /// run has its pointers, `failure` where it says why it failed; both outlive
  /// this.
  fusec_status build(Weights &weights, const fusec_session_options &options,
                     const void *const *inputs, void *const *outputs,
                     Error &failure, Error &error);
  /// Behind that: memory from `base` on, of at least `getSetup().totalBytes()`.
  void takeArena(void *base);
  /// The same on a device, which takes what it needs where the options have no
  /// arena.
  fusec_status buildOnDevice(fusec_model &model, const fusec_device &on,
                             const fusec_session_options &options,
                             Error &error);
  /// Who runs loops.
  void takeThreads(fusec_parallel_for_fn parallelFor, void *self,
                   uint32_t threads);

  /// What the caller hands to a run: FUSEC_INVALID_ARGUMENT says which is not
  /// of this entry.
  fusec_status check(const fusec_tensor *in, uint32_t numInputs,
                     const fusec_tensor *out, uint32_t numOutputs,
                     Error &error) const {
    return checkArguments(*desc, inputDims.data(), setup.outputDims.data(), in,
                          numInputs, out, numOutputs, error);
  }
  /// Runs the host program, on what `inputs` and `outputs` point to.
  fusec_status run(const fusec_tensor *in, const fusec_tensor *out,
                   const void **inputs, void **outputs, Error &error);

  void takeVariant(uint32_t group, uint32_t variant) override;

  const fusec_model_desc &getDesc() const { return *desc; }
  const Setup &getSetup() const { return setup; }
  const SessionTuning &getTuning() const { return tuning; }
  uint32_t getThreads() const { return kernelCtx.threads; }

private:
  static void keepExplanation(void *self, const char *text);
  fusec_status bindDims(const int64_t *values, Error &error);
  fusec_status chooseKernels(Error &error);
  fusec_status chooseKernel(uint32_t launch, Error &error);

  Weights *weights = nullptr;
  const fusec_model_desc *desc = nullptr;
  Setup setup;
  SessionTuning tuning;
  Array<int64_t> symbols;
  Array<int64_t> inputDims; // of all inputs, concatenated
  Array<fusec_kernel_fn> kernels;
  Array<const void *> packed;
  DeviceSession *device = nullptr; // of a model for a device
  fusec_kernel_ctx kernelCtx = {};
  fusec_run_ctx runCtx = {};
  Error *failure = nullptr;
  Error explanation; // what the program said of a run that is about to fail
};

} // namespace fusec::rt

#endif
