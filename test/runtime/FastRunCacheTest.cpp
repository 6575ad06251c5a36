// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What faults, kills and others who write leave of a cache: all that was
// committed.
#include "test/runtime/FastRunFiles.h"
#include "test/runtime/FastRunRecords.h"

#include <gtest/gtest.h>

#include <atomic>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <filesystem>
#include <poll.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

using namespace fusec::fast_run;

TEST(FastRunCache, SaysWhereNoFolderCanBeMade) {
  for (const char *path : {"", "/proc/none", "/proc/none/deeper"})
    EXPECT_NE(getFileSystem().makeFolder(path), 0) << path;
}

TEST(FastRunCache, IsAFolderOrAFile) {
  Folder folder;
  FileSystem &files = getFileSystem();
  EXPECT_EQ(read(files, folder.path + "/none").error,
            "No such file or directory");
  EXPECT_EQ(read(files, folder.path + "/none", /*mayLack=*/true).error, "");
  Random random(4);
  const Records records = makeRecords(random);
  const std::string cache = folder.path + "/a/cache";
  {
    Writer writer(files, cache);
    for (const Record *record : records.getAll())
      EXPECT_EQ(writer.append(*record), "");
    EXPECT_FALSE(read(files, cache).segments.front().closed);
  }
  EXPECT_TRUE(read(files, cache).segments.front().closed);
  EXPECT_EQ(read(files, cache).records.print(), records.print());
  const std::string merged = folder.path + "/merged.frc";
  ASSERT_EQ(files.write(merged, records.print()), 0);
  EXPECT_EQ(read(files, merged).records.print(), records.print());
}

TEST(FastRunCache, UsesTheRestOfWhatIsDamaged) {
  Folder folder;
  FileSystem &files = getFileSystem();
  Random random(5);
  Records records;
  records.add(makeRecord(random));
  const std::string good = print(*records.getAll().front());
  const auto put = [&](const char *name, const std::string &text) {
    ASSERT_EQ(files.write(folder.path + "/" + name, text), 0);
  };
  put("a.frc", "fusec.cache 1\nnonsense\n" + good + "\n" + good.substr(0, 40));
  put("b.frc", "fusec.cache 9\nwho knows\n");
  put("c.frc", "a holiday picture");
  put("d.frc", "");
  put("readme.txt", "no segment");
  std::filesystem::create_directory(folder.path + "/e.frc");
  const Contents contents = read(files, folder.path);
  EXPECT_EQ(contents.records.print(), records.print());
  std::string said;
  for (const Damage &damage : contents.damages)
    said += damage.file.substr(folder.path.size() + 1) + ":" +
            std::to_string(damage.line) + ": " + damage.reason + "\n";
  EXPECT_EQ(
      said,
      "a.frc:2: does not begin with the sum of a line\n"
      "a.frc:4: cut off\n"
      "b.frc:1: is of another version of fusec, which may know what is in "
      "it\n"
      "c.frc:1: is no cache of fusec: its first line is not 'fusec.cache "
      "1'\n"
      "e.frc:0: is no file that can be read\n");
  EXPECT_EQ(read(files, folder.path + "/c.frc").error,
            "is no cache of fusec: its first line is not 'fusec.cache 1'");
}

TEST(FastRunCache, AProbeSaysWhatAWriterCouldDo) {
  Folder folder;
  const std::string cache = folder.path + "/cache";
  EXPECT_EQ(Writer(getFileSystem(), cache).probe(), "");
  EXPECT_TRUE(std::filesystem::is_empty(cache));
  for (const char *call : {"makeFolder", "create", "remove"}) {
    FaultyFileSystem files([&](const char *asked) {
      return std::string(asked) == call ? EROFS : 0;
    });
    EXPECT_EQ(Writer(files, cache).probe(), "Read-only file system") << call;
  }
  EXPECT_TRUE(read(getFileSystem(), cache).segments.empty());
}

TEST(FastRunCache, CompactionLosesNothing) {
  Folder folder;
  FileSystem &files = getFileSystem();
  Random random(6);
  Writer open(files, folder.path);
  for (int i = 0; i < 3; ++i) {
    Writer writer(files, folder.path);
    EXPECT_EQ(writer.append(makeRecord(random)), "");
    EXPECT_EQ(open.append(makeRecord(random)), "");
  }
  ASSERT_EQ(files.write(folder.path + "/z.frc", "fusec.cache 9\n"), 0);
  const std::string before = read(files, folder.path).records.print();
  Contents contents;
  EXPECT_EQ(compact(files, folder.path, Removed::closed, contents), "");
  EXPECT_EQ(contents.records.print(), before);
  // The open one, the one of another version, and what came of the others.
  EXPECT_EQ(read(files, folder.path).segments.size(), 3u);
  EXPECT_EQ(read(files, folder.path).records.print(), before);
  EXPECT_EQ(compact(files, folder.path, Removed::all, contents), "");
  EXPECT_EQ(read(files, folder.path).segments.size(), 2u);
  EXPECT_EQ(read(files, folder.path).records.print(), before);
  // A writer whose segment went goes on in another.
  EXPECT_EQ(open.append(makeRecord(random)), "");
  EXPECT_EQ(read(files, folder.path).segments.size(), 3u);
}

TEST(FastRunCache, ManyWritersAndCompactionsAtATime) {
  Folder folder;
  constexpr int writers = 32, each = 20;
  std::atomic<int> left = writers;
  std::vector<std::thread> threads;
  std::vector<Records> written(writers);
  for (int number = 0; number < writers; ++number)
    threads.emplace_back([&, number] {
      Random random(100 + number);
      Writer writer(getFileSystem(), folder.path);
      for (int i = 0; i < each; ++i) {
        const Record record = makeRecord(random);
        if (writer.append(record).empty())
          written[number].add(record);
      }
      writer.close();
      --left;
    });
  for (int number = 0; number < 2; ++number)
    threads.emplace_back([&] {
      Contents contents;
      do
        EXPECT_EQ(
            compact(getFileSystem(), folder.path, Removed::closed, contents),
            "");
      while (left > 0);
    });
  for (std::thread &thread : threads)
    thread.join();
  Records all;
  for (const Records &records : written)
    all.add(records);
  EXPECT_EQ(read(getFileSystem(), folder.path).records.print(), all.print());
}

/// Appends records until it is killed, and says through `pipe` which it has
/// committed.
[[noreturn]] static void writeUntilKilled(const std::string &folder, int seed,
                                          int pipe) {
  Random random(seed);
  Writer writer(getFileSystem(), folder);
  while (true) {
    const std::string line = print(makeRecord(random)) + "\n";
    Line parsed;
    parse(std::string_view(line).substr(0, line.size() - 1), parsed);
    if (!writer.append(*parsed.record).empty() ||
        ::write(pipe, line.data(), line.size()) < 0)
      std::_Exit(1);
  }
}

TEST(FastRunCache, KilledWritersLoseNothingThatWasCommitted) {
  Folder folder;
  Records committed;
  Random random(7);
  for (int seed = 0; seed < 50; ++seed) {
    int ends[2];
    ASSERT_EQ(::pipe(ends), 0);
    const pid_t child = ::fork();
    if (child == 0)
      writeUntilKilled(folder.path, seed, ends[1]);
    ::close(ends[1]);
    // Half of them at any time, the others when something has been committed,
    // however long it takes a busy machine to begin.
    if (seed % 2 == 1) {
      pollfd commits = {ends[0], POLLIN, 0};
      ::poll(&commits, 1, /*milliseconds=*/10'000);
    }
    std::this_thread::sleep_for(std::chrono::microseconds(random() % 5000));
    ::kill(child, SIGKILL);
    int status = 0;
    ::waitpid(child, &status, 0);
    std::string said(kCacheHeader);
    said += '\n';
    char buffer[4096];
    for (ssize_t count; (count = ::read(ends[0], buffer, sizeof(buffer))) > 0;)
      said.append(buffer, static_cast<size_t>(count));
    ::close(ends[0]);
    Contents contents;
    parseSegment(said, "pipe", contents);
    committed.add(contents.records);
  }
  EXPECT_GT(committed.size(), 0u);
  Records all = read(getFileSystem(), folder.path).records;
  // What the pipe did not get any more may be there too.
  const std::string before = all.print();
  all.add(committed);
  EXPECT_EQ(all.print(), before);
}

TEST(FastRunCache, FaultsLoseNothingThatWasCommitted) {
  for (int seed = 0; seed < 200; ++seed) {
    Folder folder;
    Random random(seed), faults(seed);
    FaultyFileSystem files([&](const char *) {
      const int codes[] = {ENOSPC, EIO, EACCES, EDQUOT};
      return faults() % 3 ? 0 : codes[faults() % 4];
    });
    Records committed;
    for (int i = 0; i < 4; ++i) {
      Writer writer(files, folder.path + "/cache");
      for (int j = 0; j < 3; ++j) {
        const Record record = makeRecord(random);
        if (writer.append(record).empty())
          committed.add(record);
      }
      Contents contents;
      compact(files, folder.path + "/cache",
              i % 2 ? Removed::closed : Removed::all, contents);
    }
    const Contents contents =
        read(getFileSystem(), folder.path + "/cache", /*mayLack=*/true);
    ASSERT_EQ(contents.records.print(), committed.print()) << seed;
    ASSERT_TRUE(contents.damages.empty()) << seed;
  }
}
