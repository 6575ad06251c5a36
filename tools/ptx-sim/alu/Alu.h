// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Instructions that only compute: 32 lanes at once, registers to registers.
//
// The sources in this folder are compiled once per instruction set of the host,
// each time into a namespace of its own, so they define nothing that another
// object could share: no inline functions with linkage, no containers.
#ifndef FUSEC_TOOLS_PTXSIM_ALU_ALU_H
#define FUSEC_TOOLS_PTXSIM_ALU_ALU_H

#include "tools/ptx-sim/Scalar.h"

namespace fusec::ptx {

/// One bit a lane.
using Mask = uint32_t;
constexpr int kLanes = 32;

/// Offsets into a frame of registers. A register is an array of 32 lanes, a
/// predicate a Mask.
struct AluInst {
  uint32_t dst = 0, dst2 = 0;
  uint32_t src[4] = {};
  /// How predicates are combined in setp, and how many sources a loop has.
  uint32_t aux = 0;
};

/// The carry flags (CC.CF) are the first word of each frame.
constexpr uint32_t kCarrySlot = 0;
/// What nobody reads is written here; room for 32 lanes of 16 bytes.
constexpr uint32_t kSinkSlot = 64;
constexpr uint32_t kFirstSlot = kSinkSlot + 32 * 16;

using AluHandler = void (*)(uint8_t *frame, const AluInst &inst, Mask mask);

/// One instruction: its name without what does not matter (".rn" where that is
/// the default), the types of result and operands.
struct AluRow {
  const char *name;
  AluHandler handler;
  Scalar result;
  Scalar sources[4];
  int count;
};

/// setp's AluInst::aux.
enum PredicateCombine : uint32_t { kNoCombine, kAnd, kOr, kXor, kNegated };

using AluSink = void (*)(void *context, const AluRow &row);

#define FUSEC_PTX_ALU_FILES(ISA)                                               \
  namespace ISA {                                                              \
  void addIntegerRows(AluSink sink, void *context);                            \
  void addBitRows(AluSink sink, void *context);                                \
  void addFloatRows(AluSink sink, void *context);                              \
  void addHalfRows(AluSink sink, void *context);                               \
  void addCompareRows(AluSink sink, void *context);                            \
  void addConvertRows(AluSink sink, void *context);                            \
  }
FUSEC_PTX_ALU_FILES(baseline)
FUSEC_PTX_ALU_FILES(avx2)

/// Rounding other than to nearest, once for all.
void addRoundedRows(AluSink sink, void *context);

/// The row for a name in this machine's instruction set, null if there is none.
const AluRow *findAluRow(const char *name);

} // namespace fusec::ptx

#endif // FUSEC_TOOLS_PTXSIM_ALU_ALU_H
