// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Operators that are routines of the library: sorting, scattering, selecting.
#include "dialects/library/Library.h"
#include "compiler/import/Message.h"
#include "compiler/import/Registry.h"
#include "compiler/import/ops/Window.h"

using namespace mlir;

namespace fusec {
namespace {

/// A call of `routine`; what the registry refuses breaks ONNX's rules.
fuse::CallOp call(Node &node, StringRef routine, ArrayRef<Type> results,
                  ArrayRef<Value> operands,
                  ArrayRef<std::pair<StringRef, Attribute>> parameters) {
  OpBuilder &builder = node.builder();
  SmallVector<NamedAttribute> attributes;
  for (auto [name, value] : parameters)
    attributes.push_back(builder.getNamedAttr(name, value));
  DictionaryAttr dictionary = builder.getDictionaryAttr(attributes);
  if (library::Refusal reason =
          library::refuse(routine, {ValueRange(operands).getTypes(),
                                    TypeRange(results), dictionary}))
    node.invalid(*reason);
  return fuse::CallOp::create(builder, node.loc(), results,
                              builder.getStringAttr(routine), dictionary,
                              operands);
}

//===- TopK ---------------------------------------------------------------===//

/// An attribute at first, an operand since opset 10.
int64_t readK(Node &node) {
  if (node.opset() < 10)
    return node.intAttribute("k");
  std::vector<int64_t> k = node.constantInts(1, "number k");
  if (k.size() != 1)
    node.invalid("needs one number k, has " + llvm::Twine(k.size()));
  return k[0];
}

void convertTopK(Node &node) {
  unsigned inputs = node.opset() < 10 ? 1 : 2;
  node.requireInputs(inputs, inputs);
  int64_t axis =
      node.normalizeAxis(node.intAttribute("axis", -1), node.rank(0));
  bool largest = node.opset() < 11 || node.flag("largest", true);
  if (node.opset() >= 11)
    node.ignoreAttributes({"sorted"}); // any order will do if it is 0
  int64_t k = readK(node);
  if (k < 0 || k > node.shape(0)[axis])
    node.invalid("picks " + llvm::Twine(k) + " of " +
                 llvm::Twine(node.shape(0)[axis]) + " elements");
  SmallVector<int64_t> shape(node.shape(0));
  shape[axis] = k;
  OpBuilder &builder = node.builder();
  fuse::CallOp op = call(node, "top_k",
                         {tensorType(shape, node.elementType(0)),
                          tensorType(shape, builder.getI64Type())},
                         {node.input(0)},
                         {{"axis", builder.getI64IntegerAttr(axis)},
                          {"k", builder.getI64IntegerAttr(k)},
                          {"largest", builder.getBoolAttr(largest)}});
  node.setOutput(0, op.getResult(0));
  node.setOutput(1, op.getResult(1));
}

//===- Scatter ------------------------------------------------------------===//

Attribute readScatterReduction(Node &node) {
  std::string reduction = "none";
  if (node.opset() >= 16)
    reduction = node.stringAttribute("reduction", "none");
  return node.builder().getStringAttr(reduction);
}

void scatter(Node &node, StringRef routine,
             ArrayRef<std::pair<StringRef, Attribute>> parameters) {
  node.requireInputs(3, 3);
  Value data = node.input(0), indices = node.input(1), updates = node.input(2);
  fuse::CallOp op = call(node, routine, {data.getType()},
                         {data, indices, updates}, parameters);
  if (fuse::getTensorType(indices).getNumElements())
    return node.setOutput(0, op.getResult(0));
  op.erase();
  node.forward(0, 0);
}

/// Scatter, as it was called before opset 11, has no reduction.
void convertScatterElements(Node &node) {
  int64_t axis = node.normalizeAxis(node.intAttribute("axis", 0), node.rank(0));
  Attribute reduction = readScatterReduction(node);
  scatter(node, "scatter_elements",
          {{"axis", node.builder().getI64IntegerAttr(axis)},
           {"reduction", reduction}});
}

void convertScatterNd(Node &node) {
  Attribute reduction = readScatterReduction(node);
  scatter(node, "scatter_nd", {{"reduction", reduction}});
}

//===- MaxUnpool ----------------------------------------------------------===//

/// The shape that MaxPool with these attributes pools to the operand's.
SmallVector<int64_t> unpooledShape(Node &node) {
  size_t spatial = node.rank(0) - 2;
  if (!node.hasAttribute("kernel_shape"))
    node.invalid("lacks the attribute 'kernel_shape'");
  auto sizes = readList(node, "kernel_shape", spatial, 1, 1);
  auto strides = readList(node, "strides", spatial, 1, 1);
  auto pads = readList(node, "pads", 2 * spatial, 0, 0);
  SmallVector<int64_t> shape(node.shape(0));
  for (size_t d = 0; d < spatial; ++d) {
    int64_t &extent = shape[d + 2];
    if (extent > INT32_MAX)
      node.invalid("has a dimension of " + llvm::Twine(extent));
    extent = (extent - 1) * strides[d] + sizes[d] - pads[d] - pads[d + spatial];
    if (extent < 1)
      node.invalid("crops dimension " + llvm::Twine(d + 2) + " to nothing");
  }
  return shape;
}

/// Zeros, and each element at its index into all of them. A larger output_shape
/// adds zeros at the ends, where it does not move what is there.
void convertMaxUnpool(Node &node) {
  node.requireInputs(2, 3);
  requireSpatial(node);
  node.requireFloat(0);
  if (node.type(1) != node.type(0).clone(node.builder().getI64Type()))
    node.invalid("needs i64 indices of the shape " + shapeText(node.shape(0)));
  Type element = node.elementType(0);
  SmallVector<int64_t> shape = unpooledShape(node);
  int64_t total = node.requireSize(tensorType(shape, element));
  SmallVector<int64_t> target = shape;
  if (node.hasInput(2)) {
    std::vector<int64_t> wanted = node.constantInts(2, "output shape");
    target.assign(wanted.begin(), wanted.end());
  }
  SmallVector<int64_t> low(shape.size(), 0), high;
  bool fits = target.size() == shape.size();
  for (size_t d = 0; fits && d < shape.size(); ++d) {
    high.push_back(target[d] - shape[d]);
    fits = high.back() >= 0;
  }
  if (!fits)
    node.invalid("has the output shape " + shapeText(target) +
                 ", which does not hold " + shapeText(shape));
  node.requireSize(tensorType(target, element));
  int64_t count = node.type(0).getNumElements();
  Value zeros = node.broadcast(node.scalar(element, 0), {total});
  Value result = zeros;
  if (count) {
    Value indices = node.reshape(node.input(1), {count});
    Value values = node.reshape(node.input(0), {count});
    result = call(node, "scatter_elements", {zeros.getType()},
                  {zeros, indices, values},
                  {{"axis", node.builder().getI64IntegerAttr(0)},
                   {"reduction", node.builder().getStringAttr("none")}})
                 .getResult(0);
  }
  result = node.reshape(result, shape);
  if (target != shape)
    result =
        node.make<fuse::PadOp>(tensorType(target, element), result, low, high,
                               node.builder().getFloatAttr(element, 0));
  node.setOutput(0, result);
}

//===- NonMaxSuppression --------------------------------------------------===//

/// Optional operand `index` as a scalar, or `fallback`.
Value readScalar(Node &node, unsigned index, Type type, double fallback) {
  if (!node.hasInput(index))
    return node.scalar(type, fallback);
  if (node.elementType(index) != type || node.type(index).getNumElements() != 1)
    node.invalid("needs one " + typeText(type) + " as operand " +
                 llvm::Twine(index));
  return node.reshape(node.input(index), {});
}

/// How many boxes are selected is data; the result has as many rows as the
/// model declares.
void convertNonMaxSuppression(Node &node) {
  node.requireInputs(2, 5);
  bool isCenter = node.flag("center_point_box");
  std::vector<std::string> open;
  RankedTensorType result = node.declaredOutput(0, open);
  if (!result) {
    std::string dim;
    for (const std::string &name : open)
      dim = name.empty() ? dim : name;
    node.unsupported("selects as many boxes as the data have; the number of "
                     "rows must be known",
                     dim.empty() ? "declare the output's shape in the model"
                                 : "add --dim " + shellWord(dim + "=N") +
                                       "; rows that are left are -1");
  }
  OpBuilder &builder = node.builder();
  Type i64 = builder.getI64Type(), f32 = builder.getF32Type();
  Value boxes = node.input(0), scores = node.input(1);
  Value limit = readScalar(node, 2, i64, 0);
  Value overlap = readScalar(node, 3, f32, 0);
  Value score = readScalar(node, 4, f32, -INFINITY);
  fuse::CallOp op = call(node, "non_max_suppression", {result},
                         {boxes, scores, limit, overlap, score},
                         {{"center_point_box", builder.getBoolAttr(isCenter)}});
  node.setOutput(0, op.getResult(0));
}

} // namespace

void registerLibrary(Registry &r) {
  r.add("TopK", 1, convertTopK);
  r.add("Scatter", 9, convertScatterElements);
  r.add("ScatterElements", 11, convertScatterElements);
  r.add("ScatterND", 11, convertScatterNd);
  r.add("MaxUnpool", 9, convertMaxUnpool);
  r.add("NonMaxSuppression", 10, convertNonMaxSuppression);
}

} // namespace fusec
