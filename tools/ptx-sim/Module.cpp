// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/ptx-sim/Module.h"

#include <utility>

using namespace fusec::ptx;

namespace {

struct ScalarRow {
  Scalar type;
  const char *name;
  unsigned size;
};

constexpr ScalarRow kScalars[] = {
    {Scalar::Pred, "pred", 0},     {Scalar::B8, "b8", 1},
    {Scalar::B16, "b16", 2},       {Scalar::B32, "b32", 4},
    {Scalar::B64, "b64", 8},       {Scalar::B128, "b128", 16},
    {Scalar::U8, "u8", 1},         {Scalar::U16, "u16", 2},
    {Scalar::U32, "u32", 4},       {Scalar::U64, "u64", 8},
    {Scalar::S8, "s8", 1},         {Scalar::S16, "s16", 2},
    {Scalar::S32, "s32", 4},       {Scalar::S64, "s64", 8},
    {Scalar::F16, "f16", 2},       {Scalar::F16x2, "f16x2", 4},
    {Scalar::BF16, "bf16", 2},     {Scalar::BF16x2, "bf16x2", 4},
    {Scalar::TF32, "tf32", 4},     {Scalar::F32, "f32", 4},
    {Scalar::F64, "f64", 8},       {Scalar::E4M3x2, "e4m3x2", 2},
    {Scalar::E5M2x2, "e5m2x2", 2},
};

} // namespace

unsigned fusec::ptx::sizeOf(Scalar type) {
  for (const ScalarRow &row : kScalars)
    if (row.type == type)
      return row.size;
  return 0;
}

Scalar fusec::ptx::scalarNamed(const std::string &name) {
  for (const ScalarRow &row : kScalars)
    if (name == row.name)
      return row.type;
  return Scalar::None;
}

const char *fusec::ptx::nameOf(Scalar type) {
  for (const ScalarRow &row : kScalars)
    if (row.type == type)
      return row.name;
  return "none";
}

std::string Module::describe(const Instruction &instruction, int *line) const {
  auto nameOfFile = [](const std::string &path) {
    return path.substr(path.find_last_of('/') + 1);
  };
  if (instruction.location < 0) {
    *line = instruction.line;
    return nameOfFile(path) + ":" + std::to_string(*line);
  }
  auto pathOf = [&](int location) {
    auto file = files.find(locations[location].file);
    return file == files.end() ? std::string("?") : file->second;
  };
  int outermost = instruction.location;
  while (locations[outermost].parent >= 0)
    outermost = locations[outermost].parent;
  const std::string own = pathOf(outermost);
  const std::string folder = own.substr(0, own.find_last_of('/') + 1);
  auto isOwn = [&](int location) {
    const std::string path = pathOf(location);
    return path == own ||
           (!folder.empty() && path.rfind(folder, 0) == 0 &&
            path.find("/include/", folder.size() - 1) == std::string::npos);
  };
  int shown = instruction.location;
  while (!isOwn(shown))
    shown = locations[shown].parent;
  *line = locations[shown].line;
  return nameOfFile(pathOf(shown)) + ":" + std::to_string(*line);
}
