// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Einsum: diagonals and sums of single operands first, then one operand after
// the other joins in, as a contraction or, where no sum is left, a product.
#include "compiler/import/Node.h"
#include "compiler/import/Registry.h"

#include <map>

using namespace mlir;

namespace fusec {
namespace {

/// The dimensions of a tensor by label: a letter of the equation, or a negative
/// number for a dimension that "..." stands for, counted from the last one.
using Labels = SmallVector<int>;

/// A tensor whose dimensions have distinct labels.
struct LabelledTensor {
  Value value;
  Labels labels;

  ArrayRef<int64_t> shape() const {
    return fuse::getTensorType(value).getShape();
  }
};

/// The labels of one term's text; `ellipsis` dimensions stand in for "...".
Labels parseLabels(Node &node, llvm::StringRef text, int64_t ellipsis) {
  Labels labels;
  bool seen = false;
  for (size_t i = 0; i < text.size(); ++i) {
    if (llvm::isAlpha(text[i])) {
      labels.push_back(text[i]);
      continue;
    }
    if (seen || text.substr(i, 3) != "...")
      node.invalid("cannot read '" + text + "' in its equation");
    seen = true;
    i += 2;
    for (int64_t d = ellipsis; d > 0; --d)
      labels.push_back(-int(d));
  }
  return labels;
}

int64_t countLetters(llvm::StringRef text) {
  return llvm::count_if(text, [](char c) { return llvm::isAlpha(c); });
}

/// What the equation says.
struct Equation {
  SmallVector<Labels> operands;
  Labels result;
  std::map<int, int64_t> extents;
};

/// Without an arrow, the result has what "..." stands for and then the letters
/// that occur once, in alphabetical order.
Labels impliedResult(ArrayRef<Labels> operands) {
  std::map<int, int> counts; // "..." sorts in front, its first dimension first
  for (const Labels &labels : operands)
    for (int label : labels)
      ++counts[label];
  Labels result;
  for (auto [label, count] : counts)
    if (label < 0 || count == 1)
      result.push_back(label);
  return result;
}

void addExtents(Node &node, Equation &equation, unsigned operand) {
  for (auto [label, extent] :
       llvm::zip(equation.operands[operand], node.shape(operand))) {
    int64_t &known = equation.extents.try_emplace(label, extent).first->second;
    if (known == 1)
      known = extent;
    else if (extent != 1 && extent != known)
      node.invalid("has dimensions of " + llvm::Twine(known) + " and " +
                   llvm::Twine(extent) + " elements under one label");
  }
}

Equation parseEquation(Node &node) {
  std::string text = node.stringAttribute("equation", "");
  llvm::erase(text, ' ');
  auto [left, right] = llvm::StringRef(text).split("->");
  SmallVector<llvm::StringRef> terms;
  left.split(terms, ',');
  if (terms.size() != node.numInputs())
    node.invalid("has an equation of " + llvm::Twine(terms.size()) +
                 " terms for " + llvm::Twine(node.numInputs()) + " operands");
  Equation equation;
  int64_t widest = 0;
  for (auto [i, term] : llvm::enumerate(terms)) {
    int64_t ellipsis = node.rank(i) - countLetters(term);
    bool hasEllipsis = term.contains('.');
    if (hasEllipsis ? ellipsis < 0 : ellipsis != 0)
      node.invalid("has the term '" + term + "' for an operand of shape " +
                   shapeText(node.shape(i)));
    widest = std::max(widest, hasEllipsis ? ellipsis : 0);
    equation.operands.push_back(parseLabels(node, term, ellipsis));
    addExtents(node, equation, i);
  }
  equation.result = text.find("->") == std::string::npos
                        ? impliedResult(equation.operands)
                        : parseLabels(node, right, widest);
  Labels sorted = equation.result;
  llvm::sort(sorted);
  if (std::adjacent_find(sorted.begin(), sorted.end()) != sorted.end() ||
      llvm::any_of(sorted,
                   [&](int label) { return !equation.extents.count(label); }))
    node.invalid("has the result '" + right +
                 "', which repeats a label or has one of no operand");
  return equation;
}

//===- Building -----------------------------------------------------------===//

/// The same tensor with its dimensions in the order of `labels`.
LabelledTensor permute(Node &node, const LabelledTensor &term,
                       ArrayRef<int> labels) {
  SmallVector<int64_t> perm;
  for (int label : labels)
    perm.push_back(llvm::find(term.labels, label) - term.labels.begin());
  return {node.transpose(term.value, perm), Labels(labels)};
}

/// Keeps of the dimensions `first` and `second`, which have one label, what
/// lies on their diagonal, as the last dimension.
void takeDiagonal(Node &node, LabelledTensor &term, size_t first,
                  size_t second) {
  SmallVector<int64_t> perm, shape;
  int label = term.labels[first];
  int64_t extent = term.shape()[first];
  Labels labels;
  for (size_t d = 0; d < term.labels.size(); ++d)
    if (d != first && d != second) {
      perm.push_back(int64_t(d));
      shape.push_back(term.shape()[d]);
      labels.push_back(term.labels[d]);
    }
  perm.append({int64_t(first), int64_t(second)});
  labels.push_back(label);
  shape.push_back(extent * extent);
  Value flat = node.reshape(node.transpose(term.value, perm), shape);
  SmallVector<int64_t> offsets(shape.size(), 0), strides(shape.size(), 1);
  // One behind the other, rows are an element more apart on the diagonal.
  strides.back() = extent + 1;
  shape.back() = extent;
  Type elementType = fuse::getTensorType(flat).getElementType();
  term = {node.make<fuse::SliceOp>(tensorType(shape, elementType), flat,
                                   offsets, strides),
          labels};
}

/// Drops the dimensions of one element where others have more: they join in
/// without.
void dropUnits(Node &node, LabelledTensor &term, const Equation &equation) {
  SmallVector<int64_t> shape;
  Labels labels;
  for (auto [label, extent] : llvm::zip(term.labels, term.shape()))
    if (extent == equation.extents.at(label)) {
      labels.push_back(label);
      shape.push_back(extent);
    }
  term = {node.reshape(term.value, shape), labels};
}

/// Sums over the dimensions whose labels `isWanted` refuses.
template <typename Wanted>
void sumOthers(Node &node, LabelledTensor &term, Wanted isWanted) {
  SmallVector<int64_t> dims, kept(term.shape()), dropped;
  Labels labels;
  for (auto [d, label] : llvm::enumerate(term.labels)) {
    if (!isWanted(label)) {
      dims.push_back(int64_t(d));
      kept[d] = 1;
      continue;
    }
    labels.push_back(label);
    dropped.push_back(term.shape()[d]);
  }
  if (dims.empty())
    return;
  Value sum = node.reduction(fuse::ReductionKind::sum, term.value, dims);
  term = {node.reshape(sum, dropped), labels};
}

LabelledTensor prepare(Node &node, const Equation &equation, unsigned operand) {
  LabelledTensor term{node.input(operand), equation.operands[operand]};
  for (size_t second = 0; second < term.labels.size(); ++second) {
    auto found = llvm::find(term.labels, term.labels[second]);
    size_t first = found - term.labels.begin();
    if (first == second)
      continue;
    if (term.shape()[first] != term.shape()[second])
      node.invalid("takes the diagonal of extents " +
                   llvm::Twine(term.shape()[first]) + " and " +
                   llvm::Twine(term.shape()[second]));
    takeDiagonal(node, term, first, second);
    second = size_t(-1); // from the start: the dimensions have moved
  }
  dropUnits(node, term, equation);
  return term;
}

/// The product of two terms with the labels `result`, summed over the others.
LabelledTensor multiply(Node &node, const LabelledTensor &a,
                        const LabelledTensor &b, Labels result,
                        const Equation &equation) {
  Labels iterators = result;
  for (int label : a.labels)
    if (!llvm::is_contained(iterators, label))
      iterators.push_back(label);
  SmallVector<int64_t> shape;
  for (int label : result)
    shape.push_back(equation.extents.at(label));
  Type elementType = fuse::getTensorType(a.value).getElementType();
  if (iterators.size() == result.size()) { // nothing is summed
    auto spread = [&](const LabelledTensor &term) -> Value {
      Labels present;
      SmallVector<int64_t> dims;
      for (auto [d, label] : llvm::enumerate(result))
        if (llvm::is_contained(term.labels, label)) {
          present.push_back(label);
          dims.push_back(int64_t(d));
        }
      Value value = permute(node, term, present).value;
      return dims.size() == shape.size() ? value
                                         : node.broadcast(value, shape, dims);
    };
    Value lhs = spread(a), rhs = spread(b);
    return {node.mul(lhs, rhs), result};
  }
  MLIRContext *context = node.builder.getContext();
  auto mapOf = [&](ArrayRef<int> labels) {
    SmallVector<AffineExpr> exprs;
    for (int label : labels)
      exprs.push_back(getAffineDimExpr(
          llvm::find(iterators, label) - iterators.begin(), context));
    return AffineMap::get(iterators.size(), 0, exprs, context);
  };
  ArrayAttr maps = node.builder.getAffineMapArrayAttr(
      {mapOf(a.labels), mapOf(b.labels), mapOf(result)});
  Value sum = node.make<fuse::ContractOp>(
      tensorType(shape, getComputeType(elementType)), a.value, b.value, maps);
  return {node.cast(sum, elementType), result};
}

void convertEinsum(Node &node) {
  node.requireInputs(1, INT32_MAX);
  for (unsigned i = 0; i < node.numInputs(); ++i) {
    node.requireSameElementType(0, i);
    if (node.elementType(i).isInteger(1))
      node.invalid("cannot multiply booleans");
  }
  Equation equation = parseEquation(node);
  SmallVector<LabelledTensor> terms;
  for (unsigned i = 0; i < node.numInputs(); ++i)
    terms.push_back(prepare(node, equation, i));
  /// Whether the result or an operand from `from` on needs a label.
  auto isNeeded = [&](int label, size_t from) {
    return llvm::is_contained(equation.result, label) ||
           llvm::any_of(ArrayRef(terms).drop_front(from),
                        [&](const LabelledTensor &term) {
                          return llvm::is_contained(term.labels, label);
                        });
  };
  LabelledTensor product = terms[0];
  sumOthers(node, product, [&](int label) { return isNeeded(label, 1); });
  for (size_t i = 1; i < terms.size(); ++i) {
    LabelledTensor next = terms[i];
    sumOthers(node, next, [&](int label) {
      return llvm::is_contained(product.labels, label) ||
             isNeeded(label, i + 1);
    });
    // The last product has its dimensions where the result wants them.
    Labels labels, candidates = equation.result;
    llvm::append_range(candidates, product.labels);
    llvm::append_range(candidates, next.labels);
    for (int label : candidates)
      if (!llvm::is_contained(labels, label) && isNeeded(label, i + 1) &&
          (llvm::is_contained(product.labels, label) ||
           llvm::is_contained(next.labels, label)))
        labels.push_back(label);
    product = multiply(node, product, next, labels, equation);
  }
  node.setOutput(0, permute(node, product, equation.result).value);
}

} // namespace

void registerEinsum(Registry &r) { r.add("Einsum", 12, convertEinsum); }

} // namespace fusec
