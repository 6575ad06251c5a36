// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Messages between fusec and the child process that runs code of users: JSON,
// and tensors' bytes behind it, over a descriptor of its own.
#ifndef FUSEC_COMPILER_OPERATORS_CHANNEL_H
#define FUSEC_COMPILER_OPERATORS_CHANNEL_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/JSON.h"
#include <chrono>
#include <optional>
#include <string>
#include <vector>

namespace fusec::operators {

/// The descriptor that the child answers on.
inline constexpr int kChannelDescriptor = 3;

using Deadline = std::optional<std::chrono::steady_clock::time_point>;

struct Message {
  llvm::json::Object text;
  std::vector<std::vector<char>> blobs;
};

/// Sends a message over the socket; false where the other side is gone or the
/// deadline has come.
bool send(int socket, const Message &message, Deadline deadline = {});

/// Receives one, whose blobs have as many bytes as `sizes` says, where it is
/// there; nothing where there is none by the deadline, or no such message.
std::optional<Message> receive(int socket,
                               std::optional<llvm::ArrayRef<size_t>> sizes = {},
                               Deadline deadline = {});

} // namespace fusec::operators

#endif // FUSEC_COMPILER_OPERATORS_CHANNEL_H
