// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How an emitted host program for a GPU has an operator of a user's launch its
// own kernels.
#ifndef FUSEC_OP_LAUNCH_H
#define FUSEC_OP_LAUNCH_H

#include "fusec/op_call.h"

// The sources in CUDA that this build has compiled; fusec_add_device_operators
// says so. Without them the operator's form for CPUs runs.
#ifdef FUSEC_HAS_OP_LAUNCHERS
#define FUSEC_OP_LAUNCHERS(query) query
#else
#define FUSEC_OP_LAUNCHERS(query) nullptr
#endif

namespace fusec {

/// Has the operator of `site` give the device its work, as the step `index`,
/// with memory of the device; where that runs kernels of the model alone, as a
/// simulator does, the operator runs on the host, with copies. 0, or a
/// fusec_status.
inline int32_t launch_op(const fusec_run_ctx *run, uint32_t index, OpSite &site,
                         std::initializer_list<const void *> inputs,
                         std::initializer_list<void *> outputs, void *workspace,
                         uint64_t workspace_bytes) {
  struct Work {
    const fusec_run_ctx *run;
    OpSite &site;
    OpSite::Memory memory;
  } work = {
      run, site, {inputs.begin(), outputs.begin(), workspace, workspace_bytes}};
  const fusec_device_run &device = *run->device;
  if (device.enqueue && site.hasLaunchers())
    return device.enqueue(
        device.self, index, site.getType(),
        [](void *ctx, void *stream) {
          Work &of = *static_cast<Work *>(ctx);
          return of.site.run(of.run, of.memory, FUSEC_OP_CUDA, stream);
        },
        &work);
  int32_t status = 0;
  call(run, index, [&] { status = site.runWithCopies(run, work.memory); });
  return status;
}

} // namespace fusec

#endif
