// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Answers each line of each connection with the language that it is in.
//   language_server WEIGHTS THREADS
// Prints the port of 127.0.0.1 that it listens on; ends when its input does.
#include "texts.h"

#include "Pairs.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <iterator>
#include <thread>
#include <vector>

#include <arpa/inet.h>
#include <sys/socket.h>
#include <unistd.h>

namespace {

/// The lines of one connection.
void answer(int connection, fusec::Session &session) {
  std::string text;
  char buffer[4096];
  for (ssize_t got; (got = read(connection, buffer, sizeof buffer)) > 0;) {
    text.append(buffer, static_cast<size_t>(got));
    for (size_t end; (end = text.find('\n')) != std::string::npos;) {
      auto pairs = pairsOf<256>(text.substr(0, end));
      text.erase(0, end + 1);
      float scores[std::size(kLanguages)];
      std::string reply;
      if (texts::run(session, {pairs.data()}, {scores}) == FUSEC_OK)
        reply = kLanguages[std::max_element(scores, std::end(scores)) - scores];
      else
        reply = session.error();
      reply += '\n';
      if (send(connection, reply.data(), reply.size(), MSG_NOSIGNAL) < 0)
        return;
    }
  }
}

/// What each thread does: its own session, which nobody else uses, on the model
/// that all of them share.
void serve(int listener, fusec::Session session) {
  for (int connection;
       (connection = accept(listener, nullptr, nullptr)) >= 0;) {
    answer(connection, session);
    close(connection);
  }
}

int listenAnywhere() {
  int listener = socket(AF_INET, SOCK_STREAM, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof address;
  auto *generic = reinterpret_cast<sockaddr *>(&address);
  if (listener < 0 || bind(listener, generic, size) != 0 ||
      listen(listener, 64) != 0 || getsockname(listener, generic, &size) != 0)
    return -1;
  std::printf("%d\n", ntohs(address.sin_port));
  std::fflush(stdout);
  return listener;
}

} // namespace

int main(int argc, char **argv) {
  if (argc != 3) {
    std::fprintf(stderr, "usage: %s WEIGHTS THREADS\n", argv[0]);
    return 64;
  }
  fusec::Model model(fusec_texts_query, argv[1]);
  std::vector<fusec::Session> sessions;
  for (int i = 0; i < std::max(1, std::atoi(argv[2])); ++i) {
    sessions.emplace_back(model);
    if (!sessions.back()) {
      std::fprintf(stderr, "language_server: %s\n", sessions.back().error());
      return 4;
    }
  }
  int listener = listenAnywhere();
  if (listener < 0) {
    std::perror("language_server");
    return 4;
  }
  std::vector<std::thread> threads;
  for (fusec::Session &session : sessions)
    threads.emplace_back(serve, listener, std::move(session));
  for (char c; read(STDIN_FILENO, &c, 1) > 0;)
    ;
  shutdown(listener, SHUT_RDWR); // accept fails from now on
  for (std::thread &thread : threads)
    thread.join();
  return 0;
}
