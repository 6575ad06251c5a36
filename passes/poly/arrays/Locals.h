// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Arrays of a scop that are local below a mark of its schedule tree: they begin
// to live there, once for each iteration of the loops above it. Below another
// kind of mark an array is a copy, from there and back, of what is accessed;
// an input is one in the shared memory of a GPU's block, of what is read.
// The mark says how large they are; the statements' subscripts stay those of
// the whole array, so that what a statement means never depends on where its
// arrays lie.
#ifndef FUSEC_PASSES_POLY_ARRAYS_LOCALS_H
#define FUSEC_PASSES_POLY_ARRAYS_LOCALS_H

#include "passes/poly/tree/Legality.h"

namespace fusec::poly {

/// How a scop's array lies in memory below a mark: an element has its
/// subscripts modulo `shape`, an extent for each dimension of the array, and
/// dimension `last`, if there is one, behind the others.
struct LocalArray {
  mlir::BlockArgument array;
  llvm::SmallVector<int64_t> shape;
  std::optional<unsigned> last;
  bool isCopy = false;
  /// On a GPU, whether the threads of a block have one together.
  bool isShared = false;
  /// Of an array that each thread of a block has one of: how far apart its own
  /// elements are. They lie at their subscripts divided by that. Empty: the
  /// array is all of one thread's, or shared.
  llvm::SmallVector<int64_t> apart = {};
  /// Whether elements of an operand lie as they do in memory: units load
  /// matrices from it.
  bool isStored = false;

  /// Whether it is what a block reads of an input.
  bool isOperand() const;
  /// The type of its elements: that in which they are computed with, or where
  /// it is stored as in memory, that of the array.
  mlir::Type getElementType() const;

  /// "copy_m3_8x16" of a copy; "local_m3_8x16", 3 being the number of the
  /// argument; "local_m3_8x16_last0" with its first dimension behind the
  /// second; "local_m3_8x8_by1x16" of one that each thread has, its columns 16
  /// apart; "copy_m3_8x16_stored" of elements as in memory; "local_m3" of an
  /// array without dimensions; "shared_m3_8x16" of one that threads share.
  /// (isl cuts the name of a mark at a blank.)
  std::string toMark() const;
  /// Elements of `getType()`.
  int64_t countElements() const;
  /// What is left of the array where dimensions of one element are dropped; on
  /// a GPU a thread has it of its own, or all of a block share it.
  mlir::MemRefType getType() const;
  /// { mN[e] -> mN[e mod shape] }
  isl::union_map getPlaces(isl::ctx context) const;
  /// Subscripts of the whole array as subscripts of `getType()`; of an operand,
  /// those from where its part begins.
  mlir::AffineMap fold(mlir::AffineMap subscripts) const;

private:
  /// The dimensions of more than one element, as they lie in memory.
  llvm::SmallVector<unsigned> getKeptDims() const;
  llvm::SmallVector<int64_t> getKeptShape() const;
};

/// A mark of that kind, or any other of a name that begins like one.
bool isLocalMark(llvm::StringRef mark);
/// The array of such a mark; nothing where the scop has none that fits.
std::optional<LocalArray> readLocalMark(sched::ScopOp scop,
                                        llvm::StringRef mark);

/// A local array with the node of its mark.
struct LocalMark {
  LocalArray local;
  isl::schedule_node node;
};

/// All of a schedule. Fails, with an error at the scop, if one fits no array.
mlir::FailureOr<std::vector<LocalMark>>
findLocals(sched::ScopOp scop, const isl::schedule &schedule);

/// Where in a kernel's workspace the arrays lie that are not local.
struct WorkspacePlan {
  /// An array, and the offset in bytes of its elements in their compute type.
  llvm::SmallVector<std::pair<mlir::BlockArgument, int64_t>> places;
  int64_t bytes = 0;
};
/// What such an array is in the workspace: elements of their compute type.
mlir::MemRefType getWorkspaceType(mlir::BlockArgument array);
WorkspacePlan planWorkspace(sched::ScopOp scop,
                            llvm::ArrayRef<LocalMark> locals);

/// Whether an array may be local as `marks`, all of its marks, say: each access
/// to it runs below one of them, no value of it goes from one mark or one
/// iteration of the loops above it to another, and no two elements are in one
/// place that are live at once in one iteration. Of a copy: no two elements are
/// in one place, what is written back is what is written below the mark, and no
/// lanes share it. Nothing here is taken from how the marks came about.
std::optional<Violation> findViolation(const PolyScop &scop,
                                       llvm::ArrayRef<LocalMark> marks);

} // namespace fusec::poly

#endif // FUSEC_PASSES_POLY_ARRAYS_LOCALS_H
