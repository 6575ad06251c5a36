// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// isl for fusec: a context, a limit on work that may not end, and affine
// expressions.
//
// Only passes/poly includes isl. Functions here may throw isl::exception;
// passes catch it with `guarded`, which turns it into a located error.
#ifndef FUSEC_PASSES_POLY_TREE_ISL_H
#define FUSEC_PASSES_POLY_TREE_ISL_H

#include "passes/poly/tree/Limit.h"

#include "mlir/IR/AffineMap.h"
#include "mlir/IR/Operation.h"
#include "llvm/ADT/FunctionExtras.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include <isl/cpp.h>
#include <sstream>

namespace fusec::poly {

/// Owns an isl context; every isl object must die before it.
class IslContext {
public:
  IslContext();
  ~IslContext();
  IslContext(const IslContext &) = delete;
  IslContext &operator=(const IslContext &) = delete;

  isl::ctx get() const { return isl::ctx(context); }

  /// Runs `work`; returns false if it did not end within `limit` and was
  /// stopped. Objects that it was stopped in may be half changed: none of them
  /// may be used any more.
  bool runWithin(const IslLimit &limit, llvm::function_ref<void()> work);

  /// Begins anew, as if nothing had been asked: after isl was stopped.
  void renew();

private:
  isl_ctx *context;
};

/// Runs `work` and turns an isl exception into an error at `op`.
mlir::LogicalResult guarded(mlir::Operation *op,
                            llvm::function_ref<mlir::LogicalResult()> work);

/// Notes at the scop `op` that isl was stopped, and warns that it did not end
/// `what`.
void reportStopped(mlir::Operation *op, const llvm::Twine &what);

/// `expr`, which has no symbols, over the dimensions of `space`.
isl::aff toIslAff(mlir::AffineExpr expr, const isl::space &space);

/// The points of `space` where `expr` is 0 or more.
isl::set getNonNegative(mlir::AffineExpr expr, const isl::space &space);

// What the C++ binding of isl 0.25 lacks.

/// The statement instances that reach `node`.
isl::union_set getDomain(const isl::schedule_node &node);
/// Members of the bands above `node`.
unsigned getScheduleDepth(const isl::schedule_node &node);
/// The name of a mark node; empty for other nodes.
std::string getMarkName(const isl::schedule_node &node);
/// The name of the tuple of a set.
std::string getTupleName(const isl::set &set);

/// Any isl object in isl's notation.
template <typename T> std::string toString(const T &object) {
  std::ostringstream stream;
  stream << object;
  return stream.str();
}

/// The schedule tree as the text that sched.tree stores.
std::string toText(const isl::schedule &schedule);

} // namespace fusec::poly

#endif // FUSEC_PASSES_POLY_TREE_ISL_H
