// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How upstream's math dialect prints: each operation is a vocabulary function.
#include "codegen/KernelEmitter.h"

#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;

namespace fusec::codegen {

template <typename Op>
static void addMathFunction(PatternSet &patterns, StringRef name) {
  patterns.expression<Op>([=](Op op, KernelEmitter &emitter) {
    return call(name, emitter.arguments(op->getOperands()));
  });
}

void addMathPatterns(PatternSet &patterns) {
  using namespace math;
  addMathFunction<AbsFOp>(patterns, "abs");
  addMathFunction<AbsIOp>(patterns, "abs");
  addMathFunction<AcosOp>(patterns, "acos");
  addMathFunction<AcoshOp>(patterns, "acosh");
  addMathFunction<AsinOp>(patterns, "asin");
  addMathFunction<AsinhOp>(patterns, "asinh");
  addMathFunction<AtanOp>(patterns, "atan");
  addMathFunction<Atan2Op>(patterns, "atan2");
  addMathFunction<AtanhOp>(patterns, "atanh");
  addMathFunction<CbrtOp>(patterns, "cbrt");
  addMathFunction<CeilOp>(patterns, "ceil");
  addMathFunction<ClampFOp>(patterns, "clamp");
  addMathFunction<CopySignOp>(patterns, "copysign");
  addMathFunction<CosOp>(patterns, "cos");
  addMathFunction<CoshOp>(patterns, "cosh");
  addMathFunction<ErfOp>(patterns, "erf");
  addMathFunction<ErfcOp>(patterns, "erfc");
  addMathFunction<ExpOp>(patterns, "exp");
  addMathFunction<Exp2Op>(patterns, "exp2");
  addMathFunction<ExpM1Op>(patterns, "expm1");
  addMathFunction<FloorOp>(patterns, "floor");
  addMathFunction<FmaOp>(patterns, "fma");
  addMathFunction<kernel::MulRoundedOp>(patterns, "mul_rounded");
  addMathFunction<kernel::NearestOp>(patterns, "to_nearest");
  addMathFunction<kernel::QuotientOp>(patterns, "near_quotient");
  addMathFunction<IsFiniteOp>(patterns, "isfinite");
  addMathFunction<IsInfOp>(patterns, "isinf");
  addMathFunction<IsNaNOp>(patterns, "isnan");
  addMathFunction<LogOp>(patterns, "log");
  addMathFunction<Log10Op>(patterns, "log10");
  addMathFunction<Log1pOp>(patterns, "log1p");
  addMathFunction<Log2Op>(patterns, "log2");
  addMathFunction<PowFOp>(patterns, "pow");
  addMathFunction<IPowIOp>(patterns, "pow");
  addMathFunction<RoundOp>(patterns, "round_away");
  addMathFunction<RoundEvenOp>(patterns, "round_even");
  addMathFunction<RsqrtOp>(patterns, "rsqrt");
  addMathFunction<SinOp>(patterns, "sin");
  addMathFunction<SinhOp>(patterns, "sinh");
  addMathFunction<SqrtOp>(patterns, "sqrt");
  addMathFunction<TanOp>(patterns, "tan");
  addMathFunction<TanhOp>(patterns, "tanh");
  addMathFunction<TruncOp>(patterns, "trunc");
}

} // namespace fusec::codegen
