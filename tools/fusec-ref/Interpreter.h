// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// fusec's oracle: evaluates a module of the fuse dialect, operation by
// operation, from each operation's own definition. It shares no code with
// passes, index maps, scalar bodies or emitters, so that their mistakes show.
#ifndef FUSEC_TOOLS_FUSEC_REF_INTERPRETER_H
#define FUSEC_TOOLS_FUSEC_REF_INTERPRETER_H

#include "compiler/io/Compare.h"
#include "compiler/operators/OperatorSet.h"
#include "dialects/fuse/FuseOps.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include <functional>
#include <memory>

namespace fusec::ref {

using TensorPtr = std::shared_ptr<const io::Tensor>;

/// What an observer is told after each operation.
struct Observation {
  mlir::Operation *op;
  llvm::ArrayRef<TensorPtr> results;
  /// The class of the operation, for the table of tolerances.
  io::OpClass opClass;
  /// For contractions, if Options::scales: the sum of |products| for each
  /// element of the result. Empty otherwise.
  llvm::ArrayRef<double> scale;
};
using Observer = std::function<void(const Observation &)>;

struct Options {
  /// The function to run; empty: `main` if there is one, or the only function.
  std::string function;
  /// Called for each operation that computes (not for constants, weights,
  /// groups and calls), inside groups and called functions too, in the order of
  /// execution.
  Observer observer;
  /// Whether to compute Observation::scale (doubles the contractions' cost).
  bool scales = false;
  /// Which alternatives of a choice are evaluated, of which the first gives the
  /// results; null: its first one alone.
  std::function<bool(fuse::ChoiceOp choice, unsigned alternative)> alternatives;
  /// What evaluates calls of operators of users; null: they are errors.
  operators::OperatorSet *userOperators = nullptr;
};

/// Runs a function of `module` on `inputs`. Sums are accumulated in double;
/// each operation's float results are rounded to their element type, so that
/// what an observer sees is what an unfused program would store. Errors: no
/// such function, inputs that do not match its arguments, an operation without
/// an evaluator, an index out of bounds; the message has the location.
llvm::Expected<std::vector<io::Tensor>>
interpret(mlir::ModuleOp module, llvm::ArrayRef<io::Tensor> inputs,
          const Options &options = {});

/// The function that `interpret` would run, by the rule of Options::function.
llvm::Expected<mlir::func::FuncOp> findFunction(mlir::ModuleOp module,
                                                llvm::StringRef name);

/// The element type of a tensor type of the fuse dialect.
io::ElementType getElementType(mlir::Type tensorType);

/// The shape of a tensor type of the fuse dialect.
std::vector<int64_t> getShape(mlir::Type tensorType);

/// The class of `op` in the table of tolerances; Network if it has no
/// evaluator.
io::OpClass getOpClass(mlir::Operation *op);

} // namespace fusec::ref

#endif // FUSEC_TOOLS_FUSEC_REF_INTERPRETER_H
