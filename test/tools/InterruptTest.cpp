// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What is long is given up when it must stop, whatever it does.
#include "tools/fusec/Interrupt.h"

#include "codegen/FolderAside.h"

#include "llvm/Support/FileSystem.h"
#include <gtest/gtest.h>

#include <atomic>
#include <csignal>
#include <fstream>
#include <stdexcept>
#include <string>
#include <thread>
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
        doUntilStopped(waitForever);
      },
      ::testing::ExitedWithCode(7), "^left\n$");
}

TEST(Interrupt, WhatWorkWritesAsideIsRemoved) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  const std::string parent = testing::TempDir() + "/fusec-given-up";
  llvm::sys::fs::remove_directories(parent);
  ASSERT_FALSE(llvm::sys::fs::create_directory(parent));
  EXPECT_EXIT(
      {
        std::atomic<bool> isWriting = false;
        setFarewell([&] { return isWriting ? 7 : 1; });
        doUntilStopped([&] {
          auto aside = codegen::FolderAside::create(parent + "/made");
          for (unsigned count = 0; aside; ++count) {
            // The folder may be gone by now, and then nothing is written.
            std::ofstream(aside->path() + "/" + std::to_string(count)) << count;
            isWriting = true;
            setDeadline(Clock::now());
            std::this_thread::sleep_for(std::chrono::milliseconds(1));
          }
        });
      },
      ::testing::ExitedWithCode(7), "");
  std::error_code error;
  EXPECT_EQ(llvm::sys::fs::directory_iterator(parent, error),
            llvm::sys::fs::directory_iterator());
  llvm::sys::fs::remove_directories(parent);
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
