// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The instructions of AMX that isa/amx.h uses, as their manual (Intel 64 and
// IA-32 Architectures Software Developer's Manual, volume 2) describes them, on
// any processor: what the bodies for it load, multiply and store can be tested
// where no processor has it.
#ifndef FUSEC_TEST_VOCABULARY_AMXEMULATION_H
#define FUSEC_TEST_VOCABULARY_AMXEMULATION_H

#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <immintrin.h>

namespace amx_emulation {

struct Tile {
  uint8_t bytes[16][64];
};
inline Tile tiles[8];
inline struct {
  bool isConfigured;
  uint8_t config[64];
  int rows[8], bytes[8];
} state;

inline void loadConfig(const void *memory) {
  uint8_t config[64];
  std::memcpy(config, memory, sizeof(config));
  std::memset(tiles, 0, sizeof(tiles));
  state.isConfigured = config[0] != 0;
  if (!state.isConfigured)
    return;
  std::memcpy(state.config, config, sizeof(config));
  for (int reserved = 2; reserved < 16; ++reserved)
    if (config[reserved] != 0)
      std::abort();
  if (config[0] != 1 || config[1] != 0)
    std::abort();
  for (int tile = 0; tile < 8; ++tile) {
    uint16_t bytes;
    std::memcpy(&bytes, config + 16 + 2 * tile, sizeof(bytes));
    state.bytes[tile] = bytes;
    state.rows[tile] = config[48 + tile];
    if (bytes > 64 || state.rows[tile] > 16)
      std::abort();
  }
}

/// Zeros where nothing is set up.
inline void storeConfig(void *memory) {
  if (state.isConfigured)
    std::memcpy(memory, state.config, sizeof(state.config));
  else
    std::memset(memory, 0, sizeof(state.config));
}

inline void load(int tile, const void *base, int64_t stride) {
  if (!state.isConfigured)
    std::abort();
  std::memset(&tiles[tile], 0, sizeof(Tile));
  for (int row = 0; row < state.rows[tile]; ++row)
    std::memcpy(tiles[tile].bytes[row],
                static_cast<const char *>(base) + row * stride,
                size_t(state.bytes[tile]));
}

inline void store(int tile, void *base, int64_t stride) {
  if (!state.isConfigured)
    std::abort();
  for (int row = 0; row < state.rows[tile]; ++row)
    std::memcpy(static_cast<char *>(base) + row * stride,
                tiles[tile].bytes[row], size_t(state.bytes[tile]));
}

template <class T> T elementOf(int tile, int row, int number) {
  T value;
  std::memcpy(&value, tiles[tile].bytes[row] + size_t(number) * sizeof(T),
              sizeof(T));
  return value;
}

template <class T> void setElement(int tile, int row, int number, T value) {
  std::memcpy(tiles[tile].bytes[row] + size_t(number) * sizeof(T), &value,
              sizeof(T));
}

inline void dpbusd(int to, int a, int b) {
  for (int m = 0; m < state.rows[to]; ++m)
    for (int k = 0; k < state.bytes[a] / 4; ++k)
      for (int n = 0; n < state.bytes[to] / 4; ++n) {
        auto sum = elementOf<uint32_t>(to, m, n);
        for (int i = 0; i < 4; ++i)
          sum += static_cast<uint32_t>(elementOf<uint8_t>(a, m, 4 * k + i) *
                                       elementOf<int8_t>(b, k, 4 * n + i));
        setElement(to, m, n, sum);
      }
}

inline float flushed(float x) {
  return std::fabs(x) < 0x1p-126f ? std::copysign(0.0f, x) : x;
}

/// A multiply-add of exponents without an end, rounded once, then flushed.
inline float multiplyAdd(float a, float b, float c) {
  const double sum =
      double(flushed(a)) * double(flushed(b)) + double(flushed(c));
  int exponent;
  const double digits = std::frexp(sum, &exponent);
  const double rounded =
      std::isfinite(sum)
          ? std::ldexp(std::nearbyint(std::ldexp(digits, 24)), exponent - 24)
          : sum;
  return std::fabs(rounded) < 0x1p-126 ? std::copysign(0.0f, float(sum))
                                       : static_cast<float>(rounded);
}

inline void dpbf16ps(int to, int a, int b) {
  const auto widen = [](uint16_t bits) {
    const uint32_t all = uint32_t(bits) << 16;
    float x;
    std::memcpy(&x, &all, sizeof(x));
    return x;
  };
  for (int m = 0; m < state.rows[to]; ++m) {
    float parts[32] = {};
    for (int k = 0; k < state.bytes[a] / 4; ++k)
      for (int n = 0; n < state.bytes[to] / 4; ++n)
        for (int i = 0; i < 2; ++i)
          parts[2 * n + i] = multiplyAdd(
              widen(elementOf<uint16_t>(a, m, 2 * k + i)),
              widen(elementOf<uint16_t>(b, k, 2 * n + i)), parts[2 * n + i]);
    for (int n = 0; n < state.bytes[to] / 4; ++n) {
      const float both = multiplyAdd(1.0f, parts[2 * n], parts[2 * n + 1]);
      setElement(to, m, n, multiplyAdd(1.0f, elementOf<float>(to, m, n), both));
    }
  }
}

} // namespace amx_emulation

#undef _tile_loadconfig
#undef _tile_storeconfig
#undef _tile_loadd
#undef _tile_stream_loadd
#undef _tile_stored
#undef _tile_dpbusd
#undef _tile_dpbf16ps
#define _tile_loadconfig(memory) amx_emulation::loadConfig(memory)
#define _tile_storeconfig(memory) amx_emulation::storeConfig(memory)
#define _tile_loadd(tile, base, stride) amx_emulation::load(tile, base, stride)
#define _tile_stream_loadd(tile, base, stride)                                 \
  amx_emulation::load(tile, base, stride)
#define _tile_stored(tile, base, stride)                                       \
  amx_emulation::store(tile, base, stride)
#define _tile_dpbusd(to, a, b) amx_emulation::dpbusd(to, a, b)
#define _tile_dpbf16ps(to, a, b) amx_emulation::dpbf16ps(to, a, b)

#endif
