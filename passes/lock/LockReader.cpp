// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reads the text of a fusec.lock, whose grammar stands in Lock.h.
#include "passes/lock/Lock.h"

#include "passes/lock/Advisor.h"

#include "dialects/Nesting.h"
#include "dialects/TargetInfo.h"

#include "mlir/AsmParser/AsmParser.h"
#include "mlir/IR/Diagnostics.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"

using namespace mlir;

namespace fusec::lock {

static constexpr size_t kKeyLength = 16;

LogicalResult refuse(Location loc, const Twine &reason, const Twine &hint) {
  InFlightDiagnostic diagnostic = emitError(loc) << reason;
  diagnostic.attachNote() << hint;
  return diagnostic;
}

static unsigned lineOf(Location loc) {
  return cast<FileLineColLoc>(loc).getLine();
}

namespace {
class Reader {
public:
  Reader(StringRef file, StringRef row, MLIRContext *context)
      : file(file), context(context) {
    lock.row = row.str();
  }

  FailureOr<Lock> read();
  /// Reads what stands behind the key of a group.
  LogicalResult readGroup(StringRef rest, const std::string &key, Group &group);
  /// The same of a choice.
  LogicalResult readChoice(StringRef rest, const std::string &key,
                           Choice &choice);

private:
  LogicalResult readLine(StringRef line);
  LogicalResult readFormat(StringRef line);
  LogicalResult readTarget(StringRef line);
  LogicalResult readEntry(StringRef line);
  template <typename T>
  LogicalResult add(std::vector<T> &entries, const Twine &what, T entry);
  LogicalResult takePlace(StringRef &rest, const Twine &what, Entry &entry);
  LogicalResult takeField(StringRef &rest, StringRef name, std::string &value,
                          ArrayRef<StringRef> allowed = {});
  LogicalResult takeConfig(StringRef rest, sched::ConfigAttr &config);

  Location here() const {
    return FileLineColLoc::get(context, file, number, /*column=*/1);
  }
  LogicalResult isSecond(const Twine &what, Location first) const {
    return refuse(here(), "is a second entry for " + what,
                  "line " + Twine(lineOf(first)) +
                      " is the first; keep one of them");
  }
  LogicalResult malformed(const Twine &reason) const {
    return refuse(
        here(), reason,
        "change the line, or remove it for the default; fusec "
        "algos lists entries, fusec compile --write-lock writes them");
  }

  StringRef file;
  MLIRContext *context;
  unsigned number = 0;    ///< of the line; 0 is the file as a whole
  bool hasFormat = false; ///< whether the first line has been read
  std::string comment;
  llvm::StringSet<> sections;
  /// The section that lines belong to, where it is another row's.
  std::string *other = nullptr;
  Lock lock;
};
} // namespace

/// The beginning of what a file says, fit to be printed.
static std::string quoted(StringRef text) {
  constexpr size_t kMaxLength = 40;
  std::string result = "'";
  llvm::raw_string_ostream os(result);
  for (char c : text.take_front(kMaxLength))
    if (llvm::isPrint(c))
      os << c;
    else
      os << "\\" << llvm::hexdigit(uint8_t(c) >> 4)
         << llvm::hexdigit(uint8_t(c) & 15);
  os << (text.size() > kMaxLength ? "...'" : "'");
  return result;
}

LogicalResult Reader::readFormat(StringRef line) {
  unsigned format = 0;
  if (!line.consume_front(kMagic) || line.trim().getAsInteger(10, format))
    return refuse(here(),
                  "is no fusec.lock, for its first line is not '" + kMagic +
                      " " + Twine(kFormat) + "'",
                  "fusec compile --write-lock writes one");
  if (format != kFormat)
    return refuse(
        here(),
        "is of format " + Twine(format) + ", and this fusec reads " +
            Twine(kFormat) +
            (format < kFormat ? ", whose configs are lists of levels" : ""),
        "take the fusec that wrote it, or write another file with "
        "--write-lock");
  hasFormat = true;
  lock.header = std::move(comment);
  comment.clear();
  return success();
}

LogicalResult Reader::readTarget(StringRef line) {
  StringRef name = line;
  if (!name.consume_front("target ") || name.trim().empty())
    return malformed("says " + quoted(line) + ", expected 'target NAME'");
  name = name.trim();
  if (!getTargetInfo(name)) {
    std::string known;
    for (const TargetInfo &target : getTargets())
      known += (known.empty() ? "" : ", ") + target.name.str();
    return refuse(here(),
                  "is for target " + quoted(name) +
                      ", which is no row of the table of targets",
                  "name one of " + known + ", or remove the section");
  }
  if (!sections.insert(name).second)
    return malformed("begins a second section for target " + quoted(name));
  if (name == lock.row) {
    other = nullptr;
    lock.hasRow = true;
    lock.comment = std::move(comment);
  } else {
    other = &lock.others[name.str()];
    *other = comment + ("target " + name + "\n").str();
  }
  comment.clear();
  return success();
}

/// Takes "NAME=VALUE" off the front of `rest`.
LogicalResult Reader::takeField(StringRef &rest, StringRef name,
                                std::string &value,
                                ArrayRef<StringRef> allowed) {
  auto [word, after] = rest.ltrim().split(' ');
  StringRef found = word;
  if (!found.consume_front((name + "=").str()) || found.empty())
    return malformed("says " + quoted(word) + ", expected " + name + "=VALUE");
  if (!allowed.empty() && !llvm::is_contained(allowed, found))
    return malformed("has " + name + " " + quoted(found) + ", expected " +
                     llvm::join(allowed, " or "));
  value = found.str();
  rest = after;
  return success();
}

LogicalResult Reader::takeConfig(StringRef rest, sched::ConfigAttr &config) {
  StringRef text = rest.trim();
  if (!text.consume_front("config="))
    return malformed("says " + quoted(text) +
                     ", expected config=#sched.config");
  if (findTooDeep(text))
    return malformed("says " + quoted(text) + ", which " + describeTooDeep());
  std::string reason;
  {
    // The parser's places are columns of `text`.
    ScopedDiagnosticHandler handler(context, [&](Diagnostic &diagnostic) {
      if (reason.empty())
        reason = diagnostic.str();
      return success();
    });
    config = dyn_cast_or_null<sched::ConfigAttr>(parseAttribute(text, context));
  }
  if (!config)
    return malformed("has no #sched.config in " + quoted(text) +
                     (reason.empty() ? "" : ": " + reason));
  if (config.getName() != "default")
    return malformed("has a config named " + quoted(config.getName()) +
                     ", expected the one named 'default'");
  return success();
}

/// Takes which instruction set the line is for, and from how many threads of a
/// session on, if it says so.
LogicalResult Reader::takePlace(StringRef &rest, const Twine &what,
                                Entry &entry) {
  const TargetInfo &target = *getTargetInfo(lock.row);
  if (rest.ltrim().starts_with("isa=")) {
    if (failed(takeField(rest, "isa", entry.isa)))
      return failure();
    std::string known;
    for (const InstructionSet *set : target.sets)
      known += (known.empty() ? "" : ", ") + set->name.str();
    if (!target.getSet(entry.isa))
      return refuse(here(),
                    "is for " + what + " and instruction set " +
                        quoted(entry.isa) + ", for which target " +
                        target.name + " has no tiles",
                    "name one of " + known +
                        ", or leave out isa=: the line is then for all");
  }
  if (!rest.ltrim().starts_with("threads="))
    return success();
  std::string text;
  if (failed(takeField(rest, "threads", text)))
    return failure();
  if (target.platform->isDevice)
    return malformed("is for sessions of " + quoted(text) +
                     " threads, and target " + lock.row +
                     " runs on a device, whatever threads they have");
  if (!StringRef(text).getAsInteger(10, entry.threads) && entry.threads >= 2)
    return success();
  return malformed("has threads " + quoted(text) +
                   ", expected a number of 2 or more: the line is for sessions "
                   "of so many threads and above");
}

LogicalResult Reader::readGroup(StringRef rest, const std::string &key,
                                Group &group) {
  if (failed(takePlace(rest, "group " + key, group)) ||
      failed(
          takeField(rest, "proposer", group.proposer, {"isl", "structural"})) ||
      failed(takeField(rest, "variant", group.variant, {"default", "naive"})))
    return failure();
  return takeConfig(rest, group.config);
}

LogicalResult Reader::readChoice(StringRef rest, const std::string &key,
                                 Choice &choice) {
  if (failed(takePlace(rest, "choice " + key, choice)) ||
      failed(takeField(rest, "algorithm", choice.algorithm)))
    return failure();
  if (!rest.trim().empty())
    return malformed("says " + quoted(rest.trim()) + " behind the algorithm");
  return success();
}

LogicalResult Reader::readEntry(StringRef line) {
  auto [kind, afterKind] = line.split(' ');
  auto [key, rest] = afterKind.ltrim().split(' ');
  if (kind != "choice" && kind != "group")
    return malformed("says " + quoted(line) +
                     ", expected an entry: choice or group");
  if (key.size() != kKeyLength ||
      !llvm::all_of(key, [](char c) { return llvm::isHexDigit(c); }))
    return malformed("has " + quoted(key) + " for a key, expected " +
                     Twine(kKeyLength) + " hexadecimal digits");
  std::string name = key.lower();
  const std::string what = kind.str() + " " + name;
  Entry entry{std::move(comment), here()};
  comment.clear();
  if (kind == "choice") {
    Choice choice{entry};
    if (failed(readChoice(rest, name, choice)))
      return failure();
    return add(lock.choices[name], what, std::move(choice));
  }
  Group group{entry};
  if (failed(readGroup(rest, name, group)))
    return failure();
  for (const Group &before : lock.groups[name])
    if (before.proposer != group.proposer)
      return malformed("names proposer " + quoted(group.proposer) + " for " +
                       what + ", and line " + Twine(lineOf(before.loc)) + " " +
                       quoted(before.proposer) + ": a group has one schedule");
  return add(lock.groups[name], what, std::move(group));
}

/// Adds an entry in its place.
template <typename T>
LogicalResult Reader::add(std::vector<T> &entries, const Twine &what, T entry) {
  std::string place = entry.isa.empty() ? "" : " and " + entry.isa;
  if (entry.threads)
    place += " and " + std::to_string(entry.threads) + " threads";
  for (const T &before : entries)
    if (before.threads == entry.threads &&
        (before.isa.empty() || entry.isa.empty() || before.isa == entry.isa))
      return isSecond(what + place, before.loc);
  entries.push_back(std::move(entry));
  sortEntries(entries, lock.row);
  return success();
}

LogicalResult Reader::readLine(StringRef line) {
  line = line.trim();
  if (line.empty())
    return success();
  if (line.starts_with("#")) {
    comment += (line + "\n").str();
    return success();
  }
  if (!hasFormat)
    return readFormat(line);
  if (sections.empty() || line.starts_with("target "))
    return readTarget(line);
  if (!other)
    return readEntry(line);
  *other += ("\n" + comment + line + "\n").str();
  comment.clear();
  return success();
}

FailureOr<Lock> Reader::read() {
  constexpr StringLiteral kWhatToName =
      "name a file that fusec compile --write-lock wrote";
  if (!llvm::sys::fs::exists(file))
    return refuse(here(), "does not exist",
                  kWhatToName + ", or leave out --lock");
  if (!llvm::sys::fs::is_regular_file(file))
    return refuse(here(), "is no file", kWhatToName);
  // Not mapped, which a file that shrinks would take away.
  auto buffer = llvm::MemoryBuffer::getFile(file, false, true, true);
  if (!buffer)
    return refuse(here(), "cannot be read: " + buffer.getError().message(),
                  kWhatToName);
  SmallVector<StringRef> lines;
  (*buffer)->getBuffer().split(lines, '\n');
  for (auto [index, line] : llvm::enumerate(lines)) {
    number = index + 1;
    if (failed(readLine(line)))
      return failure();
  }
  if (!hasFormat)
    return readFormat("");
  lock.trailer = std::move(comment);
  return std::move(lock);
}

FailureOr<Lock> read(StringRef file, StringRef row, MLIRContext *context) {
  if (!file.empty())
    return Reader(file, row, context).read();
  Lock none;
  none.header =
      "# What fusec compile decided, by what a group computes: --lock "
      "takes it,\n# --write-lock adds to it. It serves every model.\n";
  none.row = row.str();
  return none;
}

/// What an Advisor says, by `readEntry` of Reader.
template <typename T>
static std::optional<T>
parse(const Advice &advice, StringRef row, StringRef isa, MLIRContext *context,
      std::string &refusal,
      LogicalResult (Reader::*readEntry)(StringRef, const std::string &, T &)) {
  // The first of what is said is kept instead of printed.
  ScopedDiagnosticHandler handler(context, [&](Diagnostic &diagnostic) {
    if (refusal.empty())
      refusal = diagnostic.str();
    return success();
  });
  T entry{{"", UnknownLoc::get(context)}};
  Reader reader("", row, context);
  if (failed((reader.*readEntry)(advice.text, "", entry)))
    return std::nullopt;
  entry.isa = isa.str();
  entry.threads = advice.threads;
  return entry;
}

std::optional<Group> parseAdvice(const Advice &advice, StringRef row,
                                 StringRef isa, MLIRContext *context,
                                 std::string &refusal) {
  auto group = parse(advice, row, isa, context, refusal, &Reader::readGroup);
  if (group)
    group->isAdvice = true;
  return group;
}

std::optional<Choice> parseChoiceAdvice(const Advice &advice, StringRef row,
                                        StringRef isa, MLIRContext *context,
                                        std::string &refusal) {
  return parse(advice, row, isa, context, refusal, &Reader::readChoice);
}

} // namespace fusec::lock
