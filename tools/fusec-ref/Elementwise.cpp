// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The elementwise primitives.
#include "tools/fusec-ref/Evaluator.h"
#include "tools/fusec-ref/Numbers.h"

#include <cstring>

using namespace fusec::fuse;
using fusec::io::OpClass;
using llvm::Error;

namespace fusec::ref {
namespace {

/// What an operation does to floats and to integers; null where it has no such
/// form.
struct UnaryRow {
  llvm::StringLiteral name;
  OpClass opClass;
  double (*floats)(double);
  int64_t (*ints)(int64_t);
};
/// `unsigneds` takes the place of `ints` for u64, whose order an int64_t lacks;
/// null where that makes no difference.
struct BinaryRow {
  llvm::StringLiteral name;
  OpClass opClass;
  double (*floats)(double, double);
  int64_t (*ints)(int64_t, int64_t);
  uint64_t (*unsigneds)(uint64_t, uint64_t) = nullptr;
};

uint64_t quotient(uint64_t a, uint64_t b) { return b ? a / b : 0; }
uint64_t rest(uint64_t a, uint64_t b) { return b ? a % b : 0; }

template <typename T> T signOf(T x) { return x > 0 ? T(1) : x < 0 ? T(-1) : x; }

constexpr OpClass kRounds = OpClass::Elementwise;
constexpr OpClass kExact = OpClass::Exact;

const UnaryRow kUnary[] = {
    {"fuse.abs", kExact, [](double x) { return std::fabs(x); },
     [](int64_t x) { return x < 0 ? subtract(0, x) : x; }},
    {"fuse.acos", kRounds, std::acos, nullptr},
    {"fuse.acosh", kRounds, std::acosh, nullptr},
    {"fuse.asin", kRounds, std::asin, nullptr},
    {"fuse.asinh", kRounds, std::asinh, nullptr},
    {"fuse.atan", kRounds, std::atan, nullptr},
    {"fuse.atanh", kRounds, std::atanh, nullptr},
    {"fuse.ceil", kExact, std::ceil, nullptr},
    {"fuse.cos", kRounds, std::cos, nullptr},
    {"fuse.cosh", kRounds, std::cosh, nullptr},
    {"fuse.erf", kRounds, std::erf, nullptr},
    {"fuse.exp", kRounds, std::exp, nullptr},
    {"fuse.expm1", kRounds, std::expm1, nullptr},
    {"fuse.floor", kExact, std::floor, nullptr},
    {"fuse.log", kRounds, std::log, nullptr},
    {"fuse.log1p", kRounds, std::log1p, nullptr},
    {"fuse.neg", kExact, [](double x) { return -x; },
     [](int64_t x) { return subtract(0, x); }},
    {"fuse.round", kExact, std::nearbyint, nullptr},
    {"fuse.rsqrt", kRounds, [](double x) { return 1 / std::sqrt(x); }, nullptr},
    {"fuse.sign", kExact, signOf<double>, signOf<int64_t>},
    {"fuse.sin", kRounds, std::sin, nullptr},
    {"fuse.sinh", kRounds, std::sinh, nullptr},
    {"fuse.sqrt", kRounds, std::sqrt, nullptr},
    {"fuse.tan", kRounds, std::tan, nullptr},
    {"fuse.tanh", kRounds, std::tanh, nullptr},
};

const BinaryRow kBinary[] = {
    {"fuse.add", kRounds, add, add},
    {"fuse.sub", kRounds, subtract, subtract},
    {"fuse.mul", kRounds, multiply, multiply},
    {"fuse.div", kRounds, divide, divide, quotient},
    {"fuse.pow", kRounds, power, power},
    {"fuse.mod", kRounds, modulo<double>, modulo<int64_t>, rest},
    {"fuse.fmod", kRounds, remainder, remainder, rest},
    {"fuse.maximum", kExact, maximum, maximum,
     [](uint64_t a, uint64_t b) { return std::max(a, b); }},
    {"fuse.minimum", kExact, minimum, minimum,
     [](uint64_t a, uint64_t b) { return std::min(a, b); }},
    {"fuse.and", kExact, nullptr, [](int64_t a, int64_t b) { return a & b; }},
    {"fuse.or", kExact, nullptr, [](int64_t a, int64_t b) { return a | b; }},
    {"fuse.xor", kExact, nullptr, [](int64_t a, int64_t b) { return a ^ b; }},
    {"fuse.shl", kExact, nullptr,
     [](int64_t a, int64_t b) {
       return b < 0 || b > 63 ? 0 : int64_t(uint64_t(a) << b);
     },
     [](uint64_t a, uint64_t b) { return b > 63 ? 0 : a << b; }},
    {"fuse.shr", kExact, nullptr,
     [](int64_t a, int64_t b) { return b < 0 || b > 63 ? 0 : a >> b; },
     [](uint64_t a, uint64_t b) { return b > 63 ? 0 : a >> b; }},
};

template <typename T> Error mapUnary(Evaluation &e, T (*f)(T)) {
  if (!f)
    return e.fail(std::is_same_v<T, double> ? "has no form for floats"
                                            : "has no form for integers");
  std::vector<T> values = e.load<T>(0);
  for (T &value : values)
    value = f(value);
  return e.store(values);
}

template <typename T> Error mapBinary(Evaluation &e, T (*f)(T, T)) {
  if (!f)
    return e.fail(std::is_same_v<T, double> ? "has no form for floats"
                                            : "has no form for integers");
  std::vector<T> values = e.load<T>(0), other = e.load<T>(1);
  for (size_t i = 0; i < values.size(); ++i)
    values[i] = f(values[i], other[i]);
  return e.store(values);
}

Error mapUnsigned(Evaluation &e, uint64_t (*f)(uint64_t, uint64_t)) {
  std::vector<int64_t> values = e.load<int64_t>(0), other = e.load<int64_t>(1);
  for (size_t i = 0; i < values.size(); ++i)
    values[i] = static_cast<int64_t>(f(values[i], other[i]));
  return e.store(values);
}

/// The sign of u64 is 0 or 1, and it is its own magnitude.
Error mapUnsigned(Evaluation &e) {
  std::vector<int64_t> values = e.load<int64_t>(0);
  if (llvm::isa<SignOp>(e.op))
    for (int64_t &value : values)
      value = value != 0;
  return e.store(values);
}

Error evaluateNot(NotOp, Evaluation &e) {
  std::vector<int64_t> values = e.load<int64_t>(0);
  bool isBool = e.resultType() == io::ElementType::Bool;
  for (int64_t &value : values)
    value = isBool ? !value : ~value;
  return e.store(values);
}

template <typename T> bool holds(CmpPredicate predicate, T a, T b) {
  switch (predicate) {
  case CmpPredicate::eq:
    return a == b;
  case CmpPredicate::ne:
    return a != b;
  case CmpPredicate::lt:
    return a < b;
  case CmpPredicate::le:
    return a <= b;
  case CmpPredicate::gt:
    return a > b;
  case CmpPredicate::ge:
    return a >= b;
  }
  llvm_unreachable("unknown predicate");
}

/// Loads elements as `Number` and compares them as `T`.
template <typename T, typename Number = T>
Error compareAs(CmpOp op, Evaluation &e) {
  std::vector<Number> lhs = e.load<Number>(0), rhs = e.load<Number>(1);
  std::vector<int64_t> result(lhs.size());
  for (size_t i = 0; i < lhs.size(); ++i)
    result[i] = holds<T>(op.getPredicate(), lhs[i], rhs[i]);
  return e.store(result);
}

Error evaluateCmp(CmpOp op, Evaluation &e) {
  if (e.operands[0]->type == io::ElementType::U64)
    return compareAs<uint64_t, int64_t>(op, e);
  return io::isFloat(e.operands[0]->type) ? compareAs<double>(op, e)
                                          : compareAs<int64_t>(op, e);
}

Error evaluateSelect(SelectOp, Evaluation &e) {
  std::vector<int64_t> condition = e.load<int64_t>(0);
  io::Tensor result = *e.operands[2];
  result.name.clear();
  unsigned bytes = io::getInfo(result.type).bytes;
  for (size_t i = 0; i < condition.size(); ++i)
    if (condition[i])
      std::memcpy(&result.bytes[i * bytes], &e.operands[1]->bytes[i * bytes],
                  bytes);
  return e.store(std::move(result));
}

/// Float to integer goes by way of the compute type: what fits no i32 (i64 for
/// i64 and u32) becomes that type's lowest value, and narrower types wrap from there.
int64_t toInteger(double value, bool wide) {
  if (wide)
    return value >= -0x1p63 && value < 0x1p63 ? static_cast<int64_t>(value)
                                              : INT64_MIN;
  return value > -0x1p31 - 1 && value < 0x1p31 ? static_cast<int64_t>(value)
                                               : INT32_MIN;
}

/// From 2^63 on as unsigned; negative numbers wrap.
int64_t toUnsigned(double value) {
  return value >= 0x1p63 && value < 0x1p64
             ? static_cast<int64_t>(static_cast<uint64_t>(value))
             : toInteger(value, true);
}

/// Floats of 8 and 4 bits go by way of f32.
Error evaluateCast(CastOp, Evaluation &e) {
  io::ElementType to = e.resultType();
  io::ElementType from = e.operands[0]->type;
  if (io::isCoded(to)) {
    std::vector<double> values = e.load<double>(0);
    for (double &value : values)
      value = static_cast<float>(value);
    return e.store(values);
  }
  if (!io::isFloat(from) && !(from == io::ElementType::U64 && io::isFloat(to)))
    return e.store(e.load<int64_t>(0));
  std::vector<double> values = e.load<double>(0);
  if (io::isFloat(to))
    return e.store(values);
  std::vector<int64_t> ints(values.size());
  for (size_t i = 0; i < values.size(); ++i)
    ints[i] = to == io::ElementType::Bool
                  ? values[i] != 0
              : to == io::ElementType::U64
                  ? toUnsigned(values[i])
                  : toInteger(values[i], to == io::ElementType::I64 ||
                                             to == io::ElementType::U32);
  return e.store(ints);
}

/// The elements as they lie in memory. Those of less than a byte take one each,
/// in which the sign of an integer is repeated.
Error evaluateBitcast(BitcastOp, Evaluation &e) {
  io::ElementType to = e.resultType();
  io::Bytes bytes = e.operands[0]->bytes;
  unsigned bits = io::getInfo(to).packedBits;
  if (bits == 0)
    return e.store(io::Tensor{"", to, e.resultShape(), std::move(bytes)});
  for (char &byte : bytes)
    byte = char(byte & ((1 << bits) - 1));
  if (io::isFloat(to))
    return e.store(io::Tensor{"", to, e.resultShape(), std::move(bytes)});
  return e.store(std::vector<int64_t>(bytes.begin(), bytes.end())); // wraps
}

/// The table has the entries of negative codes behind the others.
Error evaluateLookUp(LookUpOp op, Evaluation &e) {
  std::vector<int64_t> values = e.load<int64_t>(0);
  for (int64_t &value : values)
    value = op.getTable()[value < 0 ? value + 256 : value];
  return e.store(values);
}

} // namespace

void addElementwise(Registry &registry) {
  for (const UnaryRow &row : kUnary)
    registry.add(row.name, row.opClass, [&row](Evaluation &e) {
      if (e.resultType() == io::ElementType::U64 &&
          llvm::isa<AbsOp, SignOp>(e.op))
        return mapUnsigned(e);
      return e.isFloat() ? mapUnary(e, row.floats) : mapUnary(e, row.ints);
    });
  for (const BinaryRow &row : kBinary)
    registry.add(row.name, row.opClass, [&row](Evaluation &e) {
      if (e.resultType() == io::ElementType::U64 && row.unsigneds)
        return mapUnsigned(e, row.unsigneds);
      return e.isFloat() ? mapBinary(e, row.floats) : mapBinary(e, row.ints);
    });
  registry.add<NotOp>(kExact, evaluateNot);
  registry.add<CmpOp>(kExact, evaluateCmp);
  registry.add<SelectOp>(kExact, evaluateSelect);
  registry.add<CastOp>(kRounds, evaluateCast);
  registry.add<BitcastOp>(kExact, evaluateBitcast);
  registry.add<LookUpOp>(kExact, evaluateLookUp);
}

} // namespace fusec::ref
