// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/fast_run/Machine.h"

#include "runtime/src/Cpu.h"

#include <fstream>
#include <map>
#include <sys/utsname.h>

namespace fusec::fast_run {

static std::string readLine(const std::string &file) {
  std::string line;
  std::ifstream stream(file);
  std::getline(stream, line);
  return line;
}

/// The first processor of /proc/cpuinfo, by its names of things.
static std::map<std::string, std::string> readProcessor() {
  std::map<std::string, std::string> fields;
  std::ifstream stream("/proc/cpuinfo");
  for (std::string line; std::getline(stream, line) && !line.empty();) {
    const size_t colon = line.find(':');
    const size_t begin = line.find_first_not_of(" \t", colon + 1);
    if (colon == line.npos || begin == line.npos)
      continue;
    const size_t end = line.find_last_not_of(" \t", colon - 1) + 1;
    fields[line.substr(0, end)] = line.substr(begin);
  }
  return fields;
}

/// "AMD EPYC 9B14 25-17-1": the name alone may stand for several. The numbers
/// are family, model and stepping, on Arm implementer, part and variant.
static std::string describeDevice() {
  const auto processor = readProcessor();
  std::string text;
  const auto add = [&](const char *field, char separator) {
    const auto found = processor.find(field);
    if (found != processor.end())
      text += (text.empty() ? "" : std::string(1, separator)) + found->second;
  };
  add("model name", ' ');
  add("cpu family", ' ');
  add("model", '-');
  add("stepping", '-');
  add("CPU implementer", ' ');
  add("CPU part", '-');
  add("CPU variant", '-');
  utsname system = {};
  if (text.empty() && !::uname(&system))
    text = system.machine;
  return text;
}

/// "32K/1024K/32768K": those that hold data, nearest first.
static std::string describeCaches() {
  std::string text;
  for (int number = 0;; ++number) {
    const std::string folder = "/sys/devices/system/cpu/cpu0/cache/index" +
                               std::to_string(number) + "/";
    const std::string size = readLine(folder + "size");
    if (size.empty())
      return text;
    if (readLine(folder + "type") != "Instruction")
      text += (text.empty() ? "" : "/") + size;
  }
}

Backend describeMachine() {
  Backend backend;
  backend.device = describeDevice();
  backend.caches = describeCaches();
  backend.cores = std::to_string(rt::availableCpus());
  return backend;
}

} // namespace fusec::fast_run
