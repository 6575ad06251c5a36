// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "workers.h"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <poll.h>
#include <stdexcept>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

namespace {

using Clock = std::chrono::steady_clock;

/// A process that takes every `stride`th task.
struct Worker {
  uint32_t next = 0; ///< the task that it is at
  pid_t process = -1;
  int results = -1; ///< a pipe from it
  Clock::time_point begin;

  bool isRunning() const { return process != -1; }
};

class Workers {
public:
  Workers(uint32_t count, unsigned jobs, unsigned seconds,
          const std::function<void(Outcome &)> &perform,
          const std::function<void(const Outcome &)> &report)
      : count(count), limit(seconds), perform(perform), report(report),
        workers(std::max(1u, std::min(jobs, count))) {}

  void run();

private:
  uint32_t count;
  std::chrono::seconds limit;
  const std::function<void(Outcome &)> &perform;
  const std::function<void(const Outcome &)> &report;
  std::vector<Worker> workers;

  uint32_t stride() const { return static_cast<uint32_t>(workers.size()); }
  void start(Worker &worker);
  void receive(Worker &worker);
  void end(Worker &worker, const char *why);
};

void Workers::start(Worker &worker) {
  if (worker.next >= count)
    return;
  int ends[2];
  std::fflush(stdout); // a child would print it, too
  if (pipe(ends) || (worker.process = fork()) < 0)
    throw std::runtime_error(std::string("cannot start a process: ") +
                             strerror(errno));
  worker.begin = Clock::now();
  if (worker.process) {
    close(ends[1]);
    worker.results = ends[0];
    return;
  }
  close(ends[0]);
  for (uint32_t task = worker.next; task < count; task += stride()) {
    Outcome outcome;
    outcome.task = task;
    perform(outcome);
    std::fflush(stdout);
    if (write(ends[1], &outcome, sizeof(outcome)) != sizeof(outcome) ||
        outcome.isLast)
      break;
  }
  _exit(0);
}

/// Reads an outcome, or learns that the process is gone.
void Workers::receive(Worker &worker) {
  Outcome outcome;
  // Less than PIPE_BUF comes as a whole.
  if (read(worker.results, &outcome, sizeof(outcome)) == sizeof(outcome)) {
    worker.next = outcome.task + stride();
    worker.begin = Clock::now();
    report(outcome);
  } else {
    end(worker, nullptr);
  }
}

/// Ends the process, if it has not; one that was at a task leaves that as
/// failed, and another goes on behind it.
void Workers::end(Worker &worker, const char *why) {
  if (why)
    kill(worker.process, SIGKILL);
  close(worker.results);
  int status = 0;
  waitpid(worker.process, &status, 0);
  worker.process = -1;
  if (why || !WIFEXITED(status) || WEXITSTATUS(status)) {
    Outcome outcome;
    outcome.task = worker.next;
    std::snprintf(outcome.problem, sizeof(outcome.problem), "%s",
                  why                   ? why
                  : WIFSIGNALED(status) ? strsignal(WTERMSIG(status))
                                        : "its process ended");
    worker.next += stride();
    report(outcome);
  }
  start(worker);
}

void Workers::run() {
  for (unsigned i = 0; i < workers.size(); ++i) {
    workers[i].next = i;
    start(workers[i]);
  }
  const std::string late =
      "it took more than " + std::to_string(limit.count()) + " s";
  for (;;) {
    std::vector<pollfd> pipes;
    std::vector<Worker *> running;
    for (Worker &worker : workers) {
      if (!worker.isRunning())
        continue;
      pipes.push_back({worker.results, POLLIN, 0});
      running.push_back(&worker);
    }
    if (running.empty())
      return;
    poll(pipes.data(), pipes.size(), 1000);
    for (size_t i = 0; i < pipes.size(); ++i) {
      if (pipes[i].revents)
        receive(*running[i]);
      else if (Clock::now() - running[i]->begin > limit)
        end(*running[i], late.c_str());
    }
  }
}

} // namespace

void runTasks(uint32_t count, unsigned jobs, unsigned seconds,
              const std::function<void(Outcome &)> &perform,
              const std::function<void(const Outcome &)> &report) {
  Workers(count, jobs, seconds, perform, report).run();
}
