// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Runs with smaller extents than their entry has: what they are given is padded
// to what the entry takes, and what it gives is cut.
#ifndef FUSEC_RUNTIME_PADDING_H
#define FUSEC_RUNTIME_PADDING_H

#include "Entries.h"
#include "fusec/device.h"

namespace fusec::rt {

class Padding {
public:
  /// Takes all memory that runs of any of the entries need. `device` is where
  /// they run, or null.
  fusec_status build(const Entries &entries, const fusec_device *device,
                     Error &error);

  /// The next run is of `entry`, with these extents, of which a negative one
  /// is the entry's own.
  void take(const fusec_model_desc &entry, const int64_t *extents);
  /// Whether these are smaller than the entry's.
  bool isActive() const { return active; }
  /// The entry with the dims of such a run.
  const fusec_model_desc &getDesc() const { return shown; }

  /// Of such a run: checks what the caller has given.
  fusec_status check(const fusec_tensor *in, uint32_t numInputs,
                     const fusec_tensor *out, uint32_t numOutputs,
                     Error &error) const;
  /// What the entry is given instead, behind `check`: inputs are padded.
  const fusec_tensor *pad(const fusec_tensor *in);
  /// Where it has its outputs, and, behind the run, the part of them that the
  /// caller has asked for.
  const fusec_tensor *place(const fusec_tensor *out);
  void cut(const fusec_tensor *out) const;

private:
  /// A tensor as the entry has it, and as the run does.
  struct Side {
    const fusec_tensor_desc *descs = nullptr; ///< of the entry
    Array<fusec_tensor_desc> shown;
    Array<fusec_tensor> tensors; ///< what the entry is given
    Array<int64_t> dims;         ///< of the run, of all, concatenated
    uint32_t count = 0, first = 0;
  };

  void takeSide(Side &side, const fusec_tensor_desc *descs);
  const fusec_tensor *stage(Side &side, const fusec_tensor *given);
  void move(const Side &side, uint32_t number, const fusec_tensor &given,
            bool isInput) const;

  const fusec_model_desc *desc = nullptr; ///< the entry
  const fusec_device *device = nullptr;
  fusec_model_desc shown = {};
  bool active = false;
  Side inputs, outputs;
  Array<int64_t> extents; ///< of the run
  Mapping memory;
  uint64_t used = 0; ///< of `memory`, in this run
};

} // namespace fusec::rt

#endif
