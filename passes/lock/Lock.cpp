// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/lock/Lock.h"

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

static constexpr llvm::StringLiteral kMagic = "fusec.lock";
/// What is written, and the newest that is read.
static constexpr unsigned kFormat = 4;
static constexpr size_t kKeyLength = 16;

const Choice *Lock::findChoice(const std::string &key) const {
  auto found = choices.find(key);
  return found == choices.end() ? nullptr : &found->second;
}

const Group *Lock::findGroup(const std::string &key, StringRef isa) const {
  auto found = groups.find(key);
  if (found == groups.end())
    return nullptr;
  for (const Group &group : found->second)
    if (isa.empty() || group.isa.empty() || group.isa == isa)
      return &group;
  return nullptr;
}

bool Lock::isDecided(const std::string &key) const {
  return llvm::all_of(getTargetInfo(row)->sets, [&](const auto *set) {
    return findGroup(key, set->name) != nullptr;
  });
}

static void keepComment(const std::string &old, std::string &comment) {
  if (!old.empty())
    comment = old;
}

void Lock::add(const Lock &other) {
  for (const auto &[key, choice] : other.choices) {
    auto [place, isNew] = choices.try_emplace(key, choice);
    std::string comment = place->second.comment;
    place->second = choice;
    keepComment(comment, place->second.comment);
  }
  for (const auto &[key, entries] : other.groups) {
    std::vector<Group> old = std::move(groups[key]);
    groups[key] = entries;
    for (const Group &before : old)
      for (Group &entry : groups[key])
        if (entry.isa == before.isa || &entry == &groups[key].front())
          keepComment(before.comment, entry.comment);
  }
}

std::string Lock::print() const {
  std::string text;
  llvm::raw_string_ostream os(text);
  os << header << kMagic << ' ' << kFormat << '\n';
  std::map<std::string, std::string> sections = others;
  sections[row] = printSection();
  for (const auto &[name, section] : sections)
    os << '\n' << section;
  if (!trailer.empty())
    os << '\n' << trailer;
  return text;
}

std::string Lock::printSection() const {
  std::string text;
  llvm::raw_string_ostream os(text);
  os << comment << "target " << row << '\n';
  for (const auto &[key, choice] : choices)
    os << '\n'
       << choice.comment << "choice " << key
       << " algorithm=" << choice.algorithm << '\n';
  for (const auto &[key, entries] : groups)
    for (const Group &group : entries)
      os << '\n'
         << group.comment << "group " << key
         << (group.isa.empty() ? "" : " isa=") << group.isa
         << " proposer=" << group.proposer << " variant=" << group.variant
         << " config=" << group.config << '\n';
  return text;
}

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
  LogicalResult readChoice(StringRef rest, std::string &algorithm);

private:
  LogicalResult readLine(StringRef line);
  LogicalResult readFormat(StringRef line);
  LogicalResult readTarget(StringRef line);
  LogicalResult readEntry(StringRef line);
  LogicalResult addGroup(const std::string &key, Group group);
  LogicalResult takeIsa(StringRef &rest, const std::string &key,
                        std::string &isa);
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

/// Takes which instruction set the line is for, if it says so.
LogicalResult Reader::takeIsa(StringRef &rest, const std::string &key,
                              std::string &isa) {
  if (!rest.ltrim().starts_with("isa="))
    return success();
  if (failed(takeField(rest, "isa", isa)))
    return failure();
  const TargetInfo &target = *getTargetInfo(lock.row);
  if (target.getSet(isa))
    return success();
  std::string known;
  for (const InstructionSet *set : target.sets)
    known += (known.empty() ? "" : ", ") + set->name.str();
  return refuse(here(),
                "is for group " + key + " and instruction set " + quoted(isa) +
                    ", for which target " + target.name + " has no tiles",
                "name one of " + known +
                    ", or leave out isa=: the line is then for all");
}

LogicalResult Reader::readGroup(StringRef rest, const std::string &key,
                                Group &group) {
  if (failed(takeIsa(rest, key, group.isa)) ||
      failed(
          takeField(rest, "proposer", group.proposer, {"isl", "structural"})) ||
      failed(takeField(rest, "variant", group.variant, {"default", "naive"})))
    return failure();
  return takeConfig(rest, group.config);
}

LogicalResult Reader::readChoice(StringRef rest, std::string &algorithm) {
  if (failed(takeField(rest, "algorithm", algorithm)))
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
  if (kind == "group") {
    Group group{std::move(comment), here()};
    comment.clear();
    if (failed(readGroup(rest, name, group)))
      return failure();
    return addGroup(name, std::move(group));
  }
  auto [place, isNew] =
      lock.choices.try_emplace(name, Choice{std::move(comment), here()});
  comment.clear();
  if (!isNew)
    return isSecond("choice " + name, place->second.loc);
  return readChoice(rest, place->second.algorithm);
}

/// Adds an entry, in the order of the row's instruction sets.
LogicalResult Reader::addGroup(const std::string &key, Group group) {
  std::vector<Group> &entries = lock.groups[key];
  for (const Group &before : entries) {
    if (before.isa.empty() || group.isa.empty() || before.isa == group.isa)
      return isSecond("group " + key +
                          (group.isa.empty() ? "" : " and " + group.isa),
                      before.loc);
    if (before.proposer != group.proposer)
      return malformed("names proposer " + quoted(group.proposer) +
                       " for group " + key + ", and line " +
                       Twine(lineOf(before.loc)) + " " +
                       quoted(before.proposer) + ": a group has one schedule");
  }
  const TargetInfo &target = *getTargetInfo(lock.row);
  auto rank = [&](const Group &entry) {
    return llvm::find(target.sets, target.getSet(entry.isa));
  };
  entries.insert(llvm::upper_bound(entries, group,
                                   [&](const Group &a, const Group &b) {
                                     return rank(a) < rank(b);
                                   }),
                 std::move(group));
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

/// Keeps the first of what is said instead of printing it.
static auto keepFirst(std::string &refusal) {
  return [&](Diagnostic &diagnostic) {
    if (refusal.empty())
      refusal = diagnostic.str();
    return success();
  };
}

std::optional<Group> parseAdvice(StringRef text, StringRef row, StringRef isa,
                                 MLIRContext *context, std::string &refusal) {
  ScopedDiagnosticHandler handler(context, keepFirst(refusal));
  Group group{"", UnknownLoc::get(context)};
  if (failed(Reader("", row, context).readGroup(text, "", group)))
    return std::nullopt;
  group.isa = isa.str();
  group.isAdvice = true;
  return group;
}

std::optional<std::string>
parseChoiceAdvice(StringRef text, MLIRContext *context, std::string &refusal) {
  ScopedDiagnosticHandler handler(context, keepFirst(refusal));
  std::string algorithm;
  if (failed(Reader("", "", context).readChoice(text, algorithm)))
    return std::nullopt;
  return algorithm;
}

} // namespace fusec::lock
