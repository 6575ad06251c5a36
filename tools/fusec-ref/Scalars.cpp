// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/fusec-ref/Scalars.h"

#include "compiler/io/ElementValue.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "tools/fusec-ref/Evaluator.h"
#include "tools/fusec-ref/Numbers.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/StringMap.h"

using namespace mlir;

namespace fusec::ref {
namespace {

using Step = ScalarProgram::Step;

/// `value` wrapped to `bits`: sign-extended, a boolean to 0 or 1.
int64_t wrap(int64_t value, unsigned bits) {
  if (bits == 1)
    return value & 1;
  return static_cast<int64_t>(static_cast<uint64_t>(value) << (64 - bits)) >>
         (64 - bits);
}

uint64_t zeroExtend(int64_t value, unsigned bits) {
  return static_cast<uint64_t>(value) << (64 - bits) >> (64 - bits);
}

template <double (*F)(double)> void floatUnary(const Step &s, Scalar *slots) {
  slots[s.result].f = F(slots[s.operands[0]].f);
}
template <double (*F)(double, double)>
void floatBinary(const Step &s, Scalar *slots) {
  slots[s.result].f = F(slots[s.operands[0]].f, slots[s.operands[1]].f);
}
template <int64_t (*F)(int64_t, int64_t)>
void intBinary(const Step &s, Scalar *slots) {
  slots[s.result].i =
      wrap(F(slots[s.operands[0]].i, slots[s.operands[1]].i), s.bits);
}

double negate(double x) { return -x; }
double reciprocalRoot(double x) { return 1 / std::sqrt(x); }
double maximumNumber(double a, double b) { return std::fmax(a, b); }
double minimumNumber(double a, double b) { return std::fmin(a, b); }
int64_t bitAnd(int64_t a, int64_t b) { return a & b; }
int64_t bitOr(int64_t a, int64_t b) { return a | b; }
int64_t bitXor(int64_t a, int64_t b) { return a ^ b; }

void fma(const Step &s, Scalar *slots) {
  slots[s.result].f = std::fma(slots[s.operands[0]].f, slots[s.operands[1]].f,
                               slots[s.operands[2]].f);
}
void absInt(const Step &s, Scalar *slots) {
  int64_t x = slots[s.operands[0]].i;
  slots[s.result].i = wrap(x < 0 ? subtract(0, x) : x, s.bits);
}
void select(const Step &s, Scalar *slots) {
  slots[s.result] = slots[s.operands[slots[s.operands[0]].i ? 1 : 2]];
}
void copy(const Step &s, Scalar *slots) {
  slots[s.result] = slots[s.operands[0]];
}
void copyWrapped(const Step &s, Scalar *slots) {
  slots[s.result].i = wrap(slots[s.operands[0]].i, s.bits);
}
// An i1 is 0 or -1 where it is taken as signed.
void extendSigned(const Step &s, Scalar *slots) {
  int64_t x = slots[s.operands[0]].i;
  slots[s.result].i = s.bits == 1 ? -x : x;
}
void extendUnsigned(const Step &s, Scalar *slots) {
  slots[s.result].i =
      static_cast<int64_t>(zeroExtend(slots[s.operands[0]].i, s.bits));
}
void signedToFloat(const Step &s, Scalar *slots) {
  extendSigned(s, slots);
  slots[s.result].f = static_cast<double>(slots[s.result].i);
}
void unsignedToFloat(const Step &s, Scalar *slots) {
  slots[s.result].f =
      static_cast<double>(zeroExtend(slots[s.operands[0]].i, s.bits));
}
void floatToInt(const Step &s, Scalar *slots) {
  double x = slots[s.operands[0]].f;
  double limit = std::ldexp(1.0, s.bits - 1);
  slots[s.result].i =
      x >= -limit && x < limit
          ? static_cast<int64_t>(x)
          : wrap(static_cast<int64_t>(uint64_t(1) << (s.bits - 1)), s.bits);
}
void truncateFloat(const Step &s, Scalar *slots) {
  slots[s.result].f = io::roundTo(static_cast<io::ElementType>(s.variant),
                                  slots[s.operands[0]].f);
}

void compareInts(const Step &s, Scalar *slots) {
  int64_t a = slots[s.operands[0]].i, b = slots[s.operands[1]].i;
  if (s.bits == 1)
    a = -a, b = -b; // As in extendSigned.
  uint64_t ua = zeroExtend(a, s.bits), ub = zeroExtend(b, s.bits);
  auto holds = [&] {
    switch (static_cast<arith::CmpIPredicate>(s.variant)) {
    case arith::CmpIPredicate::eq:
      return a == b;
    case arith::CmpIPredicate::ne:
      return a != b;
    case arith::CmpIPredicate::slt:
      return a < b;
    case arith::CmpIPredicate::sle:
      return a <= b;
    case arith::CmpIPredicate::sgt:
      return a > b;
    case arith::CmpIPredicate::sge:
      return a >= b;
    case arith::CmpIPredicate::ult:
      return ua < ub;
    case arith::CmpIPredicate::ule:
      return ua <= ub;
    case arith::CmpIPredicate::ugt:
      return ua > ub;
    case arith::CmpIPredicate::uge:
      return ua >= ub;
    }
    llvm_unreachable("unknown predicate");
  };
  slots[s.result].i = holds();
}

void compareFloats(const Step &s, Scalar *slots) {
  double a = slots[s.operands[0]].f, b = slots[s.operands[1]].f;
  // CmpFPredicate encodes "true if" as bits: equal, greater, less, unordered.
  unsigned relation = a == b ? 1 : a > b ? 2 : a < b ? 4 : 8;
  static_assert(unsigned(arith::CmpFPredicate::OEQ) == 1 &&
                unsigned(arith::CmpFPredicate::OGT) == 2 &&
                unsigned(arith::CmpFPredicate::OLT) == 4 &&
                unsigned(arith::CmpFPredicate::UNO) == 14);
  static constexpr unsigned accepted[] = {
      0, // false
      1,         2,         2 | 1,
      4,         4 | 1,     4 | 2,     // oeq ogt oge olt ole one
      1 | 2 | 4,                       // ord
      8 | 1,     8 | 2,     8 | 2 | 1, // ueq ugt uge
      8 | 4,     8 | 4 | 1, 8 | 4 | 2, // ult ule une
      8,                               // uno
      15};                             // true
  slots[s.result].i = (accepted[s.variant] & relation) != 0;
}

using Runner = void (*)(const Step &, Scalar *);

const llvm::StringMap<Runner> &runners() {
  static const llvm::StringMap<Runner> table = {
      {"arith.addf", floatBinary<add>},
      {"arith.subf", floatBinary<subtract>},
      {"arith.mulf", floatBinary<multiply>},
      {"arith.divf", floatBinary<divide>},
      {"arith.remf", floatBinary<remainder>},
      {"arith.maximumf", floatBinary<maximum>},
      {"arith.minimumf", floatBinary<minimum>},
      {"arith.maxnumf", floatBinary<maximumNumber>},
      {"arith.minnumf", floatBinary<minimumNumber>},
      {"arith.negf", floatUnary<negate>},
      {"arith.cmpf", compareFloats},
      {"arith.addi", intBinary<add>},
      {"arith.subi", intBinary<subtract>},
      {"arith.muli", intBinary<multiply>},
      {"arith.divsi", intBinary<divide>},
      {"arith.remsi", intBinary<remainder>},
      {"arith.maxsi", intBinary<maximum>},
      {"arith.minsi", intBinary<minimum>},
      {"arith.andi", intBinary<bitAnd>},
      {"arith.ori", intBinary<bitOr>},
      {"arith.xori", intBinary<bitXor>},
      {"arith.cmpi", compareInts},
      {"arith.select", select},
      {"arith.extf", copy},
      {"arith.truncf", truncateFloat},
      {"arith.extsi", extendSigned},
      {"arith.extui", extendUnsigned},
      {"arith.trunci", copyWrapped},
      {"arith.index_cast", copyWrapped},
      {"arith.sitofp", signedToFloat},
      {"arith.uitofp", unsignedToFloat},
      {"arith.fptosi", floatToInt},
      {"math.absf", floatUnary<std::fabs>},
      {"math.absi", absInt},
      {"math.ceil", floatUnary<std::ceil>},
      {"math.cos", floatUnary<std::cos>},
      {"math.erf", floatUnary<std::erf>},
      {"math.exp", floatUnary<std::exp>},
      {"math.exp2", floatUnary<std::exp2>},
      {"math.expm1", floatUnary<std::expm1>},
      {"math.floor", floatUnary<std::floor>},
      {"math.fma", fma},
      {"math.ipowi", intBinary<power>},
      {"math.log", floatUnary<std::log>},
      {"math.log1p", floatUnary<std::log1p>},
      {"math.powf", floatBinary<power>},
      {"math.roundeven", floatUnary<std::nearbyint>},
      {"math.rsqrt", floatUnary<reciprocalRoot>},
      {"math.sin", floatUnary<std::sin>},
      {"math.sqrt", floatUnary<std::sqrt>},
      {"math.tanh", floatUnary<std::tanh>},
  };
  return table;
}

/// The width that the operation's runner goes by: that of what it reads where
/// it widens or compares, that of its result otherwise.
unsigned widthOf(Operation &op) {
  bool byOperand = isa<arith::CmpIOp, arith::ExtSIOp, arith::ExtUIOp,
                       arith::SIToFPOp, arith::UIToFPOp>(op);
  Type type =
      byOperand ? op.getOperand(0).getType() : op.getResult(0).getType();
  return type.isIntOrFloat() ? type.getIntOrFloatBitWidth() : 64;
}

unsigned variantOf(Operation &op) {
  if (auto compare = dyn_cast<arith::CmpIOp>(op))
    return static_cast<unsigned>(compare.getPredicate());
  if (auto compare = dyn_cast<arith::CmpFOp>(op))
    return static_cast<unsigned>(compare.getPredicate());
  if (isa<arith::TruncFOp>(op))
    return static_cast<unsigned>(
        getElementType(RankedTensorType::get({}, op.getResult(0).getType())));
  return 0;
}

Scalar constantOf(arith::ConstantOp op) {
  Scalar value;
  if (auto attr = dyn_cast<FloatAttr>(op.getValue()))
    value.f = attr.getValueAsDouble();
  else
    value.i = wrap(cast<IntegerAttr>(op.getValue()).getValue().getSExtValue(),
                   widthOf(*op));
  return value;
}

/// Gives every value of a block a slot.
class Slots {
public:
  explicit Slots(std::vector<Scalar> &initial) : initial(initial) {}

  unsigned add(Value value, Scalar scalar = Scalar{0}) {
    initial.push_back(scalar);
    return slots[value] = initial.size() - 1;
  }
  /// The slot of `value`; one that the block does not define must be a
  /// constant.
  llvm::Expected<unsigned> get(Value value) {
    if (auto it = slots.find(value); it != slots.end())
      return it->second;
    if (auto constant = value.getDefiningOp<arith::ConstantOp>())
      return add(value, constantOf(constant));
    return errorAt(value.getParentRegion()->getParentOp(),
                   "has a combiner that reads a value from outside of it");
  }

private:
  std::vector<Scalar> &initial;
  llvm::DenseMap<Value, unsigned> slots;
};

} // namespace

llvm::Expected<ScalarProgram> ScalarProgram::create(Block &block) {
  ScalarProgram program;
  Slots slots(program.initial);
  for (BlockArgument argument : block.getArguments())
    slots.add(argument);
  for (Operation &op : block.without_terminator()) {
    if (isa<arith::ConstantOp>(op))
      continue; // Taken where it is used.
    auto runner = runners().find(op.getName().getStringRef());
    if (runner == runners().end() || op.getNumOperands() > 3)
      return errorAt(&op, "cannot be interpreted in a combiner; add it to "
                          "tools/fusec-ref/Scalars.cpp");
    Step step = {runner->second, 0, {}, widthOf(op), variantOf(op)};
    for (auto [index, operand] : llvm::enumerate(op.getOperands())) {
      llvm::Expected<unsigned> slot = slots.get(operand);
      if (!slot)
        return slot.takeError();
      step.operands[index] = *slot;
    }
    step.result = slots.add(op.getResult(0));
    program.steps.push_back(step);
  }
  for (Value value : block.getTerminator()->getOperands()) {
    llvm::Expected<unsigned> slot = slots.get(value);
    if (!slot)
      return slot.takeError();
    program.outputs.push_back(*slot);
  }
  return program;
}

} // namespace fusec::ref
