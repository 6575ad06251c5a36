// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Builds tensor expressions out of primitives at one location.
#ifndef FUSEC_PASSES_GRAPH_TENSORBUILDER_H
#define FUSEC_PASSES_GRAPH_TENSORBUILDER_H

#include "dialects/Combiner.h"
#include "dialects/fuse/FuseOps.h"

namespace fusec::fuse {

/// Creates primitives at one location. Shapes follow from the operands; element
/// types of binary operations must agree. Of two arguments of a call at most one
/// may create something: compilers differ in which one they begin with, and so
/// would what fusec emits.
class TensorBuilder {
public:
  TensorBuilder(mlir::OpBuilder &builder, mlir::Location loc)
      : builder(builder), loc(loc) {}

  /// An operation of one result.
  template <typename Op, typename... Args> mlir::Value make(Args &&...args) {
    return Op::create(builder, loc, std::forward<Args>(args)...)->getResult(0);
  }

  /// The integers for values in [-bound, bound]: of 32 bits where they suffice.
  mlir::Type getInteger(double bound) {
    return bound < INT32_MAX ? builder.getI32Type() : builder.getI64Type();
  }

  /// A constant of rank 0; integers take the value truncated towards zero.
  mlir::Value scalar(double value, mlir::Type elementType);
  /// `value` in every element of a tensor of `type`.
  mlir::Value splat(double value, mlir::RankedTensorType type);
  /// `value` in the type of `like`.
  mlir::Value splatLike(double value, mlir::Value like) {
    return splat(value, getTensorType(like));
  }

  template <typename Op> mlir::Value unary(mlir::Value operand) {
    return make<Op>(operand.getType(), operand);
  }
  /// Operands of these are tensors of one shape, or one of them is a number.
  template <typename Op> mlir::Value binary(mlir::Value lhs, mlir::Value rhs) {
    return make<Op>(lhs.getType(), lhs, rhs);
  }
  template <typename Op> mlir::Value binary(mlir::Value lhs, double rhs) {
    return binary<Op>(lhs, splatLike(rhs, lhs));
  }
  template <typename Op> mlir::Value binary(double lhs, mlir::Value rhs) {
    return binary<Op>(splatLike(lhs, rhs), rhs);
  }
  template <typename L, typename R> mlir::Value add(L lhs, R rhs) {
    return binary<AddOp>(lhs, rhs);
  }
  template <typename L, typename R> mlir::Value sub(L lhs, R rhs) {
    return binary<SubOp>(lhs, rhs);
  }
  template <typename L, typename R> mlir::Value mul(L lhs, R rhs) {
    return binary<MulOp>(lhs, rhs);
  }
  template <typename L, typename R> mlir::Value div(L lhs, R rhs) {
    return binary<DivOp>(lhs, rhs);
  }
  template <typename L, typename R> mlir::Value max(L lhs, R rhs) {
    return binary<MaximumOp>(lhs, rhs);
  }
  template <typename L, typename R> mlir::Value min(L lhs, R rhs) {
    return binary<MinimumOp>(lhs, rhs);
  }

  mlir::Value compare(CmpPredicate predicate, mlir::Value lhs, mlir::Value rhs);
  mlir::Value compare(CmpPredicate predicate, mlir::Value lhs, double rhs) {
    return compare(predicate, lhs, splatLike(rhs, lhs));
  }
  mlir::Value select(mlir::Value condition, mlir::Value lhs, mlir::Value rhs);
  mlir::Value select(mlir::Value condition, mlir::Value lhs, double rhs) {
    return select(condition, lhs, splatLike(rhs, lhs));
  }
  /// Converts the elements; no operation if they have that type already.
  mlir::Value cast(mlir::Value value, mlir::Type elementType);
  /// Converts to the type that elements of `value` are computed in.
  mlir::Value castToCompute(mlir::Value value);
  /// Repeats `value` to `shape`; no operation if it has that shape already.
  mlir::Value broadcast(mlir::Value value, llvm::ArrayRef<int64_t> shape,
                        llvm::ArrayRef<int64_t> dims);
  /// The same as NumPy broadcasts: the last dimensions of both correspond.
  mlir::Value broadcast(mlir::Value value, llvm::ArrayRef<int64_t> shape);
  /// No operation if it has that shape already.
  mlir::Value reshape(mlir::Value value, llvm::ArrayRef<int64_t> shape);
  /// `extent` elements of dimension `dim` from `offset` on, `stride` apart; no
  /// operation if these are all.
  mlir::Value slice(mlir::Value value, int64_t dim, int64_t offset,
                    int64_t extent, int64_t stride = 1);
  /// No operation if the dimensions stay where they are.
  mlir::Value transpose(mlir::Value value, llvm::ArrayRef<int64_t> perm);
  /// One behind the other along `dim`; no operation for one value.
  mlir::Value concat(llvm::ArrayRef<mlir::Value> values, int64_t dim);
  mlir::Value iota(mlir::RankedTensorType type, int64_t axis);

  /// Reduces and drops `dims` (increasing). The result has the compute type.
  mlir::Value reduce(Combiner combiner, mlir::Value value,
                     llvm::ArrayRef<int64_t> dims);
  /// The composite, which keeps `dims` as 1 and the type.
  mlir::Value reduction(ReductionKind kind, mlir::Value value,
                        llvm::ArrayRef<int64_t> dims);
  /// Repeats a value that lacks `dims` (increasing) of `shape` along them.
  mlir::Value broadcastBack(mlir::Value value, llvm::ArrayRef<int64_t> shape,
                            llvm::ArrayRef<int64_t> dims);
  /// The arithmetic mean over `dims`, which the result lacks; compute type.
  mlir::Value mean(mlir::Value value, llvm::ArrayRef<int64_t> dims);

  mlir::OpBuilder &builder;
  mlir::Location loc;
};

/// The least value of `elementType` (minus infinity for floats), in that type.
mlir::TypedAttr getLowest(mlir::Type elementType);

} // namespace fusec::fuse

#endif // FUSEC_PASSES_GRAPH_TENSORBUILDER_H
