// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Categories of ai.onnx.ml: numbers that name something.
#include "compiler/import/Registry.h"
#include "compiler/import/ops/Formula.h"
#include "compiler/import/ops/Scores.h"

#include <cmath>

using namespace mlir;
using fusec::fuse::CmpPredicate;

namespace fusec {
namespace {

[[noreturn]] void refuseStringCategories(Node &node) {
  node.unsupported(
      "looks strings up, which fusec has no tensors of",
      "number the categories before the model (in scikit-learn with "
      "OrdinalEncoder), and export what follows");
}

/// Each element of operand 0 beside each of `categories`, a vector: two tensors
/// of the operand's shape and one dimension more.
std::pair<Term, Term> pairUp(Node &node, Value x, Value categories) {
  RankedTensorType type = fuse::getTensorType(x);
  SmallVector<int64_t> shape(type.getShape());
  shape.push_back(fuse::getTensorType(categories).getDimSize(0));
  RankedTensorType wide = type.clone(shape);
  node.requireSize(wide);
  auto dims = llvm::to_vector(llvm::seq<int64_t>(0, type.getRank()));
  Value left = node.broadcast(x, wide.getShape(), dims);
  Value right = node.broadcast(categories, shape);
  return {Term(node, left), Term(node, right)};
}

//===- OneHotEncoder ------------------------------------------------------===//

/// 1 at the place of the element's category, 0 elsewhere. What is in no
/// category has zeros; ONNX would stop there if `zeros` is 0.
void convertOneHotEncoder(Node &node) {
  node.requireInputs(1, 1);
  node.ignoreAttributes({"zeros"});
  if (!node.stringsAttribute("cats_strings").empty())
    refuseStringCategories(node);
  std::vector<int64_t> categories = node.intsAttribute("cats_int64s");
  if (categories.empty())
    node.invalid("has no categories");
  std::vector<int64_t> sorted = categories;
  llvm::sort(sorted);
  if (auto twice = std::adjacent_find(sorted.begin(), sorted.end());
      twice != sorted.end())
    node.invalid("names the category " + llvm::Twine(*twice) + " twice");
  Value x = node.cast(node.input(0), node.builder.getI64Type());
  auto [element, category] =
      pairUp(node, x, node.tensor(node.hostVector(std::move(categories))));
  node.setOutput(0, node.cast(element.compare(CmpPredicate::eq, category),
                              node.builder.getF32Type()));
}

//===- LabelEncoder -------------------------------------------------------===//

/// The keys or the values of a LabelEncoder: `side` is "keys" or "values".
HostTensor readSide(Node &node, const std::string &side) {
  Builder &b = node.builder;
  if (!node.stringsAttribute(side + "_strings").empty())
    refuseStringCategories(node);
  std::vector<int64_t> ints = node.intsAttribute(side + "_int64s");
  std::vector<double> floats = node.floatsAttribute(side + "_floats");
  int64_t count = int64_t(ints.size() + floats.size());
  if (!ints.empty() && !floats.empty())
    node.invalid("has " + side + " of two types");
  if (!ints.empty())
    return HostTensor::fromInts(tensorType({count}, b.getI64Type()), ints);
  if (!floats.empty())
    return HostTensor::fromFloats(tensorType({count}, b.getF32Type()), floats);
  if (node.opset() < 4 || !node.hasAttribute(side + "_tensor"))
    node.invalid("has no " + side);
  HostTensor tensor = node.elementsAttribute(side + "_tensor");
  tensor.type = tensor.type.clone(ArrayRef<int64_t>{tensor.size()});
  return tensor;
}

/// What a key that is none maps to, appended to `values`.
void appendDefault(Node &node, HostTensor &values) {
  node.ignoreAttributes({"default_string"});
  int64_t i = node.intAttribute("default_int64", -1);
  double f = node.floatAttribute("default_float", -0.0);
  if (node.opset() >= 4 && node.hasAttribute("default_tensor")) {
    HostTensor given = node.elementsAttribute("default_tensor");
    if (given.size() != 1 ||
        given.type.getElementType() != values.type.getElementType())
      node.invalid("needs a default of " +
                   typeText(values.type.getElementType()) + ", has " +
                   typeText(given.type));
    if (values.isFloat())
      f = given.floats[0];
    else
      i = given.ints[0];
  }
  if (values.isFloat())
    values.floats.push_back(f);
  else
    values.ints.push_back(i);
  values.type = values.type.clone(ArrayRef<int64_t>{values.size() + 1});
}

/// The value of the first key that equals the element. From version 4 on NaN
/// is a key as others are.
void convertLabelEncoder(Node &node) {
  node.requireInputs(1, 1);
  HostTensor keys = readSide(node, "keys"), values = readSide(node, "values");
  int64_t count = keys.size();
  if (values.size() != count)
    node.invalid("has " + llvm::Twine(count) + " keys and " +
                 llvm::Twine(values.size()) + " values");
  if (keys.type.getElementType() != node.elementType(0))
    node.invalid("has keys of " + typeText(keys.type.getElementType()) +
                 " for elements of " + typeText(node.elementType(0)));
  appendDefault(node, values);
  bool hasNaN = node.opset() >= 4 &&
                llvm::any_of(keys.floats, [](double k) { return k != k; });
  auto [element, key] = pairUp(node, node.input(0), node.tensor(keys));
  Value isEqual = element.compare(CmpPredicate::eq, key);
  if (hasNaN) {
    Value isNaN = element.compare(CmpPredicate::ne, element),
          isKeyNaN = key.compare(CmpPredicate::ne, key);
    Value both = node.binary<fuse::AndOp>(isNaN, isKeyNaN);
    isEqual = node.binary<fuse::OrOp>(isEqual, both);
  }
  RankedTensorType wide = element.type().clone(node.builder.getI64Type());
  int64_t last = wide.getRank() - 1;
  Term place(node, node.iota(wide, last));
  place = select(isEqual, place, place.like(double(count)));
  SmallVector<int64_t> kept(wide.getShape());
  kept.back() = 1;
  Value first = node.reduction(fuse::ReductionKind::min, place.get(), {last});
  Value positions = node.reshape(first, node.shape(0));
  node.setOutput(0, node.make<fuse::GatherOp>(values.type.clone(node.shape(0)),
                                              node.tensor(values), positions,
                                              uint64_t(0)));
}

//===- ZipMap -------------------------------------------------------------===//

/// "0, 1, 2": the first few.
std::string listLabels(const ClassLabels &labels) {
  constexpr int64_t kShown = 10;
  std::string text;
  for (int64_t i = 0; i < std::min(labels.size(), kShown); ++i)
    text += (i ? ", " : "") + (labels.strings.empty()
                                   ? std::to_string(labels.numbers[i])
                                   : labels.strings[i]);
  return text + (labels.size() > kShown ? ", ..." : "");
}

/// A map per row, from the labels to what its columns hold: that stays the
/// tensor, which only the model's user may read.
void convertZipMap(Node &node) {
  node.requireInputs(1, 1);
  ClassLabels labels = readLabels(node, "classlabels_int64s");
  int64_t columns = node.rank(0) == 0 ? 0 : node.shape(0).back();
  if (columns != labels.size())
    node.invalid("has " + llvm::Twine(labels.size()) + " classes for " +
                 typeText(node.type(0)));
  node.warn("is left out: its result is the tensor " +
                typeText(node.elementType(0)) + shapeText(node.shape(0)) +
                ", with a column for each of the classes " + listLabels(labels),
            "skl2onnx writes models without it with the option zipmap=False");
  TensorValue result = node.operand(0);
  result.isMap = true;
  node.setOutput(0, std::move(result));
}

} // namespace

void registerCategories(Registry &r) {
  r.addTo("ai.onnx.ml", "CategoryMapper", 1, refuseStringCategories);
  r.addTo("ai.onnx.ml", "LabelEncoder", 1, refuseStringCategories);
  r.addTo("ai.onnx.ml", "LabelEncoder", 2, convertLabelEncoder);
  r.addTo("ai.onnx.ml", "OneHotEncoder", 1, convertOneHotEncoder);
  r.addTo("ai.onnx.ml", "ZipMap", 1, convertZipMap);
}

} // namespace fusec
