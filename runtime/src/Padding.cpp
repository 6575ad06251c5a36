// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Padding.h"

#include <algorithm>
#include <cstring>

#include "Tensors.h"

namespace fusec::rt {

namespace {

/// The rows of `desc.padding` for a tensor, outermost first.
const fusec_padding_desc *findRows(const fusec_model_desc &desc,
                                   uint32_t tensor, uint32_t &count) {
  const fusec_padding_desc *begin = desc.padding;
  const fusec_padding_desc *end = begin + desc.num_padding;
  const auto is = [&](const fusec_padding_desc &row) {
    return row.tensor == tensor;
  };
  begin = std::find_if(begin, end, is);
  count = static_cast<uint32_t>(std::find_if_not(begin, end, is) - begin);
  return begin;
}

/// Copies between an array of the entry, `full`, and one of the run, `given`,
/// which lacks what the rows drop.
class Mover {
public:
  Mover(const fusec_model_desc &model, const int64_t *run,
        const fusec_padding_desc *padding, uint32_t count,
        uint64_t elementBytes)
      : desc(model), extents(run), rows(padding), numRows(count),
        element(elementBytes) {}

  /// `bytes` are those of `full`.
  void pad(char *full, const char *given, uint64_t bytes) const {
    walk<true>(full, given, 0, bytes);
  }
  void cut(char *given, const char *full, uint64_t bytes) const {
    walk<false>(given, full, 0, bytes);
  }

private:
  uint64_t bytesOf(const fusec_padding_desc &row) const {
    return row.inner * element;
  }
  uint64_t fullExtent(const fusec_padding_desc &row) const {
    return static_cast<uint64_t>(desc.extents[row.symbol]);
  }
  uint64_t keptExtent(const fusec_padding_desc &row) const {
    return static_cast<uint64_t>(extents[row.symbol]);
  }

  /// Of `bytes` of the full array, from row `level` on; returns how many there
  /// are of the given one.
  template <bool isPad>
  uint64_t walk(char *to, const char *from, uint32_t level,
                uint64_t bytes) const {
    if (level == numRows) {
      memcpy(to, from, bytes);
      return bytes;
    }
    const fusec_padding_desc &row = rows[level];
    const uint64_t inner = bytesOf(row), period = inner * fullExtent(row);
    uint64_t full = 0, given = 0;
    for (; full < bytes; full += period) {
      char *const toAll = to + (isPad ? full : given);
      const char *const fromAll = from + (isPad ? given : full);
      given += walkKept<isPad>(toAll, fromAll, level, inner, keptExtent(row));
      if (isPad)
        fill(toAll, row, inner);
    }
    return given;
  }

  template <bool isPad>
  uint64_t walkKept(char *to, const char *from, uint32_t level, uint64_t inner,
                    uint64_t count) const {
    if (level + 1 == numRows) {
      memcpy(to, from, count * inner);
      return count * inner;
    }
    uint64_t given = 0;
    for (uint64_t i = 0; i < count; ++i)
      given +=
          walk<isPad>(to + (isPad ? i * inner : given),
                      from + (isPad ? given : i * inner), level + 1, inner);
    return given;
  }

  void fill(char *all, const fusec_padding_desc &row, uint64_t inner) const {
    const uint64_t kept = keptExtent(row);
    for (uint64_t i = kept; i < fullExtent(row); ++i) {
      char *const to = all + i * inner;
      if (row.fill == FUSEC_FILL_LAST)
        memcpy(to, all + (kept - 1) * inner, inner);
      else
        for (uint64_t at = 0; at < inner; at += element)
          memcpy(to + at, &row.value, element);
    }
  }

  const fusec_model_desc &desc;
  const int64_t *extents;
  const fusec_padding_desc *rows;
  uint32_t numRows;
  uint64_t element;
};

} // namespace

fusec_status Padding::build(const Entries &entries, const fusec_device *on,
                            Error &error) {
  device = on;
  const fusec_model_desc &first = entries[0];
  uint64_t bytes = 0;
  for (uint32_t e = 0; e < entries.size(); ++e) {
    const fusec_model_desc &entry = entries[e];
    uint64_t own = 0;
    for (uint32_t i = 0; i < entry.num_inputs + entry.num_outputs; ++i) {
      uint32_t count = 0;
      findRows(entry, i, count);
      if (count)
        own += alignUp(countBytes(i < entry.num_inputs
                                      ? entry.inputs[i]
                                      : entry.outputs[i - entry.num_inputs]),
                       FUSEC_ALIGNMENT);
    }
    bytes = std::max(bytes, own);
  }
  if (!first.least)
    return FUSEC_OK;
  inputs.count = first.num_inputs;
  outputs.count = first.num_outputs;
  outputs.first = first.num_inputs;
  const auto reserve = [](Side &side, const fusec_tensor_desc *descs) {
    uint64_t ranks = 0;
    for (uint32_t i = 0; i < side.count; ++i)
      ranks += descs[i].rank;
    return side.shown.allocate(side.count) &&
           side.tensors.allocate(side.count) && side.dims.allocate(ranks);
  };
  if (!reserve(inputs, first.inputs) || !reserve(outputs, first.outputs) ||
      !extents.allocate(first.num_symbols))
    return error.set(FUSEC_OUT_OF_MEMORY, "cannot allocate the session");
  return bytes ? memory.allocate(bytes, error) : FUSEC_OK;
}

/// The dims of the run: those of the entry, with another factor where it has
/// the extent of a symbol.
void Padding::takeSide(Side &side, const fusec_tensor_desc *descs) {
  side.descs = descs;
  int64_t *dims = side.dims.data();
  for (uint32_t i = 0; i < side.count; dims += descs[i++].rank) {
    side.shown[i] = descs[i];
    side.shown[i].dims = dims;
    std::copy_n(descs[i].dims, descs[i].rank, dims);
    uint32_t count = 0;
    const fusec_padding_desc *rows = findRows(*desc, side.first + i, count);
    for (uint32_t r = 0; r < count; ++r)
      dims[rows[r].axis] = dims[rows[r].axis] / desc->extents[rows[r].symbol] *
                           extents[rows[r].symbol];
  }
}

void Padding::take(const fusec_model_desc &entry, const int64_t *given) {
  active = false;
  if (!entry.least || !given)
    return;
  for (uint32_t s = 0; s < entry.num_symbols; ++s) {
    extents[s] = given[s] < 0 ? entry.extents[s] : given[s];
    active |= extents[s] != entry.extents[s];
  }
  if (!active)
    return;
  desc = &entry;
  takeSide(inputs, entry.inputs);
  takeSide(outputs, entry.outputs);
  shown = entry;
  shown.inputs = inputs.shown.data();
  shown.outputs = outputs.shown.data();
  shown.extents = extents.data();
}

fusec_status Padding::check(const fusec_tensor *in, uint32_t numInputs,
                            const fusec_tensor *out, uint32_t numOutputs,
                            Error &error) const {
  if (const fusec_status status =
          checkArguments(shown, inputs.dims.data(), outputs.dims.data(), in,
                         numInputs, out, numOutputs, error))
    return status;
  const auto holds = [&](const fusec_tensor &tensor) {
    return device && tensor.bytes && device->holds(device->self, tensor.data);
  };
  for (uint32_t i = 0; i < numInputs + numOutputs; ++i) {
    const bool isInput = i < numInputs;
    if (holds(isInput ? in[i] : out[i - numInputs]))
      return error.set(
          FUSEC_UNSUPPORTED,
          "%s '%s' lies on the device; a run that is padded takes arrays of "
          "the host, or has the extents of an entry",
          isInput ? "input" : "output",
          (isInput ? desc->inputs[i] : desc->outputs[i - numInputs]).name);
  }
  return FUSEC_OK;
}

/// Those that are padded or cut lie in memory of ours.
const fusec_tensor *Padding::stage(Side &side, const fusec_tensor *given) {
  for (uint32_t i = 0; i < side.count; ++i) {
    side.tensors[i] = given[i];
    uint32_t count = 0;
    findRows(*desc, side.first + i, count);
    if (!count)
      continue;
    const uint64_t bytes = countBytes(side.descs[i]);
    side.tensors[i].data = static_cast<char *>(memory.data()) + used;
    side.tensors[i].bytes = bytes;
    side.tensors[i].dims = side.descs[i].dims;
    used += alignUp(bytes, FUSEC_ALIGNMENT);
  }
  return side.tensors.data();
}

void Padding::move(const Side &side, uint32_t number, const fusec_tensor &given,
                   bool isInput) const {
  uint32_t count = 0;
  const fusec_padding_desc *rows = findRows(*desc, side.first + number, count);
  if (!count || !given.bytes)
    return;
  const fusec_tensor &full = side.tensors[number];
  const Mover mover(*desc, extents.data(), rows, count,
                    fusec_dtype_bytes(given.dtype));
  if (isInput)
    mover.pad(static_cast<char *>(full.data),
              static_cast<const char *>(given.data), full.bytes);
  else
    mover.cut(static_cast<char *>(given.data),
              static_cast<const char *>(full.data), full.bytes);
}

const fusec_tensor *Padding::pad(const fusec_tensor *in) {
  used = 0;
  const fusec_tensor *staged = stage(inputs, in);
  for (uint32_t i = 0; i < inputs.count; ++i)
    move(inputs, i, in[i], /*isInput=*/true);
  return staged;
}

const fusec_tensor *Padding::place(const fusec_tensor *out) {
  return stage(outputs, out);
}

void Padding::cut(const fusec_tensor *out) const {
  for (uint32_t i = 0; i < outputs.count; ++i)
    move(outputs, i, out[i], /*isInput=*/false);
}

} // namespace fusec::rt
