// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Loop, in two ways: as a region, or one iteration after the other.
#ifndef FUSEC_COMPILER_IMPORT_OPS_LOOPCONVERTER_H
#define FUSEC_COMPILER_IMPORT_OPS_LOOPCONVERTER_H

#include "compiler/import/Node.h"

namespace fusec {

/// Trip counts that stand for "until the condition fails".
constexpr int64_t kUnbounded = int64_t(1) << 31;
/// Loops of no more iterations are imported one by one where a region does not
/// do.
constexpr int64_t kFewTrips = 64;

/// One Loop node in conversion.
class LoopConverter {
public:
  explicit LoopConverter(Node &node)
      : node(node), graph(node.graphAttribute("body")) {}
  void run();

private:
  void readBounds();
  bool carriesSequences();
  void unroll();
  void unrollOr(std::vector<Problem> problems);
  NodeBody importBody();
  std::optional<int64_t> countTrips(NodeBody &body);
  bool reshapesCarried(const NodeBody &body);
  void checkCarried(const NodeBody &body);
  std::string unrollingText() const;
  NodeBody importLongBody();
  llvm::SmallVector<int64_t> iterationShape();
  void checkCondition(const TensorValue &next);
  void readNextCondition(NodeBody &body);
  [[noreturn]] void refuseOpenTrips();
  void build(NodeBody &body);
  void skip(const NodeBody &body);
  void finish(NodeBody &body);

  Node &node;
  const onnx::GraphProto &graph;
  llvm::SmallVector<mlir::Value> inits;
  unsigned numStacks = 0;
  /// The number of iterations at most, if it is known.
  std::optional<int64_t> trips;
  mlir::Value count;      ///< at run time
  mlir::Value condition;  ///< before the first iteration, null: true
  bool endsEarly = false; ///< the body computes a condition
};

} // namespace fusec

#endif // FUSEC_COMPILER_IMPORT_OPS_LOOPCONVERTER_H
