// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Text of operators (.fop) as trees: what is written, and where.
#ifndef FUSEC_COMPILER_FOP_AST_H
#define FUSEC_COMPILER_FOP_AST_H

#include "compiler/io/ElementType.h"
#include "llvm/ADT/Twine.h"
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace fusec::fop {

/// A place in a file; both count from 1.
struct Place {
  unsigned line = 1, column = 1;
};

/// What is wrong with a text, and where. Thrown; what others call gives
/// llvm::Error.
struct Mistake {
  Place place;
  std::string text;
};

[[noreturn]] inline void refuse(Place place, const llvm::Twine &text) {
  throw Mistake{place, text.str()};
}

enum class ExprKind {
  Number,    ///< 2, 0.5, true
  Name,      ///< a tensor, a parameter, a dimension
  Unary,     ///< `text` operands[0]
  Binary,    ///< operands[0] `text` operands[1]
  Call,      ///< `text`(operands...): a function or an operator
  Reduce,    ///< `text`[indices](operands[0])
  Subscript, ///< `text`[operands...] else fill
};

struct Expr;
using ExprPtr = std::unique_ptr<Expr>;

/// An index that is named: `n`, `*b`, or with its extent, `r: 3`.
struct IndexName {
  Place place;
  std::string name;
  bool isGroup = false;
  ExprPtr extent; ///< null: known already
};

/// A number that is known while compiling.
using Number = std::variant<bool, int64_t, double>;

struct Expr {
  ExprKind kind;
  Place place;
  std::string text = {};
  Number number = false;
  std::vector<ExprPtr> operands = {};
  std::vector<IndexName> indices = {}; ///< of a reduction
  ExprPtr fill = {};                   ///< of a subscript
  bool isGroup = false;                ///< of a name in a subscript: `*b`
  unsigned depth = 1;                  ///< of expressions in expressions
};

/// A dimension of a tensor's type: `n`, `*b`, `3`, `oh = (h - r) // 2 + 1`.
struct Dim {
  Place place;
  std::string name; ///< empty where it has none
  bool isGroup = false;
  ExprPtr extent; ///< null: what the operand has
};

/// A tensor of the signature.
struct Tensor {
  Place place;
  std::string name;
  Place typePlace;
  std::string type; ///< an element type, or a variable
  std::vector<Dim> dims;
};

enum class ParamKind { Flag, Integer, Number, Integers, Numbers };

using ParamValue = std::variant<bool, int64_t, double, std::vector<int64_t>,
                                std::vector<double>>;

/// What an attribute of the node says.
struct Param {
  Place place;
  std::string name;
  ParamKind kind;
  std::optional<int64_t> length;   ///< of lists that have just that
  std::optional<ParamValue> value; ///< its default
};

/// `T in f32, f16`
struct TypeSet {
  Place place;
  std::string name;
  std::vector<io::ElementType> types;
};

/// `m[*b] = sum[n](x) / n`, or with several names a call of an operator.
struct Statement {
  Place place;
  std::vector<std::string> names;
  std::vector<Place> namePlaces;
  bool hasIndices = false;
  std::vector<IndexName> indices;
  ExprPtr value;
};

struct Definition {
  Place place;
  std::string domain, type;
  int64_t version = 1;
  std::vector<Tensor> inputs, outputs;
  std::vector<Param> params;
  std::vector<TypeSet> typeSets;
  std::vector<ExprPtr> conditions;
  std::vector<Statement> body;
  /// The operator that computes the gradient of this one, as the text names it;
  /// empty: none.
  std::string gradient = {};
  Place gradientPlace = {};

  /// "acme.LayerNorm"
  std::string name() const { return domain + "." + type; }
};

/// Limits of a text; what is beyond them is refused.
inline constexpr size_t kMaxBytes = 1 << 20;
inline constexpr unsigned kMaxDepth = 200;

} // namespace fusec::fop

#endif // FUSEC_COMPILER_FOP_AST_H
