// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/graph/ScalarProgram.h"

#include "dialects/NarrowFloats.h"
#include "dialects/kernel/KernelOps.h"

#include <cmath>

using namespace mlir;
using namespace fusec;
using namespace fusec::fuse;

//===- The scalar operations ---------------------------------------------===//

using FloatUnary = double (*)(double);
using FloatBinary = double (*)(double, double);
using IntBinary = int64_t (*)(int64_t, int64_t);

static FloatUnary getFloatUnary(Operation *op) {
  return llvm::TypeSwitch<Operation *, FloatUnary>(op)
      .Case([](arith::NegFOp) { return [](double x) { return -x; }; })
      .Case([](math::AbsFOp) { return [](double x) { return std::fabs(x); }; })
      .Case([](math::AcosOp) { return [](double x) { return std::acos(x); }; })
      .Case(
          [](math::AcoshOp) { return [](double x) { return std::acosh(x); }; })
      .Case([](math::AsinOp) { return [](double x) { return std::asin(x); }; })
      .Case(
          [](math::AsinhOp) { return [](double x) { return std::asinh(x); }; })
      .Case([](math::AtanOp) { return [](double x) { return std::atan(x); }; })
      .Case(
          [](math::AtanhOp) { return [](double x) { return std::atanh(x); }; })
      .Case([](math::CeilOp) { return [](double x) { return std::ceil(x); }; })
      .Case([](math::CosOp) { return [](double x) { return std::cos(x); }; })
      .Case([](math::CoshOp) { return [](double x) { return std::cosh(x); }; })
      .Case([](math::ErfOp) { return [](double x) { return std::erf(x); }; })
      .Case([](math::ExpOp) { return [](double x) { return std::exp(x); }; })
      .Case(
          [](math::ExpM1Op) { return [](double x) { return std::expm1(x); }; })
      .Case(
          [](math::FloorOp) { return [](double x) { return std::floor(x); }; })
      .Case([](math::LogOp) { return [](double x) { return std::log(x); }; })
      .Case(
          [](math::Log1pOp) { return [](double x) { return std::log1p(x); }; })
      .Case([](math::RoundEvenOp) {
        return [](double x) { return std::nearbyint(x); };
      })
      .Case([](math::RsqrtOp) {
        return [](double x) { return 1 / std::sqrt(x); };
      })
      .Case([](math::SinOp) { return [](double x) { return std::sin(x); }; })
      .Case([](math::SinhOp) { return [](double x) { return std::sinh(x); }; })
      .Case([](math::SqrtOp) { return [](double x) { return std::sqrt(x); }; })
      .Case([](math::TanOp) { return [](double x) { return std::tan(x); }; })
      .Case([](math::TanhOp) { return [](double x) { return std::tanh(x); }; })
      .Default([](Operation *) { return nullptr; });
}

/// NaN if either operand is.
static double maximum(double a, double b) {
  return std::isnan(a) || std::isnan(b) ? a + b : std::fmax(a, b);
}
static double minimum(double a, double b) {
  return std::isnan(a) || std::isnan(b) ? a + b : std::fmin(a, b);
}

static FloatBinary getFloatBinary(Operation *op) {
  return llvm::TypeSwitch<Operation *, FloatBinary>(op)
      .Case([](arith::AddFOp) {
        return [](double a, double b) { return a + b; };
      })
      .Case([](arith::SubFOp) {
        return [](double a, double b) { return a - b; };
      })
      .Case([](arith::MulFOp) {
        return [](double a, double b) { return a * b; };
      })
      .Case([](arith::DivFOp) {
        return [](double a, double b) { return a / b; };
      })
      .Case([](arith::RemFOp) {
        return [](double a, double b) { return std::fmod(a, b); };
      })
      .Case([](math::PowFOp) {
        return [](double a, double b) { return std::pow(a, b); };
      })
      .Case([](arith::MaximumFOp) { return maximum; })
      .Case([](arith::MinimumFOp) { return minimum; })
      .Default([](Operation *) { return nullptr; });
}

static int64_t power(int64_t base, int64_t exponent) {
  if (exponent < 0)
    return base == 1 ? 1 : base == -1 ? (exponent % 2 ? -1 : 1) : 0;
  uint64_t result = 1, factor = base;
  for (; exponent; exponent >>= 1, factor *= factor)
    if (exponent & 1)
      result *= factor;
  return result;
}

/// The operations that take integers as unsigned. Columns hold 32 bits with
/// their sign, which keeps the unsigned order but not the value.
static IntBinary getUnsignedBinary(Operation *op) {
  using U = uint64_t;
  bool isWide =
      op->getNumResults() == 1 && op->getResult(0).getType().isInteger(64);
  if (isa<arith::MaxUIOp>(op))
    return [](int64_t a, int64_t b) { return U(a) > U(b) ? a : b; };
  if (isa<arith::MinUIOp>(op))
    return [](int64_t a, int64_t b) { return U(a) < U(b) ? a : b; };
  if (isa<arith::ShRUIOp>(op) && isWide)
    return [](int64_t a, int64_t b) { return int64_t(U(a) >> b); };
  if (isa<arith::ShRUIOp>(op))
    return [](int64_t a, int64_t b) { return int64_t(uint32_t(a) >> b); };
  if (isa<arith::DivUIOp>(op) && isWide)
    return
        [](int64_t a, int64_t b) { return b == 0 ? 0 : int64_t(U(a) / U(b)); };
  if (isa<arith::RemUIOp>(op) && isWide)
    return
        [](int64_t a, int64_t b) { return b == 0 ? 0 : int64_t(U(a) % U(b)); };
  return nullptr;
}

/// Wrapping arithmetic, as kernels compute it: a quotient or remainder by zero
/// is zero, and the least value divided by -1 is itself.
static IntBinary getIntBinary(Operation *op) {
  using U = uint64_t;
  return llvm::TypeSwitch<Operation *, IntBinary>(op)
      .Case([](arith::AddIOp) {
        return [](int64_t a, int64_t b) { return int64_t(U(a) + U(b)); };
      })
      .Case([](arith::SubIOp) {
        return [](int64_t a, int64_t b) { return int64_t(U(a) - U(b)); };
      })
      .Case([](arith::MulIOp) {
        return [](int64_t a, int64_t b) { return int64_t(U(a) * U(b)); };
      })
      .Case([](arith::DivSIOp) {
        return [](int64_t a, int64_t b) {
          return b == 0 ? 0 : b == -1 ? int64_t(-U(a)) : a / b;
        };
      })
      .Case([](arith::RemSIOp) {
        return
            [](int64_t a, int64_t b) { return b == 0 || b == -1 ? 0 : a % b; };
      })
      .Case([](arith::MaxSIOp) {
        return [](int64_t a, int64_t b) { return std::max(a, b); };
      })
      .Case([](arith::MinSIOp) {
        return [](int64_t a, int64_t b) { return std::min(a, b); };
      })
      .Case([](arith::AndIOp) {
        return [](int64_t a, int64_t b) { return a & b; };
      })
      .Case([](arith::OrIOp) {
        return [](int64_t a, int64_t b) { return a | b; };
      })
      .Case([](arith::XOrIOp) {
        return [](int64_t a, int64_t b) { return a ^ b; };
      })
      .Case([](arith::ShLIOp) {
        return [](int64_t a, int64_t b) { return int64_t(U(a) << b); };
      })
      .Case([](arith::ShRSIOp) {
        return [](int64_t a, int64_t b) { return a >> b; };
      })
      .Case([](math::IPowIOp) { return power; })
      .Default(getUnsignedBinary);
}

template <typename T> static bool compareOrdered(unsigned kind, T a, T b) {
  switch (kind) {
  case 0:
    return a == b;
  case 1:
    return a != b;
  case 2:
    return a < b;
  case 3:
    return a <= b;
  case 4:
    return a > b;
  default:
    return a >= b;
  }
}

/// 0 to 5 for eq, ne, lt, le, gt, ge; nothing for predicates that no body uses.
static std::optional<unsigned> getComparison(Operation *op) {
  if (auto cmp = dyn_cast<arith::CmpFOp>(op)) {
    static constexpr arith::CmpFPredicate table[] = {
        arith::CmpFPredicate::OEQ, arith::CmpFPredicate::UNE,
        arith::CmpFPredicate::OLT, arith::CmpFPredicate::OLE,
        arith::CmpFPredicate::OGT, arith::CmpFPredicate::OGE};
    const auto *found = llvm::find(table, cmp.getPredicate());
    if (found != std::end(table))
      return found - std::begin(table);
  }
  if (auto cmp = dyn_cast<arith::CmpIOp>(op)) {
    // Booleans are held as 0 and 1, so that signed comparison orders them.
    switch (cmp.getPredicate()) {
    case arith::CmpIPredicate::eq:
      return 0;
    case arith::CmpIPredicate::ne:
      return 1;
    case arith::CmpIPredicate::slt:
      return 2;
    case arith::CmpIPredicate::sle:
      return 3;
    case arith::CmpIPredicate::sgt:
      return 4;
    case arith::CmpIPredicate::sge:
      return 5;
    case arith::CmpIPredicate::ult:
    case arith::CmpIPredicate::ule:
    case arith::CmpIPredicate::ugt:
    case arith::CmpIPredicate::uge:
      return unsigned(cmp.getPredicate()) -
             unsigned(arith::CmpIPredicate::ult) + 2;
    }
  }
  return std::nullopt;
}

/// Whether the comparison takes integers as unsigned; signed ones do for 0
/// and 1.
static bool comparesUnsigned(Operation *op) {
  auto cmp = dyn_cast<arith::CmpIOp>(op);
  return cmp && cmp.getPredicate() >= arith::CmpIPredicate::ult;
}

/// Whether `op` can be run: each case here is one of `runStep`.
static bool isKnown(Operation &op) {
  return isa<arith::ConstantOp, arith::SelectOp, math::FmaOp, math::AbsIOp,
             arith::ExtSIOp, arith::ExtUIOp, arith::TruncIOp, arith::SIToFPOp,
             arith::UIToFPOp, arith::FPToSIOp, arith::ExtFOp, arith::TruncFOp,
             arith::IndexCastOp, arith::BitcastOp, kernel::LookUpOp>(op) ||
         getFloatUnary(&op) || getFloatBinary(&op) || getIntBinary(&op) ||
         getComparison(&op);
}

//===- Compilation -------------------------------------------------------===//

std::optional<ScalarProgram> ScalarProgram::compile(PrimitiveOpInterface op) {
  ScalarProgram program;
  program.block = std::make_unique<Block>();
  Block &block = *program.block;
  SmallVector<Value> values = buildBodyIn(block, op);

  llvm::DenseMap<Value, unsigned> numbers;
  auto addColumn = [&](Value value) {
    numbers[value] = program.columns.size();
    program.columns.emplace_back();
    program.columns.back().isFloat = isa<FloatType>(value.getType());
  };
  for (Value argument : block.getArguments())
    addColumn(argument);
  for (Operation &inner : block) {
    if (!isKnown(inner))
      return std::nullopt;
    addColumn(inner.getResult(0));
    Step step{&inner,
              {},
              unsigned(program.columns.size() - 1),
              getFloatUnary(&inner),
              getFloatBinary(&inner),
              getIntBinary(&inner)};
    for (Value operand : inner.getOperands())
      step.operands.push_back(numbers.lookup(operand));
    program.steps.push_back(std::move(step));
  }
  for (Value value : values)
    program.results.push_back(numbers.lookup(value));
  for (Step &step : program.steps)
    step.isAccumulator = op.hasReduction() &&
                         program.columns[step.result].isFloat &&
                         llvm::is_contained(program.results, step.result);
  return program;
}

//===- Execution ---------------------------------------------------------===//

/// Rounds a column of floats to `type`; wraps a column of integers to it.
static void narrowColumn(Column &column, Type type, size_t count) {
  if (type.isF32()) {
    for (size_t i = 0; i < count; ++i)
      column.floats[i] = static_cast<float>(column.floats[i]);
  } else if (FloatType narrow = getNarrowFloat(type)) {
    for (size_t i = 0; i < count; ++i) {
      APFloat value(column.floats[i]);
      bool losesInfo;
      value.convert(narrow.getFloatSemantics(), APFloat::rmNearestTiesToEven,
                    &losesInfo);
      column.floats[i] = value.convertToDouble();
    }
  } else if (auto integer = dyn_cast<IntegerType>(type)) {
    unsigned width = integer.getWidth();
    for (size_t i = 0; i < count && width < 64; ++i)
      column.ints[i] = width == 1 ? column.ints[i] & 1
                                  : llvm::SignExtend64(column.ints[i], width);
  }
}

void ScalarProgram::runFloat(const Step &step, size_t count) {
  Column &to = columns[step.result];
  auto arg = [&](unsigned i) -> const std::vector<double> & {
    return columns[step.operands[i]].floats;
  };
  if (step.floatUnary) {
    for (size_t i = 0; i < count; ++i)
      to.floats[i] = step.floatUnary(arg(0)[i]);
  } else if (step.floatBinary) {
    const std::vector<double> &a = arg(0), &b = arg(1);
    for (size_t i = 0; i < count; ++i)
      to.floats[i] = step.floatBinary(a[i], b[i]);
  } else if (isa<math::FmaOp>(step.op)) {
    for (size_t i = 0; i < count; ++i)
      to.floats[i] = std::fma(arg(0)[i], arg(1)[i], arg(2)[i]);
  } else if (isa<arith::SIToFPOp, arith::UIToFPOp>(step.op)) {
    const std::vector<int64_t> &a = columns[step.operands[0]].ints;
    for (size_t i = 0; i < count; ++i)
      to.floats[i] = static_cast<double>(a[i]);
  } else if (auto bitcast = dyn_cast<arith::BitcastOp>(step.op)) {
    const std::vector<int64_t> &a = columns[step.operands[0]].ints;
    bool isWide = bitcast.getType().isF64();
    for (size_t i = 0; i < count; ++i)
      to.floats[i] = isWide ? llvm::bit_cast<double>(a[i])
                            : llvm::bit_cast<float>(static_cast<int32_t>(a[i]));
  } else if (isa<arith::ExtFOp, arith::TruncFOp>(step.op)) {
    std::copy_n(arg(0).begin(), count, to.floats.begin());
  } else if (auto constant = dyn_cast<arith::ConstantOp>(step.op)) {
    APFloat value = cast<FloatAttr>(constant.getValue()).getValue();
    std::fill_n(to.floats.begin(), count, value.convertToDouble());
  } else {
    llvm_unreachable("isKnown names what runs here");
  }
}

void ScalarProgram::runInteger(const Step &step, size_t count) {
  Column &to = columns[step.result];
  auto arg = [&](unsigned i) -> const Column & {
    return columns[step.operands[i]];
  };
  if (step.intBinary) {
    const std::vector<int64_t> &a = arg(0).ints, &b = arg(1).ints;
    for (size_t i = 0; i < count; ++i)
      to.ints[i] = step.intBinary(a[i], b[i]);
  } else if (comparesUnsigned(step.op)) {
    for (size_t i = 0; i < count; ++i)
      to.ints[i] = compareOrdered<uint64_t>(*getComparison(step.op),
                                            arg(0).ints[i], arg(1).ints[i]);
  } else if (std::optional<unsigned> kind = getComparison(step.op)) {
    for (size_t i = 0; i < count; ++i)
      to.ints[i] =
          arg(0).isFloat
              ? compareOrdered(*kind, arg(0).floats[i], arg(1).floats[i])
              : compareOrdered(*kind, arg(0).ints[i], arg(1).ints[i]);
  } else if (isa<arith::FPToSIOp>(step.op)) {
    // As the vocabulary does it: what is out of range becomes the nearest
    // number that the type has, and NaN 0.
    unsigned width = step.op->getResult(0).getType().getIntOrFloatBitWidth();
    int64_t least = llvm::minIntN(width), most = llvm::maxIntN(width);
    double end = std::ldexp(1.0, width - 1);
    for (size_t i = 0; i < count; ++i) {
      double value = arg(0).floats[i];
      to.ints[i] = std::isnan(value) ? 0
                   : value >= end    ? most
                   : value <= -end   ? least
                                     : static_cast<int64_t>(value);
    }
  } else if (auto bitcast = dyn_cast<arith::BitcastOp>(step.op)) {
    bool isWide = bitcast.getType().isInteger(64);
    for (size_t i = 0; i < count; ++i) {
      double value = arg(0).floats[i];
      to.ints[i] = isWide ? llvm::bit_cast<int64_t>(value)
                          : llvm::bit_cast<int32_t>(static_cast<float>(value));
    }
  } else if (auto lookUp = dyn_cast<kernel::LookUpOp>(step.op)) {
    for (size_t i = 0; i < count; ++i)
      to.ints[i] = lookUp.getTable()[arg(0).ints[i] & 255];
  } else if (isa<math::AbsIOp>(step.op)) {
    for (size_t i = 0; i < count; ++i)
      to.ints[i] =
          arg(0).ints[i] < 0 ? -uint64_t(arg(0).ints[i]) : arg(0).ints[i];
  } else if (auto constant = dyn_cast<arith::ConstantOp>(step.op)) {
    APInt value = cast<IntegerAttr>(constant.getValue()).getValue();
    bool isBool = value.getBitWidth() == 1;
    std::fill_n(to.ints.begin(), count,
                isBool ? int64_t(value.getZExtValue()) : value.getSExtValue());
  } else { // extsi, extui, trunci, index_cast
    std::copy_n(arg(0).ints.begin(), count, to.ints.begin());
  }
}

void ScalarProgram::runStep(const Step &step, size_t count) {
  Column &to = columns[step.result];
  to.resize(count);
  if (isa<arith::SelectOp>(step.op)) {
    const std::vector<int64_t> &condition = columns[step.operands[0]].ints;
    const Column &a = columns[step.operands[1]], &b = columns[step.operands[2]];
    for (size_t i = 0; i < count; ++i) {
      if (to.isFloat)
        to.floats[i] = condition[i] ? a.floats[i] : b.floats[i];
      else
        to.ints[i] = condition[i] ? a.ints[i] : b.ints[i];
    }
  } else if (to.isFloat) {
    runFloat(step, count);
  } else {
    runInteger(step, count);
  }
  if (!step.isAccumulator)
    narrowColumn(to, step.op->getResult(0).getType(), count);
}

void ScalarProgram::run(size_t count) {
  for (const Step &step : steps)
    runStep(step, count);
}
