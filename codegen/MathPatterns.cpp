// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How upstream's math dialect prints: each operation is a vocabulary function.
#include "codegen/KernelEmitter.h"

#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;

namespace fusec::codegen {

template <typename Op>
static void addFunction(PatternSet &patterns, StringRef name) {
  patterns.expression<Op>([=](Op op, KernelEmitter &emitter) {
    return call(name, emitter.arguments(op->getOperands()));
  });
}

void addMathPatterns(PatternSet &patterns) {
  using namespace math;
  addFunction<AbsFOp>(patterns, "abs");
  addFunction<AbsIOp>(patterns, "abs");
  addFunction<AcosOp>(patterns, "acos");
  addFunction<AcoshOp>(patterns, "acosh");
  addFunction<AsinOp>(patterns, "asin");
  addFunction<AsinhOp>(patterns, "asinh");
  addFunction<AtanOp>(patterns, "atan");
  addFunction<Atan2Op>(patterns, "atan2");
  addFunction<AtanhOp>(patterns, "atanh");
  addFunction<CbrtOp>(patterns, "cbrt");
  addFunction<CeilOp>(patterns, "ceil");
  addFunction<ClampFOp>(patterns, "clamp");
  addFunction<CopySignOp>(patterns, "copysign");
  addFunction<CosOp>(patterns, "cos");
  addFunction<CoshOp>(patterns, "cosh");
  addFunction<ErfOp>(patterns, "erf");
  addFunction<ErfcOp>(patterns, "erfc");
  addFunction<ExpOp>(patterns, "exp");
  addFunction<Exp2Op>(patterns, "exp2");
  addFunction<ExpM1Op>(patterns, "expm1");
  addFunction<FloorOp>(patterns, "floor");
  addFunction<FmaOp>(patterns, "fma");
  addFunction<kernel::MulRoundedOp>(patterns, "mul_rounded");
  addFunction<IsFiniteOp>(patterns, "isfinite");
  addFunction<IsInfOp>(patterns, "isinf");
  addFunction<IsNaNOp>(patterns, "isnan");
  addFunction<LogOp>(patterns, "log");
  addFunction<Log10Op>(patterns, "log10");
  addFunction<Log1pOp>(patterns, "log1p");
  addFunction<Log2Op>(patterns, "log2");
  addFunction<PowFOp>(patterns, "pow");
  addFunction<IPowIOp>(patterns, "pow");
  addFunction<RoundOp>(patterns, "round_away");
  addFunction<RoundEvenOp>(patterns, "round_even");
  addFunction<RsqrtOp>(patterns, "rsqrt");
  addFunction<SinOp>(patterns, "sin");
  addFunction<SinhOp>(patterns, "sinh");
  addFunction<SqrtOp>(patterns, "sqrt");
  addFunction<TanOp>(patterns, "tan");
  addFunction<TanhOp>(patterns, "tanh");
  addFunction<TruncOp>(patterns, "trunc");
}

} // namespace fusec::codegen
