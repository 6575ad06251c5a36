// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/Guard.h"

#include "compiler/Diagnostics.h"
#include "compiler/io/MappedFile.h"
#include "compiler/rules/ForeignCode.h"
#include "dialects/Limits.h"

#include "llvm/Support/CrashRecoveryContext.h"
#include "llvm/Support/ErrorHandling.h"
#include "llvm/Support/raw_ostream.h"
#include <atomic>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <pthread.h>
#include <sys/mman.h>
#include <unistd.h>

namespace fusec::tool {

namespace {

/// What is mapped below the stack, and may not be touched: wider than any frame
/// of a function.
constexpr size_t kBelowStack = size_t(1) << 20;
/// Enough for the handlers, which jump away.
constexpr size_t kSignalStackBytes = size_t(64) << 10;

/// The last signal that meant a crash.
struct Fault {
  int signal = 0;
  const char *address = nullptr;
};
Fault fault;

/// What LLVM said before it gave up.
std::string fatal;

/// What means a crash.
constexpr int kSignals[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT};

/// LLVM's handlers, by signal, which leave what was being done.
struct sigaction recover[NSIG];

/// The thread that is guarded. Another one that works for it, as those of a
/// pool do, has it leave what was being done, and stops; where one of them has
/// crashed before, it only stops.
pthread_t guarded;
std::atomic<bool> isGuarding, hasCrashed;
/// How long that may take: the crash may have left locks behind.
constexpr unsigned kSeconds = 10;

void onFault(int signal, siginfo_t *info, void *) {
  const bool isGuarded = ::pthread_equal(::pthread_self(), guarded);
  const bool isWorker =
      isGuarding && !isGuarded && !llvm::CrashRecoveryContext::GetCurrent();
  const bool isFirst =
      !isGuarding || !(isGuarded || isWorker) || !hasCrashed.exchange(true);
  if (isFirst)
    fault = {signal, static_cast<const char *>(info->si_addr)};
  if (isWorker) {
    if (isFirst) {
      ::alarm(kSeconds);
      ::pthread_kill(guarded, signal);
    }
    for (;;)
      ::pause();
  }
  recover[signal].sa_handler(signal);
}

/// Lets `onFault` handle `signal`, on a stack of its own, before LLVM's.
void watch(int signal) {
  if (recover[signal].sa_handler) // it does already
    return;
  ::sigaction(signal, nullptr, &recover[signal]);
  struct sigaction action = {};
  action.sa_sigaction = onFault;
  action.sa_flags = SA_SIGINFO | SA_ONSTACK;
  ::sigemptyset(&action.sa_mask);
  ::sigaction(signal, &action, nullptr);
}

/// A stack, with what may not be touched below; memory is taken as it is used.
class Stack {
public:
  /// Without that much address space (ulimit -v), a smaller one.
  Stack() {
    for (bytes = kStackBytes; bytes >= (size_t(8) << 20); bytes /= 2) {
      void *mapped = ::mmap(nullptr, kBelowStack + bytes, PROT_NONE,
                            MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
      if (mapped == MAP_FAILED)
        continue;
      begin = static_cast<char *>(mapped);
      if (::mprotect(stack(), bytes, PROT_READ | PROT_WRITE) == 0)
        return;
      unmap();
    }
  }
  ~Stack() { unmap(); }
  Stack(const Stack &) = delete;
  Stack &operator=(const Stack &) = delete;

  explicit operator bool() const { return begin; }
  char *stack() const { return begin + kBelowStack; }
  size_t size() const { return bytes; }
  /// Whether `address` is touched by who has used up the stack.
  bool isBelow(const char *address) const {
    return begin && address >= begin && address < stack();
  }

private:
  void unmap() {
    if (begin)
      ::munmap(begin, kBelowStack + bytes);
    begin = nullptr;
  }
  char *begin = nullptr;
  size_t bytes = 0;
};

/// Handlers of the thread that makes it run on a stack of their own.
class SignalStack {
public:
  SignalStack() : memory(new char[kSignalStackBytes]) {
    stack_t own = {};
    own.ss_sp = memory.get();
    own.ss_size = kSignalStackBytes;
    ::sigaltstack(&own, &before);
  }
  ~SignalStack() { ::sigaltstack(&before, nullptr); }

private:
  std::unique_ptr<char[]> memory;
  stack_t before = {};
};

struct Work {
  llvm::StringRef program;
  llvm::function_ref<int()> run;
  llvm::function_ref<void(const Problem &, int)> report;
  Stack stack = {};
  int code = 0;

  Problem explain() const;
  void runHere();
};

/// Why it crashed.
Problem Work::explain() const {
  Problem problem;
  problem.file = program.str();
  if (const ForeignCode::Owner *foreign = ForeignCode::running()) {
    problem.file = foreign->library;
    problem.reason = foreign->what + " crashed";
    if (fault.signal)
      problem.reason += std::string(" (") + ::strsignal(fault.signal) + ")";
    problem.hint = foreign->hint;
    return problem;
  }
  if (fault.signal == SIGSEGV && stack.isBelow(fault.address)) {
    problem.reason = "the input is nested too deeply: the stack of " +
                     std::to_string(stack.size() >> 20) +
                     " MB that it is worked on with is used up";
    problem.hint = "write it flatter; if it is not nested, this is a bug of " +
                   program.str() + ": please report it with the model";
    return problem;
  }
  if (fault.signal == SIGBUS) {
    std::string path = io::MappedFile::findPath(fault.address);
    problem.reason = path.empty() ? "a file was" : "was";
    problem.reason += " shortened, or cannot be read any more, since it was "
                      "opened";
    problem.hint = "let nothing write to it until " + program.str() + " ends";
    if (!path.empty())
      problem.file = std::move(path);
    return problem;
  }
  problem.kind = ProblemKind::Internal;
  problem.reason = fatal.empty() ? "it crashed" : fatal;
  problem.hint =
      "this is a bug of " + program.str() + "; please report it with the model";
  return problem;
}

/// Whose end is reported where code of a user's ends the program.
const Work *current = nullptr;

/// At the end of the program: that of a library of a user's is a failure, and
/// looks like success.
void refuseExit() {
  const ForeignCode::Owner *foreign = ForeignCode::running();
  if (!foreign || !current)
    return;
  Problem problem;
  problem.file = foreign->library;
  problem.reason = foreign->what + " ended the program";
  problem.hint = foreign->hint;
  current->report(problem, kExitBadInput);
  llvm::outs().flush();
  std::fflush(nullptr);
  std::_Exit(kExitBadInput);
}

void Work::runHere() {
  SignalStack signals;
  guarded = ::pthread_self();
  isGuarding = true;
  llvm::CrashRecoveryContext recovery;
  const bool isFine = recovery.RunSafely([&] { code = run(); });
  if (isFine) {
    isGuarding = false;
    return;
  }
  Problem problem = explain();
  code = problem.kind == ProblemKind::Internal ? kExitInternal : kExitBadInput;
  report(problem, code);
  // What a crash left behind is not fit for destructors.
  llvm::outs().flush();
  std::fflush(nullptr);
  std::_Exit(code);
}

} // namespace

int runGuarded(llvm::StringRef program, llvm::function_ref<int()> work,
               llvm::function_ref<void(const Problem &, int)> report) {
  llvm::CrashRecoveryContext::Enable();
  llvm::install_fatal_error_handler([](void *, const char *reason, bool) {
    fatal = reason;
    std::abort(); // which the recovery catches
  });
  for (int signal : kSignals)
    watch(signal);
  Work all{program, work, report};
  current = &all;
  std::atexit(refuseExit);
  pthread_attr_t attributes;
  pthread_t thread;
  ::pthread_attr_init(&attributes);
  bool isApart = all.stack &&
                 ::pthread_attr_setstack(&attributes, all.stack.stack(),
                                         all.stack.size()) == 0 &&
                 ::pthread_create(
                     &thread, &attributes,
                     [](void *self) -> void * {
                       static_cast<Work *>(self)->runHere();
                       return nullptr;
                     },
                     &all) == 0;
  ::pthread_attr_destroy(&attributes);
  if (!isApart) { // no threads (ulimit -u): the stack is what the system gives
    all.runHere();
    return all.code;
  }
  // Signals such as ^C are for who works, and end what it waits for.
  sigset_t every, before;
  ::sigfillset(&every);
  ::pthread_sigmask(SIG_SETMASK, &every, &before);
  ::pthread_join(thread, nullptr);
  ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
  return all.code;
}

} // namespace fusec::tool
