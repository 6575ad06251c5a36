// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/ptx-sim/Nvcc.h"

#include "tools/ptx-sim/Module.h"

#include <cstdlib>
#include <filesystem>
#include <fmt/format.h>
#include <fstream>
#include <regex>
#include <sstream>
#include <sys/wait.h>
#include <unistd.h>

using namespace fusec::ptx;
namespace fs = std::filesystem;

namespace {

bool isProgram(const fs::path &path) {
  return ::access(path.c_str(), X_OK) == 0 && !fs::is_directory(path);
}

/// Without a shell: the path may hold anything.
int run(const std::vector<std::string> &command, const fs::path &log) {
  pid_t child = ::fork();
  if (child == 0) {
    FILE *file = std::freopen(log.c_str(), "w", stdout);
    if (!file || ::dup2(::fileno(stdout), 2) < 0)
      ::_exit(127);
    std::vector<char *> arguments;
    for (const std::string &word : command)
      arguments.push_back(const_cast<char *>(word.c_str()));
    arguments.push_back(nullptr);
    ::execv(arguments[0], arguments.data());
    ::_exit(127);
  }
  int status = 0;
  if (child < 0 || ::waitpid(child, &status, 0) < 0)
    return 127;
  return WIFEXITED(status) ? WEXITSTATUS(status) : 127;
}

std::string contents(const fs::path &path) {
  std::ifstream file(path, std::ios::binary);
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

} // namespace

std::string fusec::ptx::findNvcc() {
  if (const char *named = std::getenv("CUDACXX"); named && *named) {
    if (isProgram(named))
      return named;
    throw Error(
        Error::BadInput,
        fmt::format("CUDACXX is {}, which is no program: set it to nvcc",
                    named));
  }
  std::istringstream path(std::getenv("PATH") ? std::getenv("PATH") : "");
  std::string folder;
  while (std::getline(path, folder, ':'))
    if (isProgram(fs::path(folder) / "nvcc"))
      return fs::path(folder) / "nvcc";
  const char *installed = "/usr/local/cuda/bin/nvcc";
  return isProgram(installed) ? installed : "";
}

namespace {

/// What nvcc makes of a file with `options`, and what it says.
std::pair<std::string, std::string>
runNvcc(const std::string &path, const std::string &architecture,
        const std::vector<std::string> &includes,
        const std::vector<std::string> &options) {
  std::string nvcc = findNvcc();
  if (nvcc.empty())
    throw Error(
        Error::BadInput,
        fmt::format("{}: there is no nvcc to compile it: install CUDA's "
                    "toolkit, or set CUDACXX to its nvcc; ptx-sim also takes "
                    "what nvcc -ptx -lineinfo -arch={} makes of it",
                    path, architecture));
  std::string folder = (fs::temp_directory_path() / "ptx-sim-XXXXXX").string();
  if (!::mkdtemp(folder.data()))
    throw Error(Error::BadInput, "there is no temporary folder to write to");
  fs::path made = fs::path(folder) / "kernel", log = fs::path(folder) / "log";
  std::vector<std::string> command = {nvcc, "-std=c++17",
                                      "-arch=" + architecture};
  command.insert(command.end(), options.begin(), options.end());
  for (const std::string &include : includes)
    command.insert(command.end(), {"-I", include});
  command.insert(command.end(), {"-o", made.string(), path});
  int status = run(command, log);
  std::string text = contents(made), messages = contents(log);
  std::error_code ignored;
  fs::remove_all(folder, ignored);
  if (status != 0)
    throw Error(Error::BadInput,
                fmt::format("{}: nvcc does not compile it for {}:\n{}", path,
                            architecture, messages));
  return {text, messages};
}

} // namespace

std::string fusec::ptx::compileCuda(const std::string &path,
                                    const std::string &architecture,
                                    const std::vector<std::string> &includes) {
  return runNvcc(path, architecture, includes, {"-ptx", "-lineinfo"}).first;
}

std::map<std::string, KernelResources>
fusec::ptx::measureResources(const std::string &path,
                             const std::string &architecture,
                             const std::vector<std::string> &includes) {
  std::istringstream log(
      runNvcc(path, architecture, includes, {"-cubin", "-Xptxas", "-v"})
          .second);
  std::map<std::string, KernelResources> kernels;
  // "... Compiling entry function 'softmax' for 'sm_80'", then, also for each
  // function that it calls, "8 bytes stack frame, 4 bytes spill stores, 4 bytes
  // spill loads", and "... Used 32 registers, used 1 barriers, 1184 bytes smem,
  // ..."
  static const std::regex entry("entry function '([^']*)'"),
      stack("([0-9]+) bytes stack frame, ([0-9]+) bytes spill stores, "
            "([0-9]+) bytes spill loads"),
      registers("Used ([0-9]+) registers"), shared("([0-9]+) bytes smem");
  KernelResources *current = nullptr;
  std::string line;
  std::smatch match;
  while (std::getline(log, line)) {
    if (std::regex_search(line, match, entry))
      current = &kernels[match[1]];
    if (current && std::regex_search(line, match, stack)) {
      current->localBytes += static_cast<unsigned>(std::stoul(match[1]));
      current->spillBytes +=
          static_cast<unsigned>(std::stoul(match[2]) + std::stoul(match[3]));
    }
    if (current && std::regex_search(line, match, registers))
      current->registers = static_cast<unsigned>(std::stoul(match[1]));
    if (current && std::regex_search(line, match, shared))
      current->sharedBytes = static_cast<unsigned>(std::stoul(match[1]));
  }
  return kernels;
}
