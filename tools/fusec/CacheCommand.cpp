// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// fusec cache: what Fast-Run remembers.
#include "compiler/import/Message.h"
#include "tools/fusec/CacheOptions.h"
#include "tools/fusec/CacheReport.h"
#include "tools/fusec/Command.h"
#include "tools/fusec/Gpu.h"
#include "tools/fusec/Json.h"
#include "tools/fusec/RunOptions.h"

#include "llvm/ADT/StringSwitch.h"
#include <ctime>
#include <fmt/format.h>

namespace fusec::tool {

using fast_run::Backend;
using fast_run::Contents;
using fast_run::FileSystem;
using fast_run::getFileSystem;
using fast_run::Record;
using fast_run::RecordKind;
using fast_run::Records;
using fast_run::Removed;
using fast_run::Segment;

namespace {
struct CacheArguments {
  std::vector<std::string> paths;
  std::string path, key, output, age;
  bool json = false, all = false, foreign = false, stale = false;
};
} // namespace

static constexpr const char *kCacheExamples = R"(
Examples:
  fusec cache ls tuned                       what is known, a line each
  fusec cache show tuned 4ef90aa9d9805c61    all timings of a group
  fusec cache merge tuned other.frc -o all.frc
  fusec cache compact tuned                  one file in place of many
  fusec cache prune tuned --older-than 90d --foreign
  fusec cache diff old.frc new.frc           exit code 1 where they differ
  fusec cache verify tuned                   exit code 1 where a line is damaged

A cache is a folder of segments or one file; a folder is what several processes may
write to. No command loses a record that it was not told to remove.)";

static ExitCode fail(const std::string &path, const std::string &reason,
                     const std::string &hint) {
  Problem problem;
  problem.file = path;
  problem.reason = reason;
  problem.hint = hint;
  say(problem);
  return kExitBadInput;
}

static ExitCode refuse(const std::string &path, const std::string &reason) {
  return fail(path, reason,
              "name a folder that fusec tune wrote to, or a file that fusec "
              "cache merge wrote");
}

/// Reads a cache, warns of what is damaged, and says why there is none.
static ExitCode load(const std::string &path, Contents &contents) {
  contents = fast_run::read(getFileSystem(), path);
  if (!contents.error.empty())
    return refuse(path, contents.error);
  warnOfDamages(contents.damages);
  return kExitFine;
}

static ExitCode list(const CacheArguments &arguments) {
  Contents contents;
  if (ExitCode code = load(arguments.path, contents); code != kExitFine)
    return code;
  if (arguments.json) {
    printAsJson([&](llvm::json::OStream &json) {
      json.attribute("format", 1); // tools/fusec/schemas
      json.attributeArray("records", [&] {
        for (const Record *record : contents.records.getAll())
          printAsObject(*record, json);
      });
    });
    return kExitFine;
  }
  if (contents.records.empty()) {
    llvm::outs() << arguments.path << ": no records\n";
    return kExitFine;
  }
  printSummaryHeader(llvm::outs());
  for (const Record *record : contents.records.getAll())
    printSummary(*record, llvm::outs());
  return kExitFine;
}

static ExitCode show(const CacheArguments &arguments) {
  Contents contents;
  if (ExitCode code = load(arguments.path, contents); code != kExitFine)
    return code;
  bool found = false;
  for (RecordKind kind : {RecordKind::group, RecordKind::model})
    for (const Record *record : contents.records.find(kind, arguments.key)) {
      printWhole(*record, llvm::outs());
      found = true;
    }
  if (found)
    return kExitFine;
  return fail(arguments.path, "has no record of '" + arguments.key + "'",
              "fusec cache ls prints the keys");
}

/// Whether what is merged, `all`, may be written to `path`: nothing is lost by
/// it.
static ExitCode checkOutput(const std::string &path, const Records &all) {
  FileSystem &files = getFileSystem();
  switch (files.getKind(path)) {
  case FileSystem::Kind::none:
    return kExitFine;
  case FileSystem::Kind::file:
    if (Contents old = fast_run::read(files, path); old.error.empty()) {
      Records both = all;
      both.add(old.records);
      if (both.print() == all.print())
        return kExitFine;
      return fail(path, "has records that are in none of the caches to merge",
                  "name it among them to keep these, or remove it");
    }
    return fail(path, "is there, and is no cache of fusec",
                "remove it, or give -o another name");
  case FileSystem::Kind::folder:
    return fail(
        path, "is a folder",
        "give -o the name of a file; fusec cache compact makes one file "
        "of a folder's");
  case FileSystem::Kind::other:
    break;
  }
  return fail(path, "is neither a file nor free", "give -o another name");
}

static ExitCode merge(const CacheArguments &arguments) {
  if (arguments.output.empty()) {
    std::string command = "fusec cache merge";
    for (const std::string &path : arguments.paths)
      command += " " + shellWord(path);
    throw UsageError{"merge writes a file; name it: " + command + " -o FILE"};
  }
  Records all;
  for (const std::string &path : arguments.paths) {
    Contents contents;
    if (ExitCode code = load(path, contents); code != kExitFine)
      return code;
    all.add(contents.records);
  }
  if (ExitCode code = checkOutput(arguments.output, all); code != kExitFine)
    return code;
  if (int code = getFileSystem().write(arguments.output, all.print()))
    return fail(arguments.output,
                "cannot be written: " + fast_run::describe(code),
                "nothing was changed");
  llvm::outs() << fmt::format("{}: {} records of {} caches\n", arguments.output,
                              all.size(), arguments.paths.size());
  return kExitFine;
}

static Removed getRemoved(const CacheArguments &arguments) {
  return arguments.all ? Removed::all : Removed::closed;
}

/// Removes from a folder's closed segments, or from a file, what `isWanted`
/// says no to; `contents` is what stays.
static ExitCode rewrite(const CacheArguments &arguments, Contents &contents,
                        const std::function<bool(const Record &)> &isWanted) {
  FileSystem &files = getFileSystem();
  if (files.getKind(arguments.path) == FileSystem::Kind::folder) {
    std::string error = fast_run::compact(
        files, arguments.path, getRemoved(arguments), contents, isWanted);
    warnOfDamages(contents.damages);
    return error.empty() ? kExitFine
                         : fail(arguments.path, error, "no record was lost");
  }
  if (ExitCode code = load(arguments.path, contents); code != kExitFine)
    return code;
  if (!isWanted)
    return fail(arguments.path, "is one file already",
                "compact is for a folder of segments");
  contents.records.keepIf(isWanted);
  if (int code = files.write(arguments.path, contents.records.print()))
    return fail(arguments.path,
                "cannot be written: " + fast_run::describe(code),
                "nothing was changed");
  return kExitFine;
}

/// Says what a cache has now, and what nobody could take; returns the number of
/// its records.
static size_t sayRest(const CacheArguments &arguments) {
  Contents contents = fast_run::read(getFileSystem(), arguments.path);
  const size_t open =
      llvm::count_if(contents.segments, [](const Segment &segment) {
        return segment.known && !segment.closed;
      });
  llvm::outs() << fmt::format("{}: {} records\n", arguments.path,
                              contents.records.size());
  if (open > 0)
    llvm::outs() << fmt::format(
        "open segments, which stay as they are: {}; their writers are at work, "
        "or were killed: --all is for when nobody is writing\n",
        open);
  return contents.records.size();
}

static ExitCode compactFolder(const CacheArguments &arguments) {
  Contents contents;
  ExitCode code = rewrite(arguments, contents, {});
  if (code == kExitFine)
    sayRest(arguments);
  return code;
}

/// "90d" in seconds; nothing where it is no age.
static std::optional<uint64_t> parseAge(llvm::StringRef text) {
  const uint64_t unit = llvm::StringSwitch<uint64_t>(text.take_back())
                            .Case("s", 1)
                            .Case("m", 60)
                            .Case("h", 60 * 60)
                            .Case("d", 24 * 60 * 60)
                            .Default(0);
  uint64_t count = 0;
  constexpr uint64_t kMost = 1000000;
  if (unit == 0 || text.drop_back().getAsInteger(10, count) || count > kMost)
    return std::nullopt;
  return count * unit;
}

static ExitCode prune(const CacheArguments &arguments) {
  if (arguments.age.empty() && !arguments.foreign && !arguments.stale)
    throw UsageError{"prune removes nothing by itself; say what: --older-than, "
                     "--foreign, --stale"};
  uint64_t oldest = 0;
  if (!arguments.age.empty()) {
    std::optional<uint64_t> age = parseAge(arguments.age);
    if (!age)
      throw UsageError{"--older-than=" + arguments.age +
                       " is no age; say 90d, 12h, 30m or 10s"};
    const auto now = static_cast<uint64_t>(std::time(nullptr));
    oldest = now > *age ? now - *age : 0;
  }
  const Backend here = describeBackend();
  // Where there are none, all records of GPUs are foreign.
  std::vector<Backend> gpus;
  for (const DeviceTools &tools : getDeviceTools())
    (void)findGpu(tools, /*row=*/nullptr, gpus.emplace_back());
  size_t before = 0;
  auto isWanted = [&](const Record &record) {
    const Backend &backend = record.backend;
    bool isForeign = backend.driver.empty()
                         ? backend.device != here.device ||
                               backend.caches != here.caches ||
                               backend.cores != here.cores
                         : llvm::none_of(gpus, [&](const Backend &gpu) {
                             return backend.device == gpu.device &&
                                    backend.driver == gpu.driver;
                           });
    ++before;
    return record.at >= oldest && !(arguments.foreign && isForeign) &&
           !(arguments.stale && backend.algorithms != here.algorithms);
  };
  Contents contents;
  ExitCode code = rewrite(arguments, contents, isWanted);
  if (code != kExitFine)
    return code;
  const size_t after = sayRest(arguments);
  llvm::outs() << fmt::format("removed: {}\n",
                              before - std::min(before, after));
  return kExitFine;
}

static ExitCode diff(const CacheArguments &arguments) {
  Contents contents[2];
  std::map<std::string, const Record *> texts[2];
  for (unsigned side = 0; side < 2; ++side) {
    if (ExitCode code = load(arguments.paths[side], contents[side]);
        code != kExitFine)
      return code;
    for (const Record *record : contents[side].records.getAll()) {
      std::string text;
      llvm::raw_string_ostream os(text);
      printWhole(*record, os);
      texts[side][text] = record;
    }
  }
  bool same = true;
  for (unsigned side = 0; side < 2; ++side)
    for (const auto &[text, record] : texts[side])
      if (!texts[1 - side].count(text)) {
        if (same)
          printSummaryHeader(llvm::outs() << "  ");
        printSummary(*record, llvm::outs() << (side == 0 ? "- " : "+ "));
        same = false;
      }
  return same ? kExitFine : kExitCheckFailed;
}

static ExitCode verify(const CacheArguments &arguments) {
  Contents contents;
  if (ExitCode code = load(arguments.path, contents); code != kExitFine)
    return code;
  llvm::outs() << fmt::format("{}: {} records in {} files, {} damages\n",
                              arguments.path, contents.records.size(),
                              contents.segments.size(),
                              contents.damages.size());
  return contents.damages.empty() ? kExitFine : kExitCheckFailed;
}

void addCache(CLI::App &app, Action &chosen) {
  CLI::App &command = *app.add_subcommand(
      "cache", "Look into what Fast-Run remembers, merge it, clear it up");
  command.footer(kCacheExamples);
  command.require_subcommand(1);
  auto arguments = std::make_shared<CacheArguments>();
  auto add = [&](const char *name, const char *what,
                 ExitCode (*run)(const CacheArguments &)) -> CLI::App & {
    CLI::App &sub = *command.add_subcommand(name, what);
    sub.callback([=, &chosen] { chosen = [=] { return run(*arguments); }; });
    return sub;
  };
  auto addPath = [&](CLI::App &sub) {
    sub.add_option("CACHE", arguments->path, "A folder, or a merged file")
        ->required();
  };
  CLI::App &ls = add("ls", "List the records, a line each", list);
  addPath(ls);
  ls.add_flag("--json", arguments->json, "Print one JSON object");
  CLI::App &showing = add("show", "Print all that is known of a key", show);
  addPath(showing);
  showing.add_option("KEY", arguments->key, "16 hexadecimal digits")
      ->required();
  CLI::App &merging =
      add("merge", "Write the records of caches to one file", merge);
  merging.add_option("CACHE", arguments->paths, "Folders and merged files")
      ->required();
  merging
      .add_option("-o,--output", arguments->output,
                  "The file to write; one that is there may lose no record")
      ->check(notEmpty())
      ->type_name("FILE");
  CLI::App &compacting =
      add("compact", "Make one segment of a folder's", compactFolder);
  addPath(compacting);
  CLI::App &pruning = add("prune", "Remove records", prune);
  addPath(pruning);
  for (CLI::App *sub : {&compacting, &pruning})
    sub->add_flag("--all", arguments->all,
                  "Also segments whose writers were killed: nobody may be "
                  "writing");
  pruning.add_option("--older-than", arguments->age,
                     "Those measured longer ago: 90d, 12h, 30m");
  pruning.add_flag("--foreign", arguments->foreign,
                   "Those of other machines than this one");
  pruning.add_flag("--stale", arguments->stale,
                   "Those of another set of algorithms than this fusec has");
  CLI::App &differing = add("diff", "Print what only one of two has", diff);
  differing.add_option("CACHE", arguments->paths, "The two")
      ->required()
      ->expected(2);
  CLI::App &verifying =
      add("verify", "Read everything and say what is damaged", verify);
  addPath(verifying);
}

} // namespace fusec::tool
