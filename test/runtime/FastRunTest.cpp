// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What Fast-Run remembers: its text, its algebra, and what faults leave of it.
#include "runtime/fast_run/Cache.h"
#include "runtime/fast_run/RecordText.h"

#include <gtest/gtest.h>

#include <atomic>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <random>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

using namespace fusec::fast_run;

namespace {
using Random = std::mt19937_64;

/// Few keys, backends and kernels, so that records meet.
Record makeRecord(Random &random) {
  const auto below = [&](uint64_t count) { return random() % count; };
  const auto word = [&](const char *stem) {
    return stem + std::to_string(below(3));
  };
  Record record;
  record.kind = below(4) ? RecordKind::group : RecordKind::model;
  record.key = hash(word("key"));
  record.at = below(4);
  record.search = below(2) ? "heuristic" : "exhaustive";
  record.backend.device = word("AMD \"EPYC\" \\ 9B14 | ");
  record.backend.threads = word("");
  for (uint64_t left = below(4); left > 0; --left) {
    Timing timing;
    timing.name = word("tiles_");
    timing.choice = word("proposer=isl config=#sched.config<tile = [8, 48]>");
    timing.kernel = hash(word("kernel"));
    timing.picoseconds = below(1000);
    timing.workspace = below(2) << 20;
    timing.naive = below(2);
    timing.reproducible = below(2);
    if (below(4) == 0)
      timing.failure = word("signal ");
    record.timings.push_back(timing);
  }
  if (record.kind == RecordKind::model)
    record.keptDefaults.assign(below(3), hash("kept"));
  return record;
}

Records makeRecords(Random &random) {
  Records records;
  for (uint64_t left = random() % 12; left > 0; --left)
    records.add(makeRecord(random));
  return records;
}

Records merge(const Records &a, const Records &b) {
  Records both = a;
  both.add(b);
  return both;
}

/// A folder that is gone at the end.
struct Folder {
  std::string path;

  Folder() {
    std::string pattern =
        (std::filesystem::temp_directory_path() / "fast-run-XXXXXX").string();
    path = ::mkdtemp(pattern.data());
  }
  ~Folder() { std::filesystem::remove_all(path); }
};

/// The real one, but for calls that fail: those that `fails` says so of.
class FaultyFileSystem final : public FileSystem {
public:
  std::function<int(const char *)> fails;

  explicit FaultyFileSystem(std::function<int(const char *)> fails)
      : fails(std::move(fails)) {}

  Kind getKind(const std::string &path) override { return real.getKind(path); }
  int makeFolder(const std::string &path) override {
    const int code = fails("makeFolder");
    return code ? code : real.makeFolder(path);
  }
  int list(const std::string &path, std::vector<std::string> &names) override {
    const int code = fails("list");
    return code ? code : real.list(path, names);
  }
  int read(const std::string &path, std::string &text) override {
    const int code = fails("read");
    return code ? code : real.read(path, text);
  }
  int create(const std::string &path, const std::string &text) override {
    const int code = fails("create");
    return code ? code : real.create(path, text);
  }
  int append(const std::string &path, const std::string &text) override {
    const int code = fails("append");
    return code ? code : real.append(path, text);
  }
  int write(const std::string &path, const std::string &text) override {
    const int code = fails("write");
    return code ? code : real.write(path, text);
  }
  int remove(const std::string &path) override {
    const int code = fails("remove");
    return code ? code : real.remove(path);
  }

private:
  FileSystem &real = getFileSystem();
};

std::string parseError(const std::string &line) {
  Line parsed;
  return parse(line, parsed);
}

/// A line of `body` with the sum that it should have.
std::string sign(const std::string &body) { return hash(body) + " " + body; }
} // namespace

TEST(FastRunText, IsReadAsItWasWritten) {
  Random random(1);
  for (int i = 0; i < 2000; ++i) {
    const std::string text = print(makeRecord(random));
    Line line;
    ASSERT_EQ(parse(text, line), "") << text;
    ASSERT_TRUE(line.record);
    ASSERT_EQ(print(*line.record), text);
  }
}

TEST(FastRunText, EachDamagedByteShows) {
  Random random(2);
  const std::string text = print(makeRecord(random));
  for (size_t at = 0; at < text.size(); ++at) {
    std::string damaged = text;
    damaged[at] ^= 1;
    EXPECT_NE(parseError(damaged), "") << damaged;
    EXPECT_NE(parseError(text.substr(0, at)), "");
  }
}

TEST(FastRunText, SaysWhatIsWrong) {
  const std::string key = "key=0123456789abcdef";
  EXPECT_EQ(parseError(sign("group " + key)), "");
  EXPECT_EQ(parseError("nonsense"), "does not begin with the sum of a line");
  EXPECT_EQ(
      parseError(sign("kernel " + key)),
      "neither a group nor a model: 'kernel' is of a newer version, or of "
      "none");
  EXPECT_EQ(parseError(sign("group")), "no key");
  EXPECT_EQ(parseError(sign("group key=1")),
            "field 'key' is not 16 hexadecimal digits");
  EXPECT_EQ(parseError(sign("group " + key + " at=99999999999999999999")),
            "field 'at' is no number of 64 bits");
  EXPECT_EQ(parseError(sign("group " + key + " at=-1")),
            "field 'at' is no number of 64 bits");
  EXPECT_EQ(parseError(sign("group " + key + " colour=red")),
            "a field 'colour' that this version does not know");
  EXPECT_EQ(parseError(sign("group " + key + " device=\"AMD")),
            "a quote that does not end");
  EXPECT_EQ(parseError(sign("group " + key + " | picoseconds=1")),
            "a timing without a name");
  EXPECT_EQ(parseError(sign("group " + key + " device=\x1b[2J")),
            "control characters");
  EXPECT_EQ(parseError(sign("group " + key + " device=\"AMD\"")),
            "not as fusec writes it");
  EXPECT_EQ(parseError(std::string(kMostLineBytes + 1, 'x')),
            "more than 262144 bytes");
  std::string many = "group " + key;
  for (size_t i = 0; i <= kMostTimings; ++i)
    many += " | name=x";
  EXPECT_EQ(parseError(sign(many)), "more than 256 timings");
}

TEST(FastRunText, WritesNoControlCharacters) {
  Record record;
  record.key = hash("");
  record.backend.device = "a\nb\x1b";
  EXPECT_NE(print(record).find("device=a?b?"), std::string::npos);
}

TEST(FastRunRecord, EachFieldOfTheBackendCounts) {
  for (const BackendField &field : getBackendFields()) {
    Backend one, other;
    other.*field.member = "x";
    EXPECT_FALSE(one == other) << field.name;
    EXPECT_EQ(one.getDifferences(other), field.name);
    EXPECT_EQ(one.isSameMachine(other), std::string(field.name) == "compiler");
  }
}

TEST(FastRunRecord, KeepsWhatAWishCanAskFor) {
  const auto make = [](const char *name, uint64_t time, uint64_t workspace,
                       bool reproducible) {
    Timing timing;
    timing.name = name;
    timing.picoseconds = time;
    timing.workspace = workspace;
    timing.reproducible = reproducible;
    return timing;
  };
  Record record;
  record.timings = {make("slow", 4, 0, true), make("fast", 1, 100, false),
                    make("dominated", 3, 100, false),
                    make("small", 2, 10, false), make("wrong", 0, 0, true)};
  record.timings.back().failure = "other results than the naive one";
  keepUseful(record.timings);
  std::string names;
  for (const Timing &timing : record.timings)
    names += timing.name + " ";
  EXPECT_EQ(names, "fast small slow wrong ");

  Wish wish;
  EXPECT_EQ(choose(record, wish)->name, "fast");
  wish.workspaceLimit = 50;
  EXPECT_EQ(choose(record, wish)->name, "small");
  wish.reproducible = true;
  EXPECT_EQ(choose(record, wish)->name, "slow");
  record.timings[2].naive = true;
  wish.naive = false;
  EXPECT_EQ(choose(record, wish), nullptr);
}

TEST(FastRunRecords, MergeIsThatOfSets) {
  Random random(3);
  for (int i = 0; i < 300; ++i) {
    const Records a = makeRecords(random), b = makeRecords(random),
                  c = makeRecords(random);
    ASSERT_EQ(merge(a, b).print(), merge(b, a).print());
    ASSERT_EQ(merge(merge(a, b), c).print(), merge(a, merge(b, c)).print());
    ASSERT_EQ(merge(a, a).print(), a.print());
    Contents again;
    parseSegment(a.print(), "file", again);
    ASSERT_TRUE(again.damages.empty());
    ASSERT_TRUE(again.segments.front().closed);
    ASSERT_EQ(again.records.print(), a.print());
  }
}

TEST(FastRunRecords, OfOneKernelTheNewestStays) {
  Record record;
  record.key = hash("key");
  record.timings.resize(1);
  record.timings[0].name = "fast";
  record.timings[0].kernel = hash("old kernel");
  record.at = 1;
  Records records;
  records.add(record);
  record.at = 3;
  records.add(record);
  record.at = 2;
  records.add(record);
  EXPECT_EQ(records.size(), 1u);
  record.timings[0].kernel = hash("new kernel");
  records.add(record);
  const auto found = records.find(RecordKind::group, record.key);
  ASSERT_EQ(found.size(), 2u);
  EXPECT_EQ(found[0]->at, 3u);
  EXPECT_EQ(found[1]->at, 2u);
  EXPECT_TRUE(records.find(RecordKind::model, record.key).empty());
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
    EXPECT_EQ(writer.prepare(), "");
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
