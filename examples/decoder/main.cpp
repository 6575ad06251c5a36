// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Writes on where a text ends, character by character.
//   decoder_demo WEIGHTS [TEXT [COUNT]]
#include "decoder.h"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

namespace {

/// Tokens are the printable characters of ASCII.
constexpr char kFirst = ' ';

/// The most tokens that one run takes, and are no more than `left`; there is an
/// entry for one.
decoder::Extents pick(size_t left) {
  const decoder::Extents *found = nullptr;
  for (const decoder::Extents &entry : decoder::entries)
    if (static_cast<size_t>(entry.length) <= left &&
        (!found || entry.length > found->length))
      found = &entry;
  return *found;
}

/// The character that follows `tokens`, which follow those of earlier calls:
/// the session has the keys and values of these. `entry` is that of their
/// number.
int64_t next(fusec::Session &session, const decoder::Extents &entry,
             const std::vector<int64_t> &tokens) {
  int64_t result = 0;
  if (decoder::run(session, entry, {tokens}, {&result}) != FUSEC_OK) {
    std::fprintf(stderr, "decoder_demo: %s\n", session.error());
    std::exit(4);
  }
  return result;
}

/// Bytes of the states that a run reads, and of those that it writes beside
/// them instead of in place.
void countStates(const fusec_model_desc &desc, uint64_t &all, uint64_t &moved) {
  all = moved = 0;
  for (uint32_t s = 0; s < desc.num_states; ++s) {
    const fusec_tensor_desc &state = desc.states[s].tensor;
    uint64_t bytes = fusec_dtype_bytes(state.dtype);
    for (uint32_t d = 0; d < state.rank; ++d)
      bytes *= static_cast<uint64_t>(state.dims[d]);
    all += bytes;
    moved += desc.states[s].in_place ? 0 : bytes;
  }
}

} // namespace

int main(int argc, char **argv) {
  const std::string text = argc > 2 ? argv[2] : "Once upon a time";
  const int count = argc > 3 ? std::atoi(argv[3]) : 200;
  if (argc < 2 || text.empty() || count < 1) {
    std::fprintf(stderr, "usage: %s WEIGHTS [TEXT [COUNT]]\n", argv[0]);
    return 64;
  }
  fusec::Model model(fusec_decoder_query, argv[1]);
  fusec::Session session(model);
  if (!session) {
    std::fprintf(stderr, "decoder_demo: %s\n", session.error());
    return 4;
  }
  // The prompt, as many tokens at a time as there is an entry for.
  std::vector<int64_t> tokens;
  for (char c : text)
    tokens.push_back(c >= kFirst && c < 127 ? c - kFirst : 0);
  int64_t token = 0;
  for (size_t at = 0; at < tokens.size();) {
    const decoder::Extents entry = pick(tokens.size() - at);
    const auto first = tokens.begin() + static_cast<std::ptrdiff_t>(at);
    token = next(session, entry, {first, first + entry.length});
    at += static_cast<size_t>(entry.length);
  }
  // Each character is the next one's token.
  std::string written(1, static_cast<char>(kFirst + token));
  std::vector<int64_t> one(1);
  const auto start = std::chrono::steady_clock::now();
  for (int i = 1; i < count; ++i) {
    one[0] = token;
    token = next(session, pick(1), one);
    written += static_cast<char>(kFirst + token);
  }
  const double seconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - start)
          .count();
  std::printf("%s\n", written.c_str());
  uint64_t states = 0, moved = 0;
  countStates(session.desc(), states, moved);
  std::printf("%.0f tokens a second; a token reads at most %llu bytes of "
              "weights and %llu of states, of which it writes %llu anew\n",
              (count - 1) / seconds,
              static_cast<unsigned long long>(session.desc().weights_bytes),
              static_cast<unsigned long long>(states),
              static_cast<unsigned long long>(moved));
  return 0;
}
