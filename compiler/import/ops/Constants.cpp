// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Operators whose result follows from attributes and shapes alone.
#include "compiler/import/Node.h"
#include "compiler/import/OpenLengths.h"
#include "compiler/import/Registry.h"
#include "compiler/import/ops/LinearForm.h"

#include <cmath>

using namespace mlir;

namespace fusec {
namespace {

HostTensor scalarOf(Node &node, int64_t value) {
  return HostTensor::fromInts(tensorType({}, node.builder.getI64Type()),
                              {value});
}

void convertConstant(Node &node) {
  if (node.hasAttribute("value")) {
    TensorValue value = node.tensorAttribute("value");
    return value.value ? node.setOutput(0, value.value)
                       : node.setOutput(0, *value.constant);
  }
  if (node.hasAttribute("sparse_value"))
    return node.setOutput(0, node.sparseAttribute("sparse_value"));
  auto f32 = node.builder.getF32Type();
  if (node.hasAttribute("value_int"))
    return node.setOutput(0, scalarOf(node, node.intAttribute("value_int")));
  if (node.hasAttribute("value_ints"))
    return node.setOutput(0, node.hostVector(node.intsAttribute("value_ints")));
  if (node.hasAttribute("value_float"))
    return node.setOutput(
        0, HostTensor::fromFloats(tensorType({}, f32),
                                  {node.floatAttribute("value_float", 0)}));
  if (node.hasAttribute("value_floats")) {
    std::vector<double> values = node.floatsAttribute("value_floats");
    return node.setOutput(
        0, HostTensor::fromFloats(tensorType({int64_t(values.size())}, f32),
                                  std::move(values)));
  }
  node.unsupported("constants of strings are not supported");
}

/// A tensor of one value.
void convertConstantOfShape(Node &node) {
  node.requireInputs(1, 1);
  std::vector<int64_t> shape = node.constantInts(0, "shape");
  if (llvm::any_of(shape, [](int64_t e) { return e < 0; }))
    node.invalid("has the shape " + shapeText(shape));
  HostTensor fill =
      HostTensor::fromFloats(tensorType({}, node.builder.getF32Type()), {0});
  if (node.hasAttribute("value")) {
    TensorValue value = node.tensorAttribute("value");
    if (value.type.getNumElements() != 1)
      node.invalid("needs a value of one element");
    fill = *value.constant;
  }
  fill.type = tensorType({}, fill.type.getElementType());
  node.requireSize(tensorType(shape, fill.type.getElementType()));
  node.setOutput(0, node.broadcast(node.tensor(fill), shape));
}

/// Refuses to name the shape of a slice whose length is not known.
void requireLength(Node &node) {
  if (node.presence(0) && hasOpenLength(node.input(0)))
    node.unsupported("asks for the shape of a tensor that is sliced to a "
                     "length which only the run time knows",
                     "export the model with constant bounds of the slice");
}

void convertShape(Node &node) {
  node.requireInputs(1, 1);
  requireLength(node);
  int64_t rank = node.rank(0);
  auto position = [&](llvm::StringRef name, int64_t fallback) {
    int64_t at = node.intAttribute(name, fallback);
    return std::clamp<int64_t>(at < 0 ? at + rank : at, 0, rank);
  };
  int64_t start = position("start", 0), end = position("end", rank);
  ArrayRef<int64_t> shape = node.shape(0);
  SmallVector<int64_t> growth = node.growth(0);
  bool isGrowing = false;
  for (int64_t d = start; d < end && !growth.empty(); ++d)
    isGrowing |= growth[d] != 0;
  if (isGrowing) {
    SmallVector<Value> extents;
    for (int64_t d = start; d < end; ++d)
      extents.push_back(node.growingNumber(shape[d], growth[d]));
    return node.setOutput(0, node.concat(extents, 0));
  }
  node.setOutput(
      0, node.hostVector(
             shape.slice(start, std::max<int64_t>(end - start, 0)).vec()));
}

void convertSize(Node &node) {
  node.requireInputs(1, 1);
  requireLength(node);
  SmallVector<int64_t> growth = node.growth(0);
  const int64_t grows =
      llvm::count_if(growth, [](int64_t g) { return g != 0; });
  const int64_t count = node.type(0).getNumElements();
  if (grows > 1)
    node.unsupported("counts elements of which the number grows with the "
                     "square of a cache's length");
  for (auto [d, factor] : llvm::enumerate(growth))
    if (factor)
      return node.setOutput(
          0, node.reshape(
                 node.growingNumber(count, count / node.shape(0)[d] * factor),
                 {}));
  node.setOutput(0, scalarOf(node, count));
}

/// Ranges up to this length are constants, from which tables of positions are
/// computed at compile time; longer ones are computed where they are read.
constexpr int64_t kMaxTable = 65536;

HostTensor listRange(Node &node, int64_t count) {
  const HostTensor &start = *node.constant(0), &step = *node.constant(2);
  auto type = tensorType({count}, node.elementType(0));
  std::vector<double> numbers;
  std::vector<int64_t> integers;
  for (int64_t i = 0; i < count; ++i)
    if (start.isFloat())
      numbers.push_back(start.floats[0] + double(i) * step.floats[0]);
    else
      integers.push_back(start.ints[0] + i * step.ints[0]);
  return start.isFloat() ? HostTensor::fromFloats(type, std::move(numbers))
                         : HostTensor::fromInts(type, std::move(integers));
}

Value buildRange(Node &node, int64_t count) {
  Type type = node.elementType(0);
  Type compute = isa<FloatType>(type) ? Type(node.builder.getF64Type()) : type;
  RankedTensorType vector = tensorType({count}, compute);
  auto repeat = [&](unsigned index) {
    Value scalar = node.reshape(node.input(index), {});
    return node.broadcast(node.cast(scalar, compute), {count});
  };
  Value start = repeat(0), step = repeat(2);
  Value index = node.iota(vector, 0);
  Value offset = node.mul(index, step);
  return node.cast(node.add(start, offset), type);
}

/// The length of a range of integers whose bounds only the run time knows, but
/// not how far apart they are.
std::optional<int64_t> lengthAtRunTime(Node &node) {
  if (node.isOnTrial() || !node.elementType(0).isSignlessInteger() ||
      (node.constant(0) && node.constant(1)) || !node.constant(2))
    return std::nullopt;
  for (unsigned i = 0; i < 3; ++i)
    if (node.type(i).getNumElements() != 1)
      return std::nullopt;
  LinearForm difference = getLinearForm(node.input(1), 0);
  difference.add(getLinearForm(node.input(0), 0), -1);
  std::optional<int64_t> length = difference.getConstant();
  int64_t step = node.constant(2)->ints[0];
  if (!length || step == 0 || *length == INT64_MIN || step == INT64_MIN)
    return std::nullopt;
  if (step < 0)
    return *length < 0 ? (-*length - 1) / -step + 1 : 0;
  return *length > 0 ? (*length - 1) / step + 1 : 0;
}

void convertRange(Node &node) {
  node.requireInputs(3, 3);
  for (unsigned i : {1u, 2u})
    node.requireSameElementType(0, i);
  if (std::optional<int64_t> length = lengthAtRunTime(node)) {
    node.requireSize(tensorType({*length}, node.elementType(0)));
    return node.setOutput(0, buildRange(node, *length));
  }
  double bounds[3];
  for (unsigned i = 0; i < 3; ++i) {
    const HostTensor *bound = node.extents(i);
    if (!bound)
      node.unsupported("a bound of the range is " + node.runTimeText(i),
                       "export the model with constant bounds");
    if (bound->size() != 1)
      node.invalid("needs scalar bounds");
    bounds[i] = bound->isFloat() ? bound->floats[0] : double(bound->ints[0]);
  }
  auto [start, limit, step] = bounds;
  if (step == 0)
    node.invalid("has a step of 0");
  double exact = std::ceil((limit - start) / step);
  if (std::isnan(exact))
    node.unsupported("has NaN for its number of elements");
  if (exact >= double(kMaxTensorBytes))
    node.unsupported("has more than 2^40 elements");
  int64_t count = exact > 0 ? int64_t(exact) : 0;
  node.requireSize(tensorType({count}, node.elementType(0)));
  if (count <= kMaxTable && node.constant(0) && node.constant(2))
    node.setOutput(0, listRange(node, count));
  else
    node.setOutput(0, buildRange(node, count));
}

/// Whether operand `index` is known and is 0 throughout.
bool isZero(Node &node, unsigned index) {
  if (!node.hasInput(index))
    return false;
  const HostTensor *value = node.constant(index);
  auto zero = [](auto x) { return x == 0; };
  return value && llvm::all_of(value->ints, zero) &&
         llvm::all_of(value->floats, zero);
}

/// At inference, or at a ratio of 0, nothing is dropped: the result is the
/// operand and the mask, where asked for, is all true.
void convertDropout(Node &node) {
  node.requireInputs(1, 3);
  node.ignoreAttributes({"ratio", "seed", "consumed_inputs"});
  if (node.opset() < 7 && !node.flag("is_test"))
    node.unsupported("trains (is_test=0)", "export the model for inference");
  if (node.hasInput(2) && !isZero(node, 2) && !isZero(node, 1))
    node.unsupported("trains (training_mode is not a constant false)",
                     "export the model for inference");
  node.forward(0, 0);
  if (!node.wantsOutput(1))
    return;
  // Before opset 10 the mask had the type of the operand.
  Type maskType =
      node.opset() < 10 ? node.elementType(0) : Type(node.builder.getI1Type());
  node.setOutput(1, node.splat(1, tensorType(node.shape(0), maskType)));
}

} // namespace

void registerConstants(Registry &r) {
  r.add("Constant", 1, convertConstant);
  r.add("ConstantOfShape", 9, convertConstantOfShape);
  r.add("Shape", 1, convertShape).takesCodes = true;
  r.add("Size", 1, convertSize).takesCodes = true;
  r.add("Range", 11, convertRange);
  r.add("Dropout", 1, convertDropout);
}

} // namespace fusec
