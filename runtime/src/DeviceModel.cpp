// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "DeviceModel.h"

#include <cstring>

#include "Model.h"

namespace fusec::rt {

DeviceModel::~DeviceModel() {
  if (weights)
    device.release(device.self, weights);
  if (module)
    device.unload_module(device.self, module);
}

fusec_status DeviceKernels::find(const fusec_model_desc &desc,
                                 const fusec_device &device, void *module,
                                 Error &error) {
  uint32_t count = 0;
  if (!firstKernels.allocate(desc.num_kernels))
    return error.set(FUSEC_OUT_OF_MEMORY, "cannot allocate the session");
  for (uint32_t g = 0; g < desc.num_kernels; ++g) {
    firstKernels[g] = count;
    count += desc.device->variants[g]->num_variants;
  }
  if (!kernels.allocate(count))
    return error.set(FUSEC_OUT_OF_MEMORY, "cannot allocate the session");
  for (uint32_t g = 0; g < desc.num_kernels; ++g)
    for (uint32_t v = 0; v < desc.device->variants[g]->num_variants; ++v)
      if (const fusec_status status = device.find_kernel(
              device.self, module, desc.device->kernels[g][v].symbol,
              &kernels[firstKernels[g] + v]))
        return error.set(status, "model '%s': %s does not find a kernel: %s",
                         desc.name, device.name,
                         device.last_error(device.self));
  return FUSEC_OK;
}

bool DeviceModel::isOf(const fusec_model_desc &target,
                       const fusec_device &other,
                       const fusec_device_image &code,
                       const Weights &uploaded) const {
  return &device == &other && image == &code && &file == &uploaded &&
         strcmp(desc.target, target.target) == 0 &&
         desc.device->weights_begin == target.device->weights_begin &&
         desc.device->weights_end == target.device->weights_end;
}

fusec_status DeviceModel::build(void *stream, Error &error) {
  auto fail = [&](fusec_status status, const char *what) {
    return error.set(status, "model '%s': %s %s: %s", desc.name, device.name,
                     what, device.last_error(device.self));
  };
  if (const fusec_status status =
          device.load_module(device.self, image, &module))
    return fail(status, "does not load the kernels");
  const uint64_t begin = desc.device->weights_begin;
  const uint64_t bytes = desc.device->weights_end - begin;
  if (!bytes)
    return FUSEC_OK;
  if (const fusec_status status = device.allocate(device.self, bytes, &weights))
    return fail(status, "has no memory for the weights");
  start = reinterpret_cast<const void *>(reinterpret_cast<uintptr_t>(weights) -
                                         begin);
  fusec_status status =
      device.copy(device.self, stream, weights,
                  static_cast<const char *>(file.data()) + begin, bytes,
                  FUSEC_COPY_TO_DEVICE);
  if (status == FUSEC_OK)
    status = device.synchronize(device.self, stream);
  return status ? fail(status, "does not take the weights") : FUSEC_OK;
}

} // namespace fusec::rt

using fusec::rt::DeviceKernels;
using fusec::rt::DeviceModel;
using fusec::rt::Error;
using fusec::rt::Weights;

fusec_status fusec_model::useDevice(const fusec_model_desc &target,
                                    const fusec_device &device,
                                    const fusec_device_image &image,
                                    const Weights &of, void *stream,
                                    DeviceKernels &kernels,
                                    DeviceModel *&result, Error &error) {
  // Under the lock: two sessions that want the same make it once.
  std::lock_guard<std::mutex> lock(mutex);
  for (DeviceModel *known = devices; known; known = known->next)
    if (known->isOf(target, device, image, of)) {
      ++known->users;
      result = known;
      return kernels.find(target, device, known->module, error);
    }
  DeviceModel *made = new (std::nothrow) DeviceModel(target, device, image, of);
  if (!made)
    return error.set(FUSEC_OUT_OF_MEMORY, "cannot allocate the session");
  if (const fusec_status status = made->build(stream, error)) {
    delete made;
    return status;
  }
  made->users = 1;
  made->next = devices;
  devices = result = made;
  return kernels.find(target, device, made->module, error);
}

void fusec_model::leaveDevice(DeviceModel *used) {
  if (!used)
    return;
  std::lock_guard<std::mutex> lock(mutex);
  if (--used->users)
    return;
  DeviceModel **place = &devices;
  while (*place != used)
    place = &(*place)->next;
  *place = used->next;
  delete used;
}
