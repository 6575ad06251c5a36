// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A definition for operands of known types: what every expression of it is.
// Whoever computes one, expanded or element by element, asks this.
#ifndef FUSEC_COMPILER_FOP_INSTANCE_H
#define FUSEC_COMPILER_FOP_INSTANCE_H

#include "compiler/fop/Library.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SmallVector.h"
#include <map>

namespace fusec::fop {

/// Numbers of Instance::indices.
using Indices = llvm::SmallVector<unsigned, 4>;

struct Index {
  std::string name;
  int64_t extent;
};

struct TensorType {
  io::ElementType element;
  std::vector<int64_t> dims;

  bool operator==(const TensorType &other) const {
    return element == other.element && dims == other.dims;
  }
  /// "f32[2, 3]".
  std::string describe() const;
};

/// A dimension of a tensor, and the index that has its name, if any.
struct Slot {
  int64_t extent;
  std::optional<unsigned> index;
};

/// A tensor that expressions name.
struct TensorFact {
  io::ElementType element;
  std::vector<Slot> slots;

  TensorType type() const;
};

/// A sum of indices times integers, and of an integer.
struct Linear {
  std::map<unsigned, int64_t> factors; ///< none is 0
  int64_t constant = 0;
};

/// What an expression is. A number is known while compiling, and takes the type
/// of what it meets.
struct Fact {
  std::optional<Number> number;
  io::ElementType element = io::ElementType::F32;
  /// Those that it depends on, in the order in which they appear.
  Indices indices;
  /// Whether it is an integer that depends on indices alone; then it lies in
  /// [low, high].
  bool isIndex = false;
  int64_t low = 0, high = 0;
  /// Of such one, or an integer number, where it is one.
  std::optional<Linear> linear;
  /// The type in which operands meet, of what compares or combines some.
  io::ElementType common = io::ElementType::F32;
};

/// A subscript of one dimension.
struct Entry {
  const Expr *expr = nullptr; ///< null: `plain`
  /// The index, where it is one that takes all positions of the dimension.
  std::optional<unsigned> plain;
  /// Whether a position may lie outside.
  bool mayLeave = false;
};

class Instance;

/// A call of an operator.
struct CallFact {
  std::unique_ptr<Instance> callee;
  /// What the dimensions of each argument run over, in this order; nothing
  /// where it names a tensor, which is taken as it is.
  std::vector<std::optional<Indices>> arguments;
  std::vector<TensorFact> results;
};

/// What a statement gives values to.
struct StatementFact {
  /// The indices of the one result, in the order of its dimensions; nothing
  /// where the statement takes the results of a call as they are.
  std::optional<Indices> target;
  bool isNumber = false; ///< nothing has to be computed
};

class Instance {
public:
  /// Binds types and dimensions, and checks all expressions. `params` has a
  /// value for each parameter. Throws Mistake.
  Instance(const Definition &definition, const Library &library,
           std::vector<TensorType> inputs, std::vector<ParamValue> params);

  const Definition &definition;
  const Library &library;
  const std::vector<TensorType> inputs;
  std::vector<TensorType> outputs;

  std::vector<Index> indices;
  std::map<std::string, TensorFact> tensors;
  std::map<std::string, Number> numbers; ///< parameters and locals
  std::map<std::string, std::vector<Number>> lists;
  std::map<std::string, io::ElementType> types;
  std::vector<StatementFact> statements;

  const Fact &get(const Expr &expr) const { return facts.find(&expr)->second; }
  const std::vector<Entry> &entriesOf(const Expr &subscript) const {
    return entries.find(&subscript)->second;
  }
  const CallFact &callOf(const Expr &call) const {
    return calls.find(&call)->second;
  }
  const std::map<const Expr *, CallFact> &getCalls() const { return calls; }
  /// The dimensions that a list of names means, groups written out.
  Indices indicesOf(const std::vector<IndexName> &names) const;
  /// The element type that a cast is to, if `name` is one.
  std::optional<io::ElementType> findType(const std::string &name) const;

private:
  friend class Binder;
  friend class Checker;
  /// What nested instances share, so that calls of calls do not multiply.
  struct Budget {
    size_t expressions = 0;
    unsigned depth = 0;
  };
  Instance(const Definition &definition, const Library &library,
           std::vector<TensorType> inputs, std::vector<ParamValue> params,
           Budget &budget);
  void check(std::vector<ParamValue> params, Budget &budget);

  std::map<std::string, unsigned> indexOf;
  std::map<std::string, Indices> groups;
  std::map<const Expr *, Fact> facts;
  std::map<const Expr *, std::vector<Entry>> entries;
  std::map<const Expr *, CallFact> calls;
};

/// "f32".
llvm::StringRef nameOf(io::ElementType type);
bool isInteger(io::ElementType type);

} // namespace fusec::fop

#endif // FUSEC_COMPILER_FOP_INSTANCE_H
