// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Target.h"

#include <cstdio>
#include <cstring>

#include "Model.h"

namespace fusec::rt {

static bool isCalled(const fusec_model_desc &desc, const char *name) {
  return !name || strcmp(desc.target, name) == 0;
}

const fusec_model_desc *findForDevice(const fusec_model_desc &desc,
                                      uint32_t architecture, const char *name) {
  const fusec_model_desc *best = nullptr;
  for (uint32_t i = 0; i <= desc.num_others; ++i) {
    const fusec_model_desc &next = getTarget(desc, i);
    if (next.device && isCalled(next, name) &&
        next.device->architecture <= architecture &&
        (!best || best->device->architecture < next.device->architecture))
      best = &next;
  }
  return best;
}

const fusec_model_desc *findForCpu(const fusec_model_desc &desc,
                                   const char *name) {
  for (uint32_t i = 0; i <= desc.num_others; ++i)
    if (!getTarget(desc, i).device && isCalled(getTarget(desc, i), name))
      return &getTarget(desc, i);
  return nullptr;
}

namespace {

fusec_status refuseName(const fusec_model_desc &desc, const char *name,
                        Error &error) {
  char known[128] = "";
  size_t used = 0;
  for (uint32_t i = 0; i <= desc.num_others && used < sizeof(known); ++i) {
    const char *next = getTarget(desc, i).target;
    if (i && strcmp(next, getTarget(desc, i - 1).target) == 0)
      continue; // another entry for the same
    used += static_cast<size_t>(snprintf(known + used, sizeof(known) - used,
                                         "%s%s", i ? ", " : "", next));
  }
  return error.set(FUSEC_UNSUPPORTED,
                   "model '%s' is not for target '%s'; it is for %s", desc.name,
                   name, known);
}

/// The least architecture that one of the targets is for.
uint32_t leastArchitecture(const fusec_model_desc &desc, const char *name) {
  uint32_t least = UINT32_MAX;
  while (const fusec_model_desc *next = findForDevice(desc, least - 1, name))
    least = next->device->architecture;
  return least;
}

} // namespace

fusec_status pickTarget(fusec_model &model,
                        const fusec_session_options &options, Target &target,
                        Error &error) {
  const fusec_model_desc &desc = *model.desc;
  const char *name = options.target;
  const fusec_model_desc *forDevice = findForDevice(desc, UINT32_MAX, name);
  const fusec_model_desc *forCpu = findForCpu(desc, name);
  if (!forDevice && !forCpu)
    return refuseName(desc, name, error);
  if (options.device && !forDevice)
    return error.set(FUSEC_UNSUPPORTED,
                     "model '%s' has kernels for CPUs: leave out the device",
                     desc.name);
  const fusec_device *device = options.device;
  fusec_status status = FUSEC_OK;
  Error why;
  if (!device && forDevice && forDevice->device->open)
    status = model.openDevice(*forDevice->device, device, why);
  if (device) {
    if (const fusec_model_desc *best =
            findForDevice(desc, device->architecture, name)) {
      target = {best, device};
      return FUSEC_OK;
    }
    status = why.set(FUSEC_UNSUPPORTED,
                     "model '%s' needs a device of architecture sm_%u or "
                     "later; %s is of sm_%u",
                     desc.name, leastArchitecture(desc, name), device->name,
                     device->architecture);
  }
  if (forCpu) {
    target = {forCpu, nullptr};
    if (status)
      model.remark("%s: the kernels for CPUs run", why.text);
    return FUSEC_OK;
  }
  if (!status)
    return error.set(FUSEC_INVALID_ARGUMENT,
                     "model '%s' runs on a device: give the session one "
                     "(options.device)",
                     desc.name);
  error = why;
  return status;
}

} // namespace fusec::rt

using fusec::rt::Error;

fusec_status fusec_model::openDevice(const fusec_device_desc &by,
                                     const fusec_device *&device,
                                     Error &error) {
  // Under the lock: sessions share the device.
  std::lock_guard<std::mutex> lock(mutex);
  if (!opened)
    if (const fusec_status status = by.open(&opened)) {
      opened = nullptr;
      return error.set(status, "model '%s' finds no GPU: %s", desc->name,
                       fusec_last_error(nullptr));
    }
  close = by.close;
  device = opened;
  return FUSEC_OK;
}
