// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the sessions of a model share on a device: its code and its weights.
#ifndef FUSEC_RUNTIME_DEVICEMODEL_H
#define FUSEC_RUNTIME_DEVICEMODEL_H

#include "Error.h"
#include "Setup.h"
#include "Weights.h"
#include "fusec/device.h"

struct fusec_model;

namespace fusec::rt {

/// The kernels of an entry of a model, as a device knows them.
class DeviceKernels {
public:
  /// Of a variant of a group, by their numbers.
  void *get(uint32_t group, uint32_t variant) const {
    return kernels[firstKernels[group] + variant];
  }
  fusec_status find(const fusec_model_desc &desc, const fusec_device &device,
                    void *module, Error &error);

private:
  Array<void *> kernels;        ///< of all groups, concatenated
  Array<uint32_t> firstKernels; ///< per group
};

class DeviceModel {
public:
  DeviceModel(const fusec_model_desc &target, const fusec_device &on,
              const fusec_device_image &code, const Weights &uploaded)
      : desc(target), device(on), image(&code), file(uploaded) {}
  ~DeviceModel();

  /// Loads the code and uploads the weights; once, under the model's lock.
  fusec_status build(void *stream, Error &error);
  /// Entries for one target have their code and their weights in common.
  bool isOf(const fusec_model_desc &target, const fusec_device &other,
            const fusec_device_image &code, const Weights &uploaded) const;

  /// Where the weights file would begin, of which the device has what this
  /// target reads.
  const void *getWeights() const { return start; }

private:
  friend struct ::fusec_model;

  const fusec_model_desc &desc;
  const fusec_device &device;
  const fusec_device_image *image;
  const Weights &file;
  void *module = nullptr;
  void *weights = nullptr;
  const void *start = nullptr;
  uint32_t users = 0;
  DeviceModel *next = nullptr;
};

} // namespace fusec::rt

#endif
