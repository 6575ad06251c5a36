// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the sessions of a model share on a device: its code and its weights.
#ifndef FUSEC_RUNTIME_DEVICEMODEL_H
#define FUSEC_RUNTIME_DEVICEMODEL_H

#include "Error.h"
#include "Setup.h"
#include "fusec/device.h"

struct fusec_model;

namespace fusec::rt {

class DeviceModel {
public:
  DeviceModel(const fusec_device &on, const fusec_device_image &code)
      : device(on), image(&code) {}
  ~DeviceModel();

  /// Loads the code and uploads the weights; once, under the model's lock.
  fusec_status build(const fusec_model &model, void *stream, Error &error);
  fusec_status findKernels(const fusec_model_desc &desc, Error &error);
  bool isOf(const fusec_device &other, const fusec_device_image &code) const {
    return &device == &other && image == &code;
  }

  /// Of a variant of a group, by their numbers.
  void *getKernel(uint32_t group, uint32_t variant) const {
    return kernels[firstKernels[group] + variant];
  }
  void *weights = nullptr;

private:
  friend struct ::fusec_model;
  const fusec_device &device;
  const fusec_device_image *image;
  void *module = nullptr;
  Array<void *> kernels;        ///< of all groups, concatenated
  Array<uint32_t> firstKernels; ///< per group
  uint32_t users = 0;
  DeviceModel *next = nullptr;
};

} // namespace fusec::rt

#endif
