// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// fusec.lock: what was decided about groups and choices, by what these are
// (GroupKey.h), so that one file serves all models of a target. Its text:
//
//   lock   = "fusec.lock" FORMAT  "target" NAME  { entry }     one a line each
//   entry  = "choice" KEY "algorithm=" NAME
//          | "group" KEY "proposer=" PROPOSER "variant=" VARIANT "config="
//          CONFIG
//   PROPOSER = "isl" | "structural"      VARIANT = "default" | "naive"
//   CONFIG = #sched.config<name = "default", ...>
//
// Empty lines mean nothing; lines that begin with # are comments, which stay
// above the entry that they stand above. What is written is sorted: choices,
// then groups, each by key.
#ifndef FUSEC_PASSES_LOCK_LOCK_H
#define FUSEC_PASSES_LOCK_LOCK_H

#include "dialects/sched/SchedOps.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Location.h"
#include <map>

namespace fusec::lock {

/// What the entry of a choice says.
struct Choice {
  std::string comment; ///< whole lines
  mlir::Location loc;  ///< of the line
  std::string algorithm = {};
};

/// What the entry of a group says.
struct Group {
  std::string comment;
  mlir::Location loc;
  std::string proposer = {};     ///< of the schedule
  std::string variant = {};      ///< which is the default
  sched::ConfigAttr config = {}; ///< of the variant "default"
};

struct Lock {
  std::string header; ///< comments above the first line
  std::string target;
  std::map<std::string, Choice> choices; ///< by key
  std::map<std::string, Group> groups;   ///< by key
  std::string trailer;                   ///< comments below the last entry

  const Choice *findChoice(const std::string &key) const;
  const Group *findGroup(const std::string &key) const;

  /// Takes all entries of `other`, whose target is the same. Comments that are
  /// here stay.
  void add(const Lock &other);
  std::string print() const;
};

/// Reads `file`, or nothing where its name is empty. Reports what is wrong with
/// it, with its line: another target, a newer format, an entry that is none or
/// that another line contradicts.
mlir::FailureOr<Lock> read(llvm::StringRef file, llvm::StringRef target,
                           mlir::MLIRContext *context);

/// An error about an entry, or about a line, and what to do about it.
mlir::LogicalResult refuse(mlir::Location loc, const llvm::Twine &reason,
                           const llvm::Twine &hint);

/// What a module decided that has been through all stages. `conflict` says so
/// where two choices of one key took different algorithms, which no lock can.
Lock collect(mlir::ModuleOp module, llvm::StringRef target,
             std::string &conflict);

/// Attributes that say what was decided. Of scops and kernels: the group's key,
/// and (a unit, of the group's default) whether a lock said otherwise than
/// would have been decided. Of kernels: the config of the schedule.
inline constexpr llvm::StringLiteral kKeyAttr = "key", kLockedAttr = "locked",
                                     kConfigAttr = "config";

} // namespace fusec::lock

#endif // FUSEC_PASSES_LOCK_LOCK_H
