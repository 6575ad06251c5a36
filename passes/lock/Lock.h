// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// fusec.lock: what was decided about groups and choices, by what these are
// (GroupKey.h), so that one file serves all models of a team. Its text:
//
//   lock    = "fusec.lock" FORMAT { section }              one a line each
//   section = "target" ROW { entry }          ROW: of dialects/TargetInfo.h
//   entry   = "choice" KEY FOR "algorithm=" NAME
//           | "group" KEY FOR "proposer=" PROPOSER
//             "variant=" VARIANT "config=" CONFIG
//   FOR = [ "isa=" ISA ] [ "threads=" N ]
//   ISA = an instruction set that the row tiles for, whose default the line
//         says; without it, the line is for all of them. What no line is for
//         keeps its default. All lines of a group name one proposer.
//   N = the line is for sessions of at least so many threads, 2 or more, and
//       goes before those for fewer and the one that says no number.
//   PROPOSER = "isl" | "structural"      VARIANT = "default" | "naive"
//   CONFIG = #sched.config<"default", [LEVEL, ...]>; lanes that it does not
//   name
//            run along the loops that cost least, and the grain that it does
//            not name is by what an iteration is expected to take
//
// Files of older formats are refused. Empty lines mean nothing; lines that
// begin with # are comments, which stay above the line that they stand above.
// What is written is sorted: sections by row; in that of the compilation
// choices, then groups, each by key. Others are kept as they are.
#ifndef FUSEC_PASSES_LOCK_LOCK_H
#define FUSEC_PASSES_LOCK_LOCK_H

#include "dialects/sched/SchedOps.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Location.h"
#include <map>
#include <optional>
#include <vector>

namespace fusec::lock {

struct Advice;

/// How the first line of a file begins, and the format that is written, which
/// is the newest that is read.
inline constexpr llvm::StringLiteral kMagic = "fusec.lock";
inline constexpr unsigned kFormat = 4;

/// What the entries of choices and groups have in common.
struct Entry {
  std::string comment;  ///< whole lines
  mlir::Location loc;   ///< of the line
  std::string isa = {}; ///< for which it is; empty: all of the row's
  unsigned threads = 0; ///< of sessions that have as many; 0: any
};

/// What an entry of a choice says.
struct Choice : Entry {
  std::string algorithm = {};
};

/// What an entry of a group says.
struct Group : Entry {
  std::string proposer = {};     ///< of the schedule
  std::string variant = {};      ///< which is the default
  sched::ConfigAttr config = {}; ///< of the variant "default"
  bool isAdvice = false;         ///< of an Advisor: left where it does not fit
};

/// A file, of which one section is asked for.
struct Lock {
  std::string header;  ///< comments above the first line
  std::string row;     ///< of the section that is asked for
  bool hasRow = false; ///< whether the file has that section
  std::string comment; ///< above that section
  /// By key: one entry for all instruction sets, or some for one each, and
  /// further ones for sessions of more threads; they are sorted by both.
  std::map<std::string, std::vector<Choice>> choices;
  std::map<std::string, std::vector<Group>> groups;
  std::map<std::string, std::string> others; ///< other sections, by row: text
  std::string trailer;                       ///< comments below the last entry

  /// The entry for `isa` and any number of threads, which may be one for all
  /// instruction sets.
  const Choice *findChoice(const std::string &key, llvm::StringRef isa) const;
  const Group *findGroup(const std::string &key, llvm::StringRef isa) const;
  /// Those for `isa` and more threads, the fewest first.
  llvm::SmallVector<const Choice *>
  findChoicesByThreads(const std::string &key, llvm::StringRef isa) const;
  llvm::SmallVector<const Group *>
  findGroupsByThreads(const std::string &key, llvm::StringRef isa) const;
  /// Any of those of the group, all of which name one proposer; or null.
  const Group *findAny(const std::string &key) const;
  /// Whether there is an entry of the group, or the choice, for each
  /// instruction set of the row.
  bool isDecided(const std::string &key) const;

  /// Takes all entries of `other`, whose row is the same. Comments that are
  /// here stay.
  void add(const Lock &other);
  std::string print() const;

private:
  std::string printSection() const;
};

/// Reads `file`, or nothing where its name is empty, with the section for
/// `row`. Reports what is wrong with it, with its line: a row that there is
/// not, another format, an entry that is none or that another line contradicts.
mlir::FailureOr<Lock> read(llvm::StringRef file, llvm::StringRef row,
                           mlir::MLIRContext *context);

/// What an Advisor says of a group for instruction set `isa` of `row`. Nothing,
/// with why in `refusal`, if a line of a lock could not say it.
std::optional<Group> parseAdvice(const Advice &advice, llvm::StringRef row,
                                 llvm::StringRef isa,
                                 mlir::MLIRContext *context,
                                 std::string &refusal);

/// The same of a choice.
std::optional<Choice> parseChoiceAdvice(const Advice &advice,
                                        llvm::StringRef row,
                                        llvm::StringRef isa,
                                        mlir::MLIRContext *context,
                                        std::string &refusal);

/// Sorts the entries of a choice or a group: those for all instruction sets of
/// `row` first, then by the instruction set, then by threads.
void sortEntries(std::vector<Choice> &entries, llvm::StringRef row);
void sortEntries(std::vector<Group> &entries, llvm::StringRef row);

/// An error about an entry, or about a line, and what to do about it.
mlir::LogicalResult refuse(mlir::Location loc, const llvm::Twine &reason,
                           const llvm::Twine &hint);

/// What a module decided that has been through all stages. `conflict` says so
/// where two choices of one key took different algorithms, which no lock can.
Lock collect(mlir::ModuleOp module, std::string &conflict);

/// Attributes that say what was decided. Of scops and kernels: the group's key,
/// and (a unit, of the group's default) whether a lock or an Advisor said
/// otherwise than would have been decided.
inline constexpr llvm::StringLiteral kKeyAttr = "key", kLockedAttr = "locked";

} // namespace fusec::lock

#endif // FUSEC_PASSES_LOCK_LOCK_H
