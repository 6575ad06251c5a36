// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a session carries from one run to the next: the values of its model's
// states, in memory of the session's own.
#ifndef FUSEC_RUNTIME_STATES_H
#define FUSEC_RUNTIME_STATES_H

#include "Entries.h"
#include "Memory.h"
#include "fusec/device.h"

namespace fusec::rt {

/// The states of a session have shapes: those of the entry that has run last.
/// Where no run has come since they were reset, they are the zeros of any.
class States {
public:
  States() = default;
  States(const States &) = delete;
  States &operator=(const States &) = delete;
  ~States();

  /// Takes memory that is enough for each of `entries`, which outlive this; on
  /// `device`, if it is not null, for runs on `stream`, or on streams that
  /// every run waits for. `weightsId` tells the session's weights from others
  /// of the model.
  fusec_status build(const Entries &entries, uint64_t weightsId,
                     const fusec_device *device, void *stream, Error &error);

  /// Whether a run of `entry` can go on from what there is:
  /// FUSEC_INVALID_ARGUMENT says which state has another shape.
  fusec_status check(uint32_t entry, Error &error) const;
  /// What a run of `entry` has behind its own pointers.
  void bind(uint32_t entry, const void **inputs, void **outputs) const;
  /// A run of `entry` has gone well: its results are the states now.
  void advance(uint32_t entry);

  fusec_status reset(Error &error);
  /// One state, by the name of its input. `entry` says which shapes the states
  /// have where nothing else does.
  fusec_status get(uint32_t entry, const char *name, const fusec_tensor *to,
                   Error &error);
  fusec_status set(uint32_t entry, const char *name, const fusec_tensor *from,
                   Error &error);
  /// All of them as bytes, which any session of the model restores.
  fusec_status save(uint32_t entry, void *to, uint64_t capacity,
                    uint64_t *bytes, Error &error);
  fusec_status restore(const void *from, uint64_t bytes, Error &error);

private:
  struct Buffer {
    char *value = nullptr;
    char *next = nullptr; ///< null: every entry writes in place
    uint64_t bytes = 0;   ///< of the largest entry
  };
  static constexpr uint32_t kNone = UINT32_MAX;

  const fusec_model_desc &getDesc(uint32_t entry) const {
    return (*entries)[entry];
  }
  /// The entry whose shapes the states have.
  uint32_t getHolder(uint32_t otherwise) const {
    return holder == kNone ? otherwise : holder;
  }
  fusec_status allocate(uint64_t bytes, Error &error);
  fusec_status find(uint32_t entry, const char *name, uint32_t &state,
                    Error &error) const;
  fusec_status copy(void *to, const void *from, uint64_t bytes, uint32_t kind,
                    Error &error);
  /// Copies a state from `tensor`, or to it.
  fusec_status move(uint32_t entry, const char *name,
                    const fusec_tensor &tensor, bool isFrom, Error &error);
  fusec_status finish(Error &error);
  /// Whether there is room for the rows that a run of `entry` adds.
  fusec_status checkRoom(uint32_t entry, Error &error) const;
  /// Finds out how many rows there are once somebody has changed the states.
  fusec_status readLength(Error &error);
  fusec_status fail(fusec_status status, Error &error) const;
  uint64_t getIdentity() const;

  const Entries *entries = nullptr;
  uint64_t weightsId = 0;
  const fusec_device *device = nullptr;
  void *stream = nullptr;
  bool ownsStream = false;
  Mapping host;             ///< what there is on the host
  void *onDevice = nullptr; ///< or on the device
  uint64_t size = 0;        ///< of either
  uint32_t count = 0;
  Array<Buffer> buffers;
  uint32_t holder = kNone;
  uint32_t counter = kNone; ///< the state that says how many rows others hold
  int64_t length = 0;       ///< its value
};

} // namespace fusec::rt

#endif
