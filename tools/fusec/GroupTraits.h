// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What kind of work a group is, and what could make it faster: read off its
// statements, never off names of operators.
#ifndef FUSEC_TOOLS_FUSEC_GROUPTRAITS_H
#define FUSEC_TOOLS_FUSEC_GROUPTRAITS_H

#include "dialects/sched/SchedOps.h"

#include <string>

namespace fusec::tool {

enum class GroupClass {
  contraction, ///< sums of products whose factors are used again
  reduction,   ///< other sums, maxima, ...
  elementwise, ///< each element by itself
  movement     ///< values as they are, at other places
};

/// "contraction"
llvm::StringRef getName(GroupClass kind);

struct GroupTraits {
  GroupClass kind = GroupClass::movement;
  /// Of a launch: bytes of operands, each element that is accessed once, and
  /// operations of all bodies, of which a multiply-add is two.
  double bytes = 0, operations = 0;
  /// What another layout of operands could spare it; empty where nothing.
  std::string layout;
  /// Whether it has operands of 32-bit floats.
  bool hasF32 = false;
};

/// That of the statement with most points; of several the one that stands first
/// in GroupClass.
GroupClass findClass(sched::ScopOp scop);

/// Of a scop that has a config.
GroupTraits findTraits(sched::ScopOp scop);

/// How often a statement runs.
double countPoints(sched::StmtOp stmt);

} // namespace fusec::tool

#endif // FUSEC_TOOLS_FUSEC_GROUPTRAITS_H
