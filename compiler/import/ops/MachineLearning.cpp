// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Features, in ai.onnx.ml: what stands before a model of scikit-learn.
#include "compiler/import/Registry.h"
#include "compiler/import/ops/Formula.h"
#include "compiler/import/ops/Scores.h"

#include <cmath>

using namespace mlir;
using fusec::fuse::CmpPredicate;
using fusec::fuse::ReductionKind;

namespace fusec {
namespace {

/// Columns of the last dimension.
void convertArrayFeatureExtractor(Node &node) {
  node.requireInputs(2, 2);
  if (node.rank(0) == 0 || !node.elementType(1).isInteger(64))
    node.invalid("needs a tensor and positions of i64, has " +
                 typeText(node.type(0)) + " and " + typeText(node.type(1)));
  int64_t count = node.type(1).getNumElements();
  // A vector is a row.
  SmallVector<int64_t> shape(node.shape(0));
  if (shape.size() == 1)
    shape.insert(shape.begin(), 1);
  Value x = node.reshape(node.input(0), shape);
  if (const HostTensor *positions = node.constant(1))
    for (int64_t at : positions->ints)
      if (at < 0 || at >= shape.back())
        node.invalid("takes column " + llvm::Twine(at) + " of " +
                     llvm::Twine(shape.back()));
  Value positions = node.reshape(node.input(1), {count});
  // Wrong ones that only the run time knows stay inside, as Gather's do.
  if (!node.constant(1)) {
    if (count != 0 && shape.back() == 0)
      node.invalid("takes columns of a tensor that has none");
    positions = node.max(positions, 0);
    positions = node.min(positions, shape.back() - 1);
  }
  shape.back() = count;
  node.setOutput(
      0, node.make<fuse::GatherOp>(tensorType(shape, node.elementType(0)), x,
                                   positions, uint64_t(shape.size() - 1)));
}

/// 1 where the element exceeds the threshold, else 0.
void convertBinarizer(Node &node) {
  node.requireInputs(1, 1);
  Type element = node.elementType(0);
  if (isa<FloatType>(element))
    node.requireFloat(0);
  // The threshold may lie between integers.
  Type wide = isa<FloatType>(element) ? element : node.builder.getF64Type();
  Term x(node, node.cast(node.input(0), wide));
  double threshold = node.floatAttribute("threshold", 0);
  Value above = x.compare(CmpPredicate::gt, threshold);
  node.setOutput(0, node.cast(above, element));
}

/// Each row over its greatest element, its sum of absolute values or its
/// length, unless that is 0.
void convertNormalizer(Node &node) {
  Value rows = readRows(node);
  auto kind = namedKind<int>(node, "norm", "MAX", {"MAX", "L1", "L2"});
  constexpr ReductionKind kKinds[] = {ReductionKind::max, ReductionKind::l1,
                                      ReductionKind::l2};
  RankedTensorType type = fuse::getTensorType(rows);
  int64_t numRows = type.getDimSize(0);
  Term x(node, rows);
  Term one = x.like(1);
  if (type.getDimSize(1) != 0) {
    Value norms = node.reduction(kKinds[kind], rows, {1});
    Term norm(node, node.broadcast(node.reshape(norms, {numRows}),
                                   type.getShape(), {0}));
    x = x / select(norm.compare(CmpPredicate::eq, 0.0), one, norm);
  }
  node.setOutput(0, node.reshape(x.get(), node.shape(0)));
}

/// A list of one number for each feature, or one for all, as a vector.
Value featureParameter(Node &node, llvm::StringRef name, double fallback,
                       ArrayRef<int64_t> shape, Type element) {
  std::vector<double> values = node.floatsAttribute(name);
  if (values.empty())
    values = {fallback};
  int64_t count = int64_t(values.size());
  if (count != 1 && (shape.empty() || count != shape.back()))
    node.invalid("has " + llvm::Twine(count) + " numbers '" + name +
                 "' for features of the shape " + shapeText(shape));
  auto type =
      count == 1 ? tensorType({}, element) : tensorType({count}, element);
  Value vector = node.tensor(HostTensor::fromFloats(type, std::move(values)));
  return node.broadcast(vector, shape);
}

/// What equals one value becomes another: one for all, or one per feature. NaN
/// equals NaN.
void convertImputer(Node &node) {
  node.requireInputs(1, 1);
  Type element = node.elementType(0);
  bool isFloat = isa<FloatType>(element);
  if (isFloat)
    node.requireFloat(0);
  std::vector<double> floats = node.floatsAttribute("imputed_value_floats");
  std::vector<int64_t> ints = node.intsAttribute("imputed_value_int64s");
  double replaced = node.floatAttribute("replaced_value_float", 0);
  int64_t replacedInt = node.intAttribute("replaced_value_int64", 0);
  int64_t count = int64_t(isFloat ? floats.size() : ints.size());
  ArrayRef<int64_t> shape = node.shape(0);
  if (count == 0 || !(isFloat ? ints.empty() : floats.empty()))
    node.invalid("needs values of the type of its elements to impute");
  if (count != 1 &&
      (shape.empty() || shape.size() > 2 || count != shape.back()))
    node.invalid("has " + llvm::Twine(count) + " values to impute in " +
                 typeText(node.type(0)));
  auto constant = [&](ArrayRef<int64_t> extents, std::vector<double> f,
                      std::vector<int64_t> i) {
    auto type = tensorType(extents, element);
    Value value =
        node.tensor(isFloat ? HostTensor::fromFloats(type, std::move(f))
                            : HostTensor::fromInts(type, std::move(i)));
    return Term(node, node.broadcast(value, shape));
  };
  SmallVector<int64_t> extents;
  if (count != 1)
    extents.push_back(count);
  Term imputed = constant(extents, std::move(floats), std::move(ints));
  Term x(node, node.input(0));
  Value isReplaced = std::isnan(replaced) && isFloat
                         ? x.compare(CmpPredicate::ne, x)
                         : x.compare(CmpPredicate::eq,
                                     constant({}, {replaced}, {replacedInt}));
  node.setOutput(0, select(isReplaced, imputed, x).get());
}

/// The features of all operands side by side as f32, each operand cut or filled
/// with zeros to the number that the attribute gives for it.
void convertFeatureVectorizer(Node &node) {
  std::vector<int64_t> wanted = node.intsAttribute("inputdimensions");
  if (node.numInputs() == 0 || wanted.size() != node.numInputs())
    node.invalid("has " + llvm::Twine(wanted.size()) +
                 " numbers 'inputdimensions' for " +
                 llvm::Twine(node.numInputs()) + " operands");
  Builder &b = node.builder;
  int64_t numRows = node.rank(0) > 1 ? node.shape(0)[0] : 1;
  SmallVector<Value> parts;
  for (unsigned i = 0; i < node.numInputs(); ++i) {
    bool isRow = node.rank(i) == 1;
    if (node.rank(i) == 0 || (isRow ? 1 : node.shape(i)[0]) != numRows)
      node.invalid("needs operands of as many rows, has " +
                   typeText(node.type(0)) + " and " + typeText(node.type(i)));
    if (wanted[i] < 1 || wanted[i] > INT32_MAX)
      node.invalid("takes " + llvm::Twine(wanted[i]) + " features");
    int64_t count =
        isRow ? node.shape(i)[0]
              : ShapedType::getNumElements(node.shape(i).drop_front());
    Value part = node.reshape(node.cast(node.input(i), b.getF32Type()),
                              {numRows, count});
    auto type = tensorType({numRows, wanted[i]}, b.getF32Type());
    node.requireSize(type);
    if (count > wanted[i])
      part = node.slice(part, 1, 0, wanted[i]);
    else if (count < wanted[i])
      part = node.make<fuse::PadOp>(type, part, ArrayRef<int64_t>{0, 0},
                                    ArrayRef<int64_t>{0, wanted[i] - count},
                                    b.getF32FloatAttr(0));
    parts.push_back(part);
  }
  node.setOutput(0, node.concat(parts, 1));
}

/// (x - offset) scale in f32, or in f64 for what is, and then as f32.
void convertScaler(Node &node) {
  node.requireInputs(1, 1);
  if (isa<FloatType>(node.elementType(0)))
    node.requireFloat(0);
  Type f32 = node.builder.getF32Type();
  Type element = node.elementType(0).isF64() ? node.elementType(0) : f32;
  Value x = node.cast(node.input(0), element);
  Value offset = featureParameter(node, "offset", 0, node.shape(0), element);
  Value scale = featureParameter(node, "scale", 1, node.shape(0), element);
  x = node.sub(x, offset);
  x = node.mul(x, scale);
  node.setOutput(0, node.cast(x, f32));
}

} // namespace

void registerMachineLearning(Registry &r) {
  r.addTo("ai.onnx.ml", "ArrayFeatureExtractor", 1,
          convertArrayFeatureExtractor);
  r.addTo("ai.onnx.ml", "Binarizer", 1, convertBinarizer);
  r.addTo("ai.onnx.ml", "FeatureVectorizer", 1, convertFeatureVectorizer);
  r.addTo("ai.onnx.ml", "Imputer", 1, convertImputer);
  r.addTo("ai.onnx.ml", "Normalizer", 1, convertNormalizer);
  r.addTo("ai.onnx.ml", "Scaler", 1, convertScaler);
}

} // namespace fusec
