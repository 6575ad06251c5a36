// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Each platform of the table of targets has its rows in the tables beside it.
#include "codegen/PlatformFiles.h"
#include "tools/fusec/DeviceTools.h"

#include "llvm/ADT/STLExtras.h"
#include <gtest/gtest.h>

using namespace fusec;

TEST(Platforms, HaveFilesInAFolder) {
  for (const TargetInfo &target : getTargets())
    EXPECT_EQ(llvm::count_if(codegen::getPlatformFiles(),
                             [&](const codegen::PlatformFiles &files) {
                               return files.name == target.platform->name;
                             }),
              1)
        << target.name.str();
}

TEST(Platforms, HaveToolsWhereTheyAreOfDevices) {
  for (const TargetInfo &target : getTargets())
    EXPECT_EQ(llvm::count_if(tool::getDeviceTools(),
                             [&](const tool::DeviceTools &tools) {
                               return tools.name == target.platform->name;
                             }),
              target.platform->isDevice)
        << target.name.str();
}

TEST(Platforms, NameFilesThatTheRuntimeHas) {
  for (const codegen::PlatformFiles &files : codegen::getPlatformFiles()) {
    for (llvm::StringRef begin : files.runtimeFiles)
      EXPECT_TRUE(llvm::any_of(codegen::runtimeFiles(), [&](const auto &file) {
        return llvm::StringRef(file.path).starts_with(begin);
      })) << begin.str();
    EXPECT_EQ(files.has(files.buildFile), !files.buildFile.empty())
        << files.name.str();
  }
}

TEST(Platforms, HaveTheLevelsOfBlocksWhereThereAreSuch) {
  for (const TargetInfo &target : getTargets())
    EXPECT_EQ(target.hasBlocks(), target.kind == TargetKind::gpu)
        << target.name.str();
}
