// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What is left of a search that files, kernels or people end.
#include "test/tools/TestWorkbench.h"

#include <cerrno>

using namespace fusec;
using namespace fusec::tool;
using fast_run::RecordKind;

// In no namespace of this file's own: tests, which derive from it, are in none.
class TunerFaults : public TunerTest {};

TEST_F(TunerFaults, AFullDiskKeepsWhatWasMeasured) {
  // A file is made for the first record, others are added to it, the last one
  // is the model's.
  for (size_t room : {size_t(0), size_t(1), size_t(3), kGroups}) {
    options.cache = folder.path + "/room-for-" + std::to_string(room);
    size_t created = 0, written = 0;
    fast_run::FaultyFileSystem files([&](const char *call) {
      const bool creates = std::string(call) == "create";
      // What is created first is to see whether something can be.
      const bool writes =
          creates ? created++ > 0 : std::string(call) == "append";
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

TEST_F(TunerFaults, WhatCannotBeKeptIsNotMeasured) {
  fast_run::FaultyFileSystem files([](const char *call) {
    return std::string(call) == "create" ? EROFS : 0;
  });
  std::string said = tuneAndListen(kExitBadInput, files);
  EXPECT_NE(said.find("error: Read-only file system"), std::string::npos)
      << said;
  EXPECT_NE(said.find("hint: nothing was measured"), std::string::npos);
  EXPECT_TRUE(workbench.timed.empty());
  EXPECT_EQ(workbench.emitted, 0u);
  // Nothing is written where all is known.
  ASSERT_EQ(tune(), kExitFine);
  EXPECT_EQ(tuneAndListen(kExitFine, files), "");
  EXPECT_EQ(countKnown(), kGroups);
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
  EXPECT_EQ(model.undone.size(), kGroups - 1);
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

TEST_F(TunerFaults, WithoutItsThreadsNothingIsBuilt) {
  workbench.noThreads = "cannot start thread 7 of 9: no";
  const std::string said = tuneAndListen(kExitBadInput);
  EXPECT_NE(said.find("fusec: error: cannot start thread 7 of 9: no\n"
                      "  hint: give --threads fewer"),
            std::string::npos)
      << said;
  EXPECT_EQ(workbench.emitted, 0u);
  EXPECT_EQ(fast_run::getFileSystem().getKind(options.cache),
            fast_run::FileSystem::Kind::none);
  EXPECT_EQ(makeWorkbench()->probe(2), "");
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

TEST_F(TunerFaults, WithoutAnyOtherOneTheNaiveKernelIsTaken) {
  workbench.getFailure = [](llvm::StringRef group, llvm::StringRef algorithm) {
    return group == "sums_d" && algorithm != "naive" ? "it is wrong" : "";
  };
  const std::string said = tuneAndListen(kExitFine);
  const std::string what =
      "groups.mlir: warning: group sums_d (sums_d; 5x16xf32 -> 5xf32): all of "
      "its algorithms but the naive one fail, as ";
  EXPECT_NE(said.find(what), std::string::npos) << said;
  EXPECT_EQ(said.find("sums_a"), std::string::npos) << said;
  EXPECT_EQ(find("sums_d").taken, "naive");
  // Who asks for the record gets it, too.
  const fast_run::Records kept = readCache();
  const auto found = kept.find(RecordKind::group, find("sums_d").key);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(fast_run::choose(*found[0], {})->name, "naive");
  // What is known of it is said again.
  EXPECT_EQ(tuneAndListen(kExitFine), said);
  EXPECT_EQ(timings, 0u);
}

TEST_F(TunerFaults, WithStrictThatIsAnError) {
  workbench.backend.cores = "1";
  options.strict = true;
  workbench.getFailure = [](llvm::StringRef group, llvm::StringRef algorithm) {
    return group == "sums_d" && algorithm != "naive" ? "it is wrong" : "";
  };
  const std::string said = tuneAndListen(kExitBadInput);
  EXPECT_NE(said.find("groups.mlir: error: group sums_d (sums_d; 5x16xf32 -> "
                      "5xf32): all of its algorithms but the naive one fail"),
            std::string::npos)
      << said;
  EXPECT_NE(said.find("hint: leave out --strict"), std::string::npos);
  // What was measured is kept, and no reason to take it.
  EXPECT_EQ(readCache().size(), 2u);
  EXPECT_EQ(tuneAndListen(kExitBadInput), said);
  EXPECT_TRUE(workbench.timed.empty());
}

TEST_F(TunerFaults, NoModelKeepsADefaultThatIsWrong) {
  ASSERT_EQ(tune(), kExitFine);
  for (const TunedResult &group : model.groups)
    workbench.keptDefaults.push_back(group.key);
  workbench.getTime = [](llvm::StringRef, llvm::StringRef algorithm, size_t) {
    return uint64_t(algorithm == "rows" ? 600 : 1000);
  };
  workbench.getFailure = [](llvm::StringRef group, llvm::StringRef algorithm) {
    return group == "sums_d" && algorithm == "default" ? "it is wrong" : "";
  };
  options.retune = "all";
  ASSERT_EQ(tune(), kExitFine);
  EXPECT_EQ(find("sums_d").taken, "rows");
  ASSERT_TRUE(model.verdict);
  EXPECT_EQ(model.verdict->keptDefaults.size(), kGroups - 1);
  EXPECT_FALSE(
      llvm::is_contained(model.verdict->keptDefaults, find("sums_d").key));
}
