// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/fusec/Interrupt.h"

#include "codegen/FolderAside.h"
#include "compiler/rules/ForeignCode.h"

#include "llvm/Support/CrashRecoveryContext.h"
#include "llvm/Support/TimeProfiler.h"
#include "llvm/Support/raw_ostream.h"
#include <atomic>
#include <cerrno>
#include <condition_variable>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <fcntl.h>
#include <mutex>
#include <spawn.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

extern char **environ;

namespace fusec::tool {

using Clock = std::chrono::steady_clock;

/// How often it is asked whether work must stop.
static constexpr std::chrono::milliseconds kPause(20);

static volatile std::sig_atomic_t interrupted = 0, watching = 0;
static std::atomic<Clock::duration> deadline{Clock::duration::max()};
static std::function<int()> farewell;

void watchInterrupts() {
  watching = 1;
  std::signal(SIGINT, [](int) { interrupted = 1; });
}

bool isInterrupted() { return interrupted; }

void setDeadline(std::optional<Clock::time_point> when) {
  deadline = when ? when->time_since_epoch() : Clock::duration::max();
}

bool mustStop() {
  return interrupted || Clock::now().time_since_epoch() >= deadline.load();
}

void setFarewell(std::function<int()> ends) { farewell = std::move(ends); }

namespace {
/// Work on a thread of its own.
class Work {
public:
  explicit Work(llvm::function_ref<void()> work)
      : isTraced(llvm::timeTraceProfilerEnabled()),
        thread([this, work] { run(work); }) {}

  /// Waits for it; returns whether it is done.
  bool wait();
  /// What it threw is thrown again, and its crash is one of this thread.
  void finish();

private:
  void run(llvm::function_ref<void()> work);

  std::mutex mutex;
  std::condition_variable changed;
  bool isDone = false, hasCrashed = false;
  const ForeignCode::Owner *foreign = nullptr; ///< whose code has crashed
  std::exception_ptr thrown;
  const bool isTraced;
  std::thread thread; // the last: it uses all others
};
} // namespace

void Work::run(llvm::function_ref<void()> work) {
  if (isTraced)
    llvm::timeTraceProfilerInitialize(/*TimeTraceGranularity=*/0, "fusec");
  llvm::CrashRecoveryContext recovery;
  const bool finished = recovery.RunSafely([&] {
    try {
      work();
    } catch (...) {
      thrown = std::current_exception();
    }
  });
  if (isTraced)
    llvm::timeTraceProfilerFinishThread();
  const std::lock_guard<std::mutex> lock(mutex);
  hasCrashed = !finished;
  foreign = ForeignCode::running();
  isDone = true;
  changed.notify_all();
}

bool Work::wait() {
  std::unique_lock<std::mutex> lock(mutex);
  while (!isDone && !mustStop())
    changed.wait_for(lock, kPause);
  return isDone;
}

void Work::finish() {
  thread.join();
  if (hasCrashed) {
    ForeignCode::set(foreign);
    std::abort(); // which the program's own recovery catches
  }
  if (thrown)
    std::rethrow_exception(thrown);
}

void doUntilStopped(llvm::function_ref<void()> work) {
  if (!farewell)
    return work();
  // Never destroyed while the thread is running.
  auto *aside = new Work(work);
  if (aside->wait()) {
    aside->finish();
    delete aside;
    return;
  }
  const int code = farewell();
  llvm::outs().flush();
  std::fflush(nullptr);
  codegen::FolderAside::abandonAll();
  std::_Exit(code); // what the thread still uses is not fit for destructors
}

int runProgram(const std::vector<std::string> &arguments,
               const std::string &log) {
  std::vector<char *> words;
  for (const std::string &argument : arguments)
    words.push_back(const_cast<char *>(argument.c_str()));
  words.push_back(nullptr);
  posix_spawn_file_actions_t files;
  posix_spawnattr_t attributes;
  posix_spawn_file_actions_init(&files);
  posix_spawn_file_actions_addopen(&files, STDIN_FILENO, "/dev/null", O_RDONLY,
                                   0);
  posix_spawn_file_actions_addopen(&files, STDOUT_FILENO, log.c_str(),
                                   O_WRONLY | O_CREAT | O_TRUNC, 0666);
  posix_spawn_file_actions_adddup2(&files, STDOUT_FILENO, STDERR_FILENO);
  posix_spawnattr_init(&attributes);
  // Compilers start others, which are ended with them.
  posix_spawnattr_setflags(&attributes, watching ? POSIX_SPAWN_SETPGROUP : 0);
  pid_t process = -1;
  const int problem = ::posix_spawn(&process, words.front(), &files,
                                    &attributes, words.data(), environ);
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&files);
  if (problem)
    return -1;
  int status = 0;
  pid_t ended = 0;
  while ((ended = ::waitpid(process, &status, watching ? WNOHANG : 0)) <= 0) {
    if (ended < 0 && errno != EINTR)
      return -1;
    if (watching && mustStop()) {
      ::kill(-process, SIGKILL);
      while (::waitpid(process, &status, 0) < 0 && errno == EINTR)
        ;
      return -1;
    }
    std::this_thread::sleep_for(kPause / 4);
  }
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

} // namespace fusec::tool
