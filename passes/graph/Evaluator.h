// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Values of a graph that follow from its constants, computed by the compiler.
#ifndef FUSEC_PASSES_GRAPH_EVALUATOR_H
#define FUSEC_PASSES_GRAPH_EVALUATOR_H

#include "passes/graph/ConstantData.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SetVector.h"

#include <functional>
#include <string>

namespace fusec::fuse {

class CompositeExpander;

/// What the compiler may spend on computing what the program would compute.
struct EvaluationLimits {
  /// Steps of all operations together: their own (countSteps), and what it
  /// takes to begin one. A step takes some 10 nanoseconds: a second at most,
  /// which shapes, masks and tables of positions do not come near, and long
  /// loops and products of weights are beyond.
  int64_t steps = int64_t(1) << 26;
  /// Bytes of one value: larger ones are weights, whose program is shorter than
  /// their bytes are.
  int64_t bytes = int64_t(1) << 26;
};

/// Why a value is not computed.
struct Obstacle {
  /// The operation where constancy ends; null if it is the value itself.
  mlir::Operation *op = nullptr;
  /// The argument of a function or region that it reads, if that is why.
  mlir::BlockArgument argument = nullptr;
  /// Else what is the matter with it: "would take ... steps".
  std::string reason = {};
};

/// Computes values from constants, through whatever leads to them: primitives,
/// composites, calls, conditions and loops. What it needs on the way it keeps,
/// until it goes out of scope.
class Evaluator {
public:
  /// Finds the weight that an operation gets; null: by the symbol, above it.
  using FindWeight = std::function<WeightOp(GetWeightOp)>;

  explicit Evaluator(EvaluationLimits limits = {}, FindWeight findWeight = {});
  Evaluator(Evaluator &&);
  ~Evaluator();

  /// Gives `value`, say an argument, its elements.
  void define(mlir::Value value, ConstantData data);
  /// What is known of `value`, computed if it has to be; nothing if it does not
  /// follow from constants, or not within the limits.
  std::optional<ConstantData> get(mlir::Value value);
  /// The arguments that `value` is computed from and that are not defined.
  llvm::SmallVector<mlir::BlockArgument> getArguments(mlir::Value value);
  /// Forgets what was computed within `body`, which is entered again.
  void forget(mlir::Region &body);
  const Obstacle &getObstacle() const { return obstacle; }

private:
  /// Operations in order, and the arguments that they need.
  struct Slice {
    llvm::SmallVector<mlir::Operation *> ops;
    llvm::SetVector<mlir::BlockArgument> arguments;
    mlir::Operation *reader = nullptr; ///< of the first argument
  };
  /// What `value` needs that is not known; false if that are arguments. Stops
  /// at the first one if not `all` are wanted.
  bool collect(mlir::Value value, Slice &slice, bool all);
  bool run(mlir::Operation *op);
  bool runView(mlir::Operation *op);
  bool runPrimitive(PrimitiveOpInterface op);
  bool castsOutOfRange(CastOp op) const;
  bool runComposite(mlir::Operation *op);
  bool runIf(IfOp op);
  bool runLoop(LoopOp op);
  bool runCall(CallOp op);
  bool refuse(mlir::Operation *op, const llvm::Twine &reason);
  bool spend(mlir::Operation *op, int64_t count);
  bool keepAll(mlir::Operation *op,
               std::optional<std::vector<std::vector<char>>> results);
  void keep(mlir::Value value, std::vector<char> bytes);
  std::optional<ConstantData> lookup(mlir::Value value) const;

  EvaluationLimits limits;
  int64_t steps; ///< that are left
  FindWeight findWeight;
  llvm::DenseMap<mlir::Value, ConstantData> known;
  Obstacle obstacle;
  std::unique_ptr<CompositeExpander> expander;
};

} // namespace fusec::fuse

#endif // FUSEC_PASSES_GRAPH_EVALUATOR_H
