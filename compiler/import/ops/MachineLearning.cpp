// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Operators of ai.onnx.ml, the domain of classical machine learning.
#include "compiler/import/Node.h"
#include "compiler/import/Registry.h"

using namespace mlir;
using fusec::fuse::CmpPredicate;

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
    auto type = fuse::getTensorType(positions);
    auto limit = [&](int64_t at) {
      return node.broadcast(node.scalar(type.getElementType(), double(at)),
                            type.getShape());
    };
    positions = node.make<fuse::MaximumOp>(type, positions, limit(0));
    positions =
        node.make<fuse::MinimumOp>(type, positions, limit(shape.back() - 1));
  }
  shape.back() = count;
  node.setOutput(
      0, node.make<fuse::GatherOp>(tensorType(shape, node.elementType(0)), x,
                                   positions, uint64_t(shape.size() - 1)));
}

/// 1 where the element exceeds the threshold, else 0.
void convertBinarizer(Node &node) {
  node.requireInputs(1, 1);
  node.requireFloat(0);
  Value x = node.input(0);
  double threshold = node.floatAttribute("threshold", 0);
  Value limit = node.broadcast(node.scalar(node.elementType(0), threshold),
                               node.shape(0));
  auto bools = tensorType(node.shape(0), node.builder().getI1Type());
  Value above = node.make<fuse::CmpOp>(bools, CmpPredicate::gt, x, limit);
  node.setOutput(0, node.cast(above, node.elementType(0)));
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

/// (x - offset) scale in f32, or in f64 for what is, and then as f32.
void convertScaler(Node &node) {
  node.requireInputs(1, 1);
  if (isa<FloatType>(node.elementType(0)))
    node.requireFloat(0);
  Type f32 = node.builder().getF32Type();
  Type element = node.elementType(0).isF64() ? node.elementType(0) : f32;
  Value x = node.cast(node.input(0), element);
  Value offset = featureParameter(node, "offset", 0, node.shape(0), element);
  Value scale = featureParameter(node, "scale", 1, node.shape(0), element);
  x = node.make<fuse::SubOp>(x.getType(), x, offset);
  x = node.make<fuse::MulOp>(x.getType(), x, scale);
  node.setOutput(0, node.cast(x, f32));
}

} // namespace

void registerMachineLearning(Registry &r) {
  r.addTo("ai.onnx.ml", "ArrayFeatureExtractor", 1,
          convertArrayFeatureExtractor);
  r.addTo("ai.onnx.ml", "Binarizer", 1, convertBinarizer);
  r.addTo("ai.onnx.ml", "Scaler", 1, convertScaler);
}

} // namespace fusec
