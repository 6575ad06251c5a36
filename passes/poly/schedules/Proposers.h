// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Those who propose the schedule of a scop, and what isl may take for them.
#ifndef FUSEC_PASSES_POLY_SCHEDULES_PROPOSERS_H
#define FUSEC_PASSES_POLY_SCHEDULES_PROPOSERS_H

#include "passes/poly/tree/PolyScop.h"

#include <memory>

namespace fusec::poly {

/// The order in which they are asked. That of the program needs no proof.
inline constexpr llvm::StringLiteral kByIsl = "isl", kStructural = "structural",
                                     kProgramOrder = "program order";

/// A legal schedule as isl's text.
struct Proposal {
  std::string schedule;
  /// When it runs what, and how many loops around all statements threads may
  /// share: the same for trees that differ in their bands only.
  std::string times;
};

/// Asks for the schedule of one scop.
class Proposers {
public:
  Proposers(sched::ScopOp scop, const IslLimit &limit)
      : scop(scop), limit(limit) {}

  /// What `proposer`, isl or the structural one, makes of the scop, the
  /// cheapest where it proposes several: the proposal, its checks, and the
  /// dependences that these need, all within one limit. Nothing, with a reason
  /// in `refusal`, if it is illegal or isl was stopped in any of it.
  std::optional<Proposal> ask(llvm::StringRef proposer);

  /// Whether `other` is expected to be sure to take less than `first`, with
  /// both estimates in `comparison` if they differ by that much. Nobody is
  /// asked where both run all at the same times, and false is the answer where
  /// isl is stopped.
  bool isCheaper(const Proposal &other, const Proposal &first,
                 std::string &comparison);

  std::string refusal;
  /// Whether isl was stopped when somebody was asked last.
  bool wasStopped = false;

private:
  /// The scop in isl's terms, with numbered statements. After isl was stopped,
  /// none of it can be used.
  struct Session;

  std::optional<Proposal> takeCheapest(llvm::ArrayRef<isl::schedule> schedules,
                                       double share);

  sched::ScopOp scop;
  IslLimit limit;
  std::shared_ptr<Session> session;
};

/// Gives `scop`, whose arrays are as they were when it was formed, the schedule
/// of the first one after its proposer who has one. Fails, with an error, if
/// its schedule is the program's order already.
mlir::LogicalResult takeNextProposal(sched::ScopOp scop, const IslLimit &limit);

} // namespace fusec::poly

#endif // FUSEC_PASSES_POLY_SCHEDULES_PROPOSERS_H
