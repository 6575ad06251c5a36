// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/operators/Channel.h"

#include "dialects/Nesting.h"

#include <algorithm>
#include <cerrno>
#include <poll.h>
#include <sys/socket.h>

namespace fusec::operators {

/// The most bytes of JSON: a library that writes what it likes to the socket
/// shall not fill the memory.
static constexpr uint64_t kMostText = 16 << 20;

/// Waits until the socket is ready for `events`; false at the deadline.
static bool await(int socket, short events, Deadline deadline) {
  for (;;) {
    int wait = -1;
    if (deadline) {
      // Up to whole milliseconds: whoever gave up is behind the deadline.
      auto left = std::chrono::ceil<std::chrono::milliseconds>(
          *deadline - std::chrono::steady_clock::now());
      wait = int(std::max<int64_t>(left.count(), 0));
    }
    pollfd descriptor = {socket, events, 0};
    int ready = poll(&descriptor, 1, wait);
    if (ready < 0 && errno == EINTR)
      continue;
    return ready > 0;
  }
}

static bool sendAll(int socket, const void *bytes, size_t size,
                    Deadline deadline) {
  auto from = static_cast<const char *>(bytes);
  while (size > 0) {
    if (!await(socket, POLLOUT, deadline))
      return false;
    ssize_t sent = ::send(socket, from, size, MSG_NOSIGNAL | MSG_DONTWAIT);
    if (sent < 0 && (errno == EAGAIN || errno == EINTR))
      continue;
    if (sent <= 0)
      return false;
    from += sent;
    size -= size_t(sent);
  }
  return true;
}

static bool receiveAll(int socket, void *bytes, size_t size,
                       Deadline deadline) {
  auto to = static_cast<char *>(bytes);
  while (size > 0) {
    if (!await(socket, POLLIN, deadline))
      return false;
    ssize_t got = ::recv(socket, to, size, MSG_DONTWAIT);
    if (got < 0 && (errno == EAGAIN || errno == EINTR))
      continue;
    if (got <= 0)
      return false;
    to += got;
    size -= size_t(got);
  }
  return true;
}

bool send(int socket, const Message &message, Deadline deadline) {
  std::string text;
  llvm::raw_string_ostream(text)
      << llvm::json::Value(llvm::json::Object(message.text));
  uint64_t header[2] = {text.size(), message.blobs.size()};
  if (!sendAll(socket, header, sizeof(header), deadline) ||
      !sendAll(socket, text.data(), text.size(), deadline))
    return false;
  for (const std::vector<char> &blob : message.blobs) {
    uint64_t size = blob.size();
    if (!sendAll(socket, &size, sizeof(size), deadline) ||
        !sendAll(socket, blob.data(), size, deadline))
      return false;
  }
  return true;
}

std::optional<Message> receive(int socket,
                               std::optional<llvm::ArrayRef<size_t>> sizes,
                               Deadline deadline) {
  uint64_t header[2];
  if (!receiveAll(socket, header, sizeof(header), deadline) ||
      header[0] > kMostText ||
      (sizes && header[1] != 0 && header[1] != sizes->size()))
    return std::nullopt;
  std::string text(header[0], '\0');
  if (!receiveAll(socket, text.data(), text.size(), deadline))
    return std::nullopt;
  Message message;
  for (uint64_t i = 0; i < header[1]; ++i) {
    uint64_t size = 0;
    if (!receiveAll(socket, &size, sizeof(size), deadline) ||
        (sizes && size != (*sizes)[i]))
      return std::nullopt;
    std::vector<char> &blob = message.blobs.emplace_back(size);
    if (!receiveAll(socket, blob.data(), size, deadline))
      return std::nullopt;
  }
  llvm::Expected<llvm::json::Value> parsed = parseJson(text);
  if (!parsed) {
    llvm::consumeError(parsed.takeError());
    return std::nullopt;
  }
  llvm::json::Object *object = parsed->getAsObject();
  if (!object)
    return std::nullopt;
  message.text = std::move(*object);
  return message;
}

} // namespace fusec::operators
