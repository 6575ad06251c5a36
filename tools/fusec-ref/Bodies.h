// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Computes operators whose bodies are text, element by element, as the text
// says it. It shares the grammar and the types of expressions with the
// importer, and nothing of what that makes of a body.
#ifndef FUSEC_TOOLS_FUSEC_REF_BODIES_H
#define FUSEC_TOOLS_FUSEC_REF_BODIES_H

#include "compiler/fop/Instance.h"
#include "tools/fusec-ref/Scalars.h"
#include <functional>

namespace fusec::ref {

/// A tensor in evaluation: floats are doubles, rounded to the element type,
/// everything else integers.
struct Array {
  fop::TensorType type;
  std::vector<Scalar> elements;
};

class BodyEvaluator {
public:
  explicit BodyEvaluator(const fop::Instance &instance) : at(instance) {}

  /// The outputs, of the inputs in the order of the signature.
  std::vector<Array> run(std::vector<Array> inputs);

private:
  /// Positions, by the number of the index; reductions set their own.
  using Places = std::vector<int64_t>;
  /// The value of an expression there.
  using Value = std::function<Scalar(Places &)>;

  //===- Expressions (Bodies.cpp) -----------------------------------------===//
  Value make(const fop::Expr &expr);
  Value makeName(const fop::Expr &expr);
  Value makeUnary(const fop::Expr &expr);
  Value makeBinary(const fop::Expr &expr);
  Value makeFunction(const fop::Expr &expr);
  Value makeReduction(const fop::Expr &expr);
  Value makeProduct(const fop::Expr &expr);
  /// The expression as a number of `type`.
  Value makeAs(const fop::Expr &expr, io::ElementType type);

  //===- Tensors (BodyTensors.cpp) ----------------------------------------===//
  Value makeSubscript(const fop::Expr &expr);
  /// A position in a dimension of `extent` elements; -1: outside of it.
  std::function<int64_t(Places &)> makePosition(const fop::Entry &entry,
                                                int64_t extent, bool hasFill);
  const std::vector<Array> &compute(const fop::Expr &call);
  /// All elements of what `value` is over `indices`.
  Array tabulate(const Value &value, io::ElementType element,
                 const fop::Indices &indices);
  /// The element of `array` where its dimensions' indices are.
  Value read(const Array &array, const fop::Indices &indices) const;

  const fop::Instance &at;
  std::map<std::string, Array> tensors;
  std::map<const fop::Expr *, std::vector<Array>> calls;
};

/// What is wrong with computing an instance, which takes far too long or far
/// too much memory; or "".
std::string refuseHuge(const fop::Instance &instance);
/// How many numbers that computes.
double countSteps(const fop::Instance &instance);

/// Calls `visit` at each point of `extents`, the last one the fastest.
template <typename F>
void forEachPoint(const std::vector<int64_t> &extents, F visit) {
  std::vector<int64_t> point(extents.size(), 0);
  for (int64_t extent : extents)
    if (extent == 0)
      return;
  while (true) {
    visit(point);
    size_t d = extents.size();
    while (d > 0 && ++point[d - 1] == extents[d - 1])
      point[--d] = 0;
    if (d == 0)
      return;
  }
}

/// `value` as one of `type`: rounded, or wrapped.
Scalar roundFloat(double value, io::ElementType type);
Scalar wrapInteger(int64_t value, io::ElementType type);
/// What a cast makes of it.
Scalar convert(Scalar value, io::ElementType from, io::ElementType to);

} // namespace fusec::ref

#endif // FUSEC_TOOLS_FUSEC_REF_BODIES_H
