// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Checks and compiles many models, each in a process of its own that is copied
// from this one, which is much quicker than to start fusec for each.
//   fusec-survive CPU-SECONDS < LIST
// A line of the list is "MODEL<tab>FOLDER<tab>MESSAGES": what to compile, where
// to, and the file for what is said. A line of the answer is
// "MODEL<tab>EXIT<tab>CPU-SECONDS", where EXIT is an exit code of fusec's,
// "signal N", or "hang" for what used up its time.
#include "compiler/Driver.h"

#include "llvm/Support/raw_ostream.h"
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <fcntl.h>
#include <fstream>
#include <iostream>
#include <iterator>
#include <string>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace fusec;

/// `fusec check`: no module, and the same verdict as an import.
static ExitCode check(const std::string &model) {
  CompileOptions options;
  options.input = model;
  options.import.checkOnly = true;
  Driver driver(options);
  ExitCode code = driver.import();
  driver.diagnostics().print(llvm::errs());
  return code;
}

static ExitCode compile(const std::string &model, const std::string &folder) {
  CompileOptions options;
  options.input = model;
  Driver driver(options);
  ExitCode code = driver.lower();
  if (code == kExitFine)
    code = driver.emit(folder);
  driver.diagnostics().print(llvm::errs());
  return code;
}

[[noreturn]] static void runChild(const std::string &model,
                                  const std::string &folder,
                                  const std::string &messages,
                                  unsigned seconds) {
  int log = ::open(messages.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0666);
  if (log < 0 || ::dup2(log, STDERR_FILENO) < 0)
    ::_exit(kExitUsage);
  rlimit none = {0, 0}, time = {seconds, seconds + 1};
  ::setrlimit(RLIMIT_CORE, &none);
  ::setrlimit(RLIMIT_CPU, &time);
  ExitCode checked = check(model);
  ExitCode compiled = compile(model, folder);
  // What is found wrong without looking at weights stays wrong.
  if (checked != kExitFine && compiled == kExitFine) {
    llvm::errs() << "refused by check only\n";
    compiled = kExitCheckFailed;
  }
  ::_exit(compiled);
}

/// Whether the process waits for something other than a core.
static bool isAsleep(pid_t process) {
  std::ifstream file("/proc/" + std::to_string(process) + "/stat");
  std::string text((std::istreambuf_iterator<char>(file)), {});
  size_t name = text.rfind(')');
  return name != text.npos && text.substr(name, 3) == ") S";
}

/// Waits for the child, whose time is limited where it uses any; one that
/// sleeps for long is a hang too.
static std::string waitFor(pid_t child, unsigned seconds, double &used) {
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGCHLD);
  timespec limit = {long(seconds), 0};
  int status = 0;
  rusage usage = {};
  bool asleep = false;
  while (::wait4(child, &status, WNOHANG, &usage) == 0)
    if (::sigtimedwait(&signals, nullptr, &limit) < 0 && errno == EAGAIN &&
        isAsleep(child)) {
      asleep = true;
      ::kill(child, SIGKILL);
      ::wait4(child, &status, 0, &usage);
      break;
    }
  used = usage.ru_utime.tv_sec + usage.ru_stime.tv_sec +
         1e-6 * (usage.ru_utime.tv_usec + usage.ru_stime.tv_usec);
  if (asleep ||
      (WIFSIGNALED(status) && (WTERMSIG(status) == SIGXCPU || used >= seconds)))
    return "hang";
  if (WIFSIGNALED(status))
    return "signal " + std::to_string(WTERMSIG(status));
  return std::to_string(WEXITSTATUS(status));
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
  std::string model, folder, messages;
  while (std::getline(std::cin, model, '\t') &&
         std::getline(std::cin, folder, '\t') &&
         std::getline(std::cin, messages)) {
    pid_t child = ::fork();
    if (child < 0)
      return kExitBadInput;
    if (child == 0)
      runChild(model, folder, messages, seconds);
    double used = 0;
    std::string outcome = waitFor(child, seconds, used);
    std::cout << model << '\t' << outcome << '\t' << used << std::endl;
  }
  return kExitFine;
}
