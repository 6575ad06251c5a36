// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/fusec/tune/TimeCandidates.h"

#include "dialects/kernel/Choices.h"
#include "runtime/fast_run/RecordText.h"
#include "tools/fusec/Interrupt.h"
#include "tools/fusec/OperatorWatch.h"

#include "llvm/ADT/StringExtras.h"
#include <csignal>
#include <cstring>
#include <fmt/format.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

namespace fusec::tool {

using fast_run::Timing;
using std::chrono::milliseconds;

/// How long the naive kernel may take, and any other one, which is given four
/// times as long as that one took: none that is slower is of any use.
static constexpr milliseconds kNaiveLimit(120000), kLeastLimit(5000);
static constexpr unsigned kTimesNaive = 4;
/// How often it is asked whether to stop.
static constexpr milliseconds kLook(50);

namespace {
/// A process that runs candidates, as its starter sees it.
class Child {
public:
  Child(const TimingOptions &options, const Candidates &candidates);
  ~Child();

  /// The next line that it says, or nothing: it has ended, has said nothing for
  /// that long, or must stop.
  std::optional<std::string> readLine(milliseconds limit);
  /// Why there are no more lines: "it took more than 5000 ms", "Segmentation
  /// fault".
  std::string getEnd();

private:
  pid_t process = -1;
  int input = -1;
  std::string text;
  std::string end;
};
} // namespace

Child::Child(const TimingOptions &options, const Candidates &candidates) {
  int ends[2];
  if (::pipe(ends)) {
    end = std::string("there is no pipe to it: ") + std::strerror(errno);
    return;
  }
  process = ::fork();
  if (process == 0) {
    ::close(ends[0]);
    // A crash is the starter's to report, and nobody's to outlive.
    for (int signal : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGTRAP,
                       SIGINT, SIGTERM, SIGPIPE})
      ::signal(signal, SIG_DFL);
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    runCandidates(options, candidates, ends[1]);
    ::_exit(0);
  }
  if (process < 0)
    end = std::string("there is no process for it: ") + std::strerror(errno);
  ::close(ends[1]);
  input = ends[0];
}

Child::~Child() {
  (void)getEnd();
  if (input >= 0)
    ::close(input);
}

std::optional<std::string> Child::readLine(milliseconds limit) {
  using Clock = std::chrono::steady_clock;
  const Clock::time_point until = Clock::now() + limit;
  for (;;) {
    size_t at = text.find('\n');
    if (at != text.npos) {
      std::string line = text.substr(0, at);
      text.erase(0, at + 1);
      return line;
    }
    pollfd wanted = {input, POLLIN, 0};
    int ready = process < 0 ? -1 : ::poll(&wanted, 1, kLook.count());
    if (mustStop()) {
      end = "it had to stop";
      return std::nullopt;
    }
    if ((ready == 0 && Clock::now() < until) || (ready < 0 && errno == EINTR))
      continue;
    if (ready == 0)
      end = fmt::format("it took more than {} ms", limit.count());
    char buffer[4096];
    ssize_t count = ready > 0 ? ::read(input, buffer, sizeof buffer) : 0;
    if (count <= 0)
      return std::nullopt;
    text.append(buffer, count);
  }
}

std::string Child::getEnd() {
  if (process > 0) {
    if (!end.empty())
      ::kill(process, SIGKILL);
    int status = 0;
    while (::waitpid(process, &status, 0) < 0 && errno == EINTR)
      ;
    process = -1;
    if (end.empty() && WIFSIGNALED(status))
      end = ::strsignal(WTERMSIG(status));
    else if (end.empty())
      end = fmt::format("it ended with exit code {}", WEXITSTATUS(status));
  }
  return end;
}

/// Whose operator `candidate`, an alternative of a choice, calls, and how that
/// is repeated, where a process ended in it: " in the operator acme.Swish;
/// ...".
static std::string describeOperator(const Candidates &candidates,
                                    llvm::StringRef candidate) {
  if (!candidates.group.isChoice())
    return "";
  // The naive one is the default in naive kernels.
  llvm::StringRef alternative = candidate;
  for (const Timing &one : candidates.timings)
    if (one.naive && one.name == candidate)
      for (const Timing &other : candidates.timings)
        if (other.isDefault && !other.naive)
          alternative = other.name;
  if (alternative == kBodyAlternative)
    return "";
  llvm::Expected<EmittedModel> emitted =
      readEmittedModel(candidates.built.folder);
  if (!emitted) {
    llvm::consumeError(emitted.takeError());
    return ""; // which was read before
  }
  for (const EmittedCall &call : emitted->operatorCalls)
    if (call.algorithm.empty() || call.algorithm == alternative)
      return " in the operator " + call.name + "; " +
             describeTest(call, candidates.built.ops) + " repeats it";
  return "";
}

/// What one process found out about candidates that have not failed before.
/// Returns whether there is more to find out.
static bool runOnce(const TimingOptions &options, Candidates &candidates) {
  Child child(options, candidates);
  std::string current, failure;
  milliseconds limit = kNaiveLimit;
  while (auto text = child.readLine(limit)) {
    llvm::StringRef line(*text);
    if (line.consume_front(messages::kBegins)) {
      current = line.str();
    } else if (line.consume_front(messages::kNaive)) {
      uint64_t picoseconds = 0;
      (void)line.getAsInteger(10, picoseconds);
      limit = std::max(kLeastLimit,
                       milliseconds(kTimesNaive * picoseconds / 1000000000));
    } else if (line.consume_front(messages::kError)) {
      candidates.refusal = "its naive kernel does not run: " + line.str();
      return false;
    } else if (line.consume_front(messages::kFailed)) {
      failure = line.str();
    } else if (line.consume_front(messages::kResult)) {
      fast_run::Line result;
      std::string error = fast_run::parse(line, result);
      if (!result.record) {
        candidates.refusal = "its times cannot be read: " + error;
        return false;
      }
      candidates.timings = result.record->timings;
      candidates.clocks = result.record->clocks;
      return false;
    }
  }
  if (mustStop())
    return true; // whatever ended it
  auto found = llvm::find_if(candidates.timings, [&](const Timing &timing) {
    return timing.name == current;
  });
  if (failure.empty())
    failure = child.getEnd() + describeOperator(candidates, current);
  if (found == candidates.timings.end() || found->naive) {
    candidates.refusal = "its naive kernel does not run: " + failure;
    return false;
  }
  found->failure = failure;
  return true;
}

bool isAnyFit(llvm::ArrayRef<Timing> timings) {
  return llvm::any_of(timings, [](const Timing &timing) {
    return !timing.naive && timing.failure.empty();
  });
}

bool isNaiveTimed(const TimingOptions &options, const TunedGroup &group,
                  llvm::ArrayRef<Timing> timings) {
  return !group.isChoice() && (options.timesNaive || !isAnyFit(timings));
}

bool timeCandidates(const TimingOptions &options, Candidates &candidates) {
  bool isMore = true;
  while (isMore && !mustStop())
    isMore = runOnce(options, candidates);
  return !isMore;
}

} // namespace fusec::tool
