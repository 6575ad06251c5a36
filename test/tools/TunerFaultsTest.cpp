// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What is left of a search that files, kernels or people end.
#include "test/tools/TestWorkbench.h"

#include <cerrno>

using namespace fusec;
using namespace fusec::tool;
using fast_run::RecordKind;

namespace {
class TunerFaults : public TunerTest {
protected:
  /// As TunerTest::tune; what was said.
  std::string
  tuneAndListen(ExitCode expected,
                fast_run::FileSystem &files = fast_run::getFileSystem()) {
    ::testing::internal::CaptureStderr();
    const ExitCode code = tune(files);
    std::string said = ::testing::internal::GetCapturedStderr();
    EXPECT_EQ(code, expected) << said;
    return said;
  }
};
} // namespace

TEST_F(TunerFaults, AFullDiskKeepsWhatWasMeasured) {
  // A file is made for the first record, others are added to it, the last one
  // is the model's.
  for (size_t room : {size_t(0), size_t(1), size_t(3), kGroups}) {
    options.cache = folder.path + "/room-for-" + std::to_string(room);
    size_t written = 0;
    fast_run::FaultyFileSystem files([&](const char *call) {
      const bool writes = std::string(call) == "append" ||
                          (std::string(call) == "create" && written == 0);
      return writes && written++ >= room ? ENOSPC : 0;
    });
    const std::string said = tuneAndListen(kExitBadInput, files);
    EXPECT_NE(said.find(options.cache + ": error: No space left on device"),
              std::string::npos)
        << said;
    EXPECT_NE(said.find("what was measured before is in the cache"),
              std::string::npos);
    const fast_run::Records kept = readCache();
    EXPECT_EQ(kept.size(), room);
    // The same command goes on.
    ASSERT_EQ(tune(), kExitFine);
    EXPECT_EQ(workbench.timed.size(), kGroups - room);
    EXPECT_EQ(readCache().size(), kGroups + 1);
    fast_run::Records all = readCache();
    all.add(kept);
    EXPECT_EQ(all.print(), readCache().print());
  }
}

TEST_F(TunerFaults, ACacheThatCannotBeReadIsRefused) {
  ASSERT_EQ(tune(), kExitFine);
  fast_run::FaultyFileSystem files(
      [](const char *call) { return std::string(call) == "list" ? EIO : 0; });
  const std::string said = tuneAndListen(kExitBadInput, files);
  EXPECT_NE(said.find("error: Input/output error"), std::string::npos) << said;
  EXPECT_TRUE(workbench.timed.empty());
}

TEST_F(TunerFaults, OneSegmentThatCannotBeReadIsLeftOut) {
  ASSERT_EQ(tune(), kExitFine);
  fast_run::FaultyFileSystem files(
      [](const char *call) { return std::string(call) == "read" ? EIO : 0; });
  const std::string said = tuneAndListen(kExitFine, files);
  EXPECT_NE(said.find("warning: Input/output error"), std::string::npos)
      << said;
  EXPECT_EQ(workbench.timed.size(), kGroups);
}

TEST_F(TunerFaults, WhoIsInterruptedKeepsWhatWasMeasured) {
  // In the middle of a batch: the second group's times are of who was stopped.
  workbench.interruptedAfter = 2;
  ASSERT_EQ(tune(), kExitFine);
  EXPECT_EQ(workbench.timed.size(), 2u);
  EXPECT_EQ(model.groups.size(), 1u);
  EXPECT_EQ(model.left, kGroups - 1);
  EXPECT_FALSE(model.verdict);
  EXPECT_EQ(readCache().size(), 1u);
  workbench.interruptedAfter = ~size_t(0);
  ASSERT_EQ(tune(), kExitFine);
  EXPECT_EQ(workbench.timed.size(), kGroups - 1);
  EXPECT_EQ(countKnown(), 1u);
  EXPECT_TRUE(model.verdict);
}

TEST_F(TunerFaults, WithoutACompilerNothingIsMeasured) {
  workbench.backend.compiler = "";
  const std::string said = tuneAndListen(kExitBadInput);
  EXPECT_NE(said.find("there is no C++ compiler that answers, and 5 groups are "
                      "not in "),
            std::string::npos)
      << said;
  EXPECT_EQ(fast_run::getFileSystem().getKind(options.cache),
            fast_run::FileSystem::Kind::none);
}

TEST_F(TunerFaults, AnAlgorithmThatFailsIsNamedAndLeft) {
  workbench.getTime = [](llvm::StringRef, llvm::StringRef algorithm, size_t) {
    return uint64_t(algorithm == "rows" ? 600 : 1000);
  };
  workbench.getFailure = [](llvm::StringRef group, llvm::StringRef algorithm) {
    return group == "sums_d" && algorithm == "rows" ? "Segmentation fault" : "";
  };
  ASSERT_EQ(tune(), kExitFine);
  EXPECT_EQ(find("sums_c").taken, "rows");
  EXPECT_EQ(find("sums_d").taken, "default");
  const fast_run::Records kept = readCache();
  const auto found = kept.find(RecordKind::group, find("sums_d").key);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0]->timings.back().name, "rows");
  EXPECT_EQ(found[0]->timings.back().failure, "Segmentation fault");
}
