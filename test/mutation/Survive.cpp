// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Checks and compiles many models in processes that are copied from this one,
// which is much quicker than to start fusec for each. A process takes several
// models, since with the address sanitizer its copy alone costs as much as one;
// what ends it is the fault of the one that it was at (or, without sanitizers,
// of an earlier one that broke its memory), and the next go on in another.
//   fusec-survive CPU-SECONDS < LIST
// A line of the list is "MODEL<tab>FOLDER<tab>MESSAGES": what to compile, where
// to, and the file for what is said. A line of the answer is
// "MODEL<tab>EXIT<tab>CPU-SECONDS", where EXIT is an exit code of fusec's,
// "signal N", or "hang" for what used up its time.
#include "compiler/Driver.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/raw_ostream.h"
#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <fcntl.h>
#include <fstream>
#include <iostream>
#include <iterator>
#include <string>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>
#include <utility>
#include <vector>

using namespace fusec;

constexpr size_t kJobsPerChild = 20;

/// `fusec check`: no module, and the same verdict as an import.
static ExitCode check(const std::string &model) {
  CompileOptions options;
  options.input = model;
  options.import.checkOnly = true;
  Driver driver(options);
  ExitCode code = driver.import();
  printProblems(driver.diagnostics().getProblems(), llvm::errs());
  return code;
}

static ExitCode compile(const std::string &model, const std::string &folder) {
  CompileOptions options;
  options.input = model;
  Driver driver(options);
  ExitCode code = driver.lower();
  if (code == kExitFine)
    code = driver.emit(folder);
  printProblems(driver.diagnostics().getProblems(), llvm::errs());
  return code;
}

/// What to compile, where to, and the file for what is said.
struct Job {
  std::string model, folder, messages;
};

static double getSeconds(const rusage &usage) {
  return usage.ru_utime.tv_sec + usage.ru_stime.tv_sec +
         1e-6 * (usage.ru_utime.tv_usec + usage.ru_stime.tv_usec);
}

/// Gives this process `seconds` more of CPU time; returns what it used before.
static double limitTime(unsigned seconds) {
  rusage usage = {};
  ::getrusage(RUSAGE_SELF, &usage);
  double used = getSeconds(usage);
  rlimit time = {};
  ::getrlimit(RLIMIT_CPU, &time);
  // Of whole seconds: it has up to one more.
  time.rlim_cur = rlim_t(used) + seconds + 1;
  if (::setrlimit(RLIMIT_CPU, &time))
    ::_exit(kExitUsage);
  return used;
}

static void answer(const Job &job, const std::string &outcome, double used) {
  std::cout << job.model << '\t' << outcome << '\t' << used << std::endl;
}

/// One job after another; a byte into `done` says that one has been answered.
[[noreturn]] static void runChild(llvm::ArrayRef<Job> jobs, int done,
                                  unsigned seconds) {
  rlimit none = {0, 0};
  ::setrlimit(RLIMIT_CORE, &none);
  for (const Job &job : jobs) {
    int log = ::open(job.messages.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0666);
    if (log < 0 || ::dup2(log, STDERR_FILENO) < 0)
      ::_exit(kExitUsage);
    ::close(log);
    double begin = limitTime(seconds);
    ExitCode checked = check(job.model);
    ExitCode compiled = compile(job.model, job.folder);
    // What is found wrong without looking at weights stays wrong.
    if (checked != kExitFine && compiled == kExitFine) {
      llvm::errs() << "refused by check only\n";
      compiled = kExitCheckFailed;
    }
    rusage usage = {};
    ::getrusage(RUSAGE_SELF, &usage);
    answer(job, std::to_string(compiled), getSeconds(usage) - begin);
    if (::write(done, "", 1) != 1)
      ::_exit(kExitUsage);
  }
  ::_exit(kExitFine);
}

/// Whether the process waits for something other than a core.
static bool isAsleep(pid_t process) {
  std::ifstream file("/proc/" + std::to_string(process) + "/stat");
  std::string text((std::istreambuf_iterator<char>(file)), {});
  size_t name = text.rfind(')');
  return name != text.npos && text.substr(name, 3) == ") S";
}

/// Waits for the child, whose time is limited where it uses any; one that
/// sleeps for long, without a byte into `done`, is a hang too. Returns how it
/// ended.
static std::string waitFor(pid_t child, int done, unsigned seconds) {
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGCHLD);
  timespec limit = {long(seconds), 0};
  int status = 0, before = 0;
  while (::waitpid(child, &status, WNOHANG) == 0)
    if (::sigtimedwait(&signals, nullptr, &limit) < 0 && errno == EAGAIN) {
      int answered = 0;
      ::ioctl(done, FIONREAD, &answered);
      if (std::exchange(before, answered) != answered || !isAsleep(child))
        continue;
      ::kill(child, SIGKILL);
      ::waitpid(child, &status, 0);
      return "hang";
    }
  if (WIFSIGNALED(status))
    return WTERMSIG(status) == SIGXCPU
               ? "hang"
               : "signal " + std::to_string(WTERMSIG(status));
  return WEXITSTATUS(status) ? std::to_string(WEXITSTATUS(status)) : "an exit";
}

/// Runs jobs in one child, up to the first that ends it; returns how many were
/// answered.
static size_t runSome(llvm::ArrayRef<Job> jobs, unsigned seconds) {
  int done[2];
  if (::pipe(done))
    return 0;
  pid_t child = ::fork();
  if (child < 0)
    return 0;
  if (child == 0)
    runChild(jobs, done[1], seconds);
  ::close(done[1]);
  std::string outcome = waitFor(child, done[0], seconds);
  char bytes[kJobsPerChild];
  size_t answered = std::max<ssize_t>(0, ::read(done[0], bytes, jobs.size()));
  ::close(done[0]);
  if (answered == jobs.size())
    return answered;
  answer(jobs[answered], outcome, seconds);
  return answered + 1;
}

int main(int argc, char **argv) {
  unsigned seconds = argc == 2 ? std::strtoul(argv[1], nullptr, 10) : 0;
  if (!seconds) {
    std::cerr << "usage: fusec-survive CPU-SECONDS < LIST\n";
    return kExitUsage;
  }
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGCHLD);
  ::sigprocmask(SIG_BLOCK, &signals, nullptr);
  std::vector<Job> jobs;
  for (Job job; std::getline(std::cin, job.model, '\t') &&
                std::getline(std::cin, job.folder, '\t') &&
                std::getline(std::cin, job.messages);)
    jobs.push_back(job);
  for (llvm::ArrayRef<Job> rest = jobs; !rest.empty();) {
    size_t answered = runSome(rest.take_front(kJobsPerChild), seconds);
    if (!answered)
      return kExitBadInput;
    rest = rest.drop_front(answered);
  }
  return kExitFine;
}
