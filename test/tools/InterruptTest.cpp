// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What is long is given up when it must stop, whatever it does.
#include "tools/fusec/Interrupt.h"

#include <gtest/gtest.h>

#include <csignal>
#include <stdexcept>
#include <unistd.h>

using namespace fusec::tool;
using Clock = std::chrono::steady_clock;

namespace {
void waitForever() {
  for (;;)
    ::pause();
}

/// The exit code of who ends so.
int sayFarewell(const char *words, int code) {
  ::fputs(words, stderr);
  return code;
}
} // namespace

TEST(Interrupt, WorkWithoutAnEndEndsAtTheDeadline) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(
      {
        setFarewell([] { return sayFarewell("left\n", 7); });
        setDeadline(Clock::now() + std::chrono::milliseconds(10));
        doUntilStopped(waitForever, [] { ::fputs("clean, ", stderr); });
      },
      ::testing::ExitedWithCode(7), "^clean, left\n$");
}

TEST(Interrupt, WorkWithoutAnEndEndsAfterAnInterrupt) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(
      {
        watchInterrupts();
        setFarewell([] { return isInterrupted() ? 130 : 1; });
        doUntilStopped([] {
          ::kill(::getpid(), SIGINT);
          waitForever();
        });
      },
      ::testing::ExitedWithCode(130), "");
}

TEST(Interrupt, WorkThatIsDoneIsAsIfItWereDoneHere) {
  bool isDone = false;
  setFarewell([] { return 1; });
  doUntilStopped([&] { isDone = true; });
  EXPECT_TRUE(isDone);
  EXPECT_THROW(doUntilStopped([] { throw std::runtime_error("no"); }),
               std::runtime_error);
  setFarewell(nullptr);
}

TEST(Interrupt, AProgramEndsAtTheDeadlineWithWhatItStarted) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(
      {
        watchInterrupts();
        setDeadline(Clock::now() + std::chrono::milliseconds(100));
        const int code =
            runProgram({"/bin/sh", "-c", "sleep 1000; true"}, "/dev/null");
        ::_exit(code < 0 ? 0 : 1);
      },
      ::testing::ExitedWithCode(0), "");
  EXPECT_EQ(runProgram({"/bin/sh", "-c", "exit 3"}, "/dev/null"), 3);
  EXPECT_EQ(runProgram({"/bin/sh", "-c", "kill -9 $$"}, "/dev/null"), -1);
  EXPECT_EQ(runProgram({"/nonexistent"}, "/dev/null"), -1);
}
