// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/ptx-sim/Architectures.h"

using namespace fusec::ptx;

namespace {

// "Maximum amount of shared memory per thread block" of the table of compute
// capabilities in CUDA's programming guide.
constexpr Architecture kArchitectures[] = {
    {30, 49152},   {32, 49152},   {35, 49152},   {37, 49152},   {50, 49152},
    {52, 49152},   {53, 49152},   {60, 49152},   {61, 49152},   {62, 49152},
    {70, 98304},   {72, 98304},   {75, 65536},   {80, 166912},  {86, 101376},
    {87, 166912},  {88, 101376},  {89, 101376},  {90, 232448},  {100, 232448},
    {101, 232448}, {103, 232448}, {110, 232448}, {120, 101376}, {121, 101376},
};

std::string nameOf(const Architecture &one) {
  return "sm_" + std::to_string(one.number);
}

} // namespace

const Architecture *fusec::ptx::findArchitecture(const std::string &target) {
  for (const Architecture &one : kArchitectures) {
    // What only it has (a), and what its family has (f).
    const std::string name = nameOf(one);
    if (target == name || (one.number >= 90 && target == name + "a") ||
        (one.number >= 100 && target == name + "f"))
      return &one;
  }
  return nullptr;
}

std::string fusec::ptx::architectureNames() {
  std::string names;
  for (const Architecture &one : kArchitectures)
    names += (names.empty() ? "" : ", ") + nameOf(one);
  return names;
}
