// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a program says before it ends for a crash.
#include "tools/Guard.h"

#include "compiler/io/MappedFile.h"
#include "dialects/Limits.h"

#include <csignal>
#include <cstdio>
#include <fcntl.h>
#include <fstream>
#include <gtest/gtest.h>
#include <unistd.h>

using namespace fusec;

namespace {

int guard(llvm::function_ref<int()> work) {
  return tool::runGuarded("test", work, [](const Problem &problem, int) {
    std::fprintf(stderr, "%s\n", describe(problem).c_str());
  });
}

/// Takes as much stack as there is.
int dig(volatile char *above) {
  volatile char frame[1 << 12];
  frame[0] = 0;
  return above && *above ? 0 : frame[0] + dig(frame) + frame[0];
}

/// Takes `count` frames of 4 KB.
size_t fill(size_t count, volatile char *above) {
  volatile char frame[1 << 12];
  frame[0] = above ? *above : 1;
  return count ? fill(count - 1, frame) + frame[0] : 0;
}

TEST(Guard, ReturnsWhatTheWorkDoes) {
  EXPECT_EQ(guard([] { return 3; }), 3);
}

TEST(Guard, GivesMoreStackThanTheSystem) {
  // Half of it, for sanitizers widen frames.
  const size_t count = kStackBytes / 2 >> 13;
  EXPECT_EQ(guard([&] { return fill(count, nullptr) == count; }), 1);
}

TEST(Guard, SaysThatTheStackIsUsedUp) {
  EXPECT_EXIT(guard([] { return dig(nullptr); }), testing::ExitedWithCode(4),
              "test: error: the input is nested too deeply: the stack of 256 "
              "MB that it is worked on with is used up");
}

TEST(Guard, SaysThatAFileWasShortened) {
  const std::string path =
      testing::TempDir() + "/fusec-shortened-" + std::to_string(::getpid());
  std::ofstream(path) << std::string(1 << 16, 'x');
  auto shorten = [&] {
    auto file = io::MappedFile::open(path);
    if (!file || ::truncate(path.c_str(), 10))
      return 1;
    return int((*file)->bytes()[1 << 15]);
  };
  EXPECT_EXIT(guard(shorten), testing::ExitedWithCode(4),
              path + ": error: was shortened, or cannot be read any more, "
                     "since it was opened");
  ::unlink(path.c_str());
}

TEST(Guard, CallsOtherCrashesBugs) {
  EXPECT_EXIT(guard([]() -> int { std::abort(); }), testing::ExitedWithCode(70),
              "test: internal error: it crashed");
  EXPECT_EXIT(guard([] { return std::raise(SIGSEGV); }),
              testing::ExitedWithCode(70), "test: internal error: it crashed");
}

} // namespace
