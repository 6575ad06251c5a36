// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The state of one import: the module so far, the values, the weights.
#ifndef FUSEC_COMPILER_IMPORT_GRAPHIMPORTER_H
#define FUSEC_COMPILER_IMPORT_GRAPHIMPORTER_H

#include "compiler/import/Growth.h"
#include "compiler/import/Importer.h"
#include "compiler/import/ModelFile.h"
#include "compiler/import/Node.h"
#include "compiler/operators/OperatorSet.h"
#include "dialects/kernel/Choices.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "passes/graph/ChoiceSite.h"
#include "passes/graph/Evaluator.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/StringSet.h"
#include <map>
#include <tuple>

namespace fusec {

struct Operator;

/// Whether ONNX Runtime's optimiser writes nodes of `domain` for one processor.
bool isLayoutDomain(llvm::StringRef domain);

/// The states of a model, by the names of inputs those of outputs; by names
/// alone: whether types agree, and what is wrong with the options, is asked of
/// the whole module.
llvm::StringMap<std::string> findStates(const onnx::GraphProto &proto,
                                        const ImportOptions &options);

class GraphImporter {
public:
  GraphImporter(ModelFile &file, const FlatGraph &graph, llvm::StringRef path,
                const ImportOptions &options, operators::OperatorSet &operators,
                mlir::MLIRContext &context, ImportResult &result);

  /// The caches of the model that grow, which outlive this. Without them they
  /// are inputs and outputs of two shapes.
  void setGrowth(const Growth &of) { growth = &of; }
  /// Notes the shapes of all values in `record`, which outlives this.
  void recordShapes(ShapeRecord &into) { record = &into; }

  /// Builds the module; complete only if no problem was added.
  mlir::OwningOpRef<mlir::ModuleOp> run();

  //===- For Node -----------------------------------------------------------//

  mlir::OpBuilder &builder() { return opBuilder; }
  HintStyle hintStyle() const { return options.hints; }
  mlir::Location locate(llvm::StringRef name);
  /// The value as one of the module: constants are built on first use.
  /// Throws NodeError if its data cannot be read or compiled.
  mlir::Value materialize(TensorValue &tensor);
  /// The elements of a constant, or of what follows from constants at little
  /// cost; else null, and the tensor says why. Throws as materialize.
  const HostTensor *elements(TensorValue &tensor);
  /// Whether an initializer is read though nobody has asked for its elements
  /// yet: it is small, and keeps its values.
  bool mayReadEarly(const TensorValue &tensor) const {
    return tensor.type.getNumElements() <= kMaxKnownElements &&
           !isSwappable(tensor);
  }
  /// The value of this name that is nearest, or null.
  TensorValue *find(llvm::StringRef name);
  /// The input of the model that `value` is, if it is one.
  std::optional<std::string> inputName(const TensorValue &value);
  /// What computes values of the module.
  fuse::Evaluator makeEvaluator(fuse::EvaluationLimits limits = {});
  /// An evaluator's obstacle as the reason of a value.
  static std::string explain(const fuse::Obstacle &obstacle);
  /// A constant of packed `bytes`, as fuse.constant or fuse.weight.
  /// With `asWeight` always the latter, unless there are no bytes.
  mlir::Value buildConstant(llvm::StringRef name, mlir::RankedTensorType type,
                            TensorBytes bytes, bool asWeight = false);
  /// The elements of the bytes of a constant, several to a byte, as Node says.
  mlir::Value unpack(TensorValue &bytes, mlir::RankedTensorType type);
  TensorBytes attributeBytes(const onnx::TensorProto &proto);
  /// A tensor of an attribute or a body: large ones of floats are built at once
  /// under `name`, others stay known to the importer.
  TensorValue readConstant(const onnx::TensorProto &proto,
                           llvm::StringRef name);
  /// The same for these bytes.
  TensorValue ownConstant(llvm::StringRef name, mlir::RankedTensorType type,
                          TensorBytes bytes);
  /// The same for a sparse tensor, which is made dense.
  TensorValue readSparse(const onnx::SparseTensorProto &proto,
                         llvm::StringRef name);
  /// The operator of a user's that a node names, if any, which the module then
  /// declares.
  std::optional<operators::Found> findUserOperator(const FlatNode &node);
  operators::Found declareUserOperator(const FlatNode &node);
  /// Declares an operator of a library, unless that was done.
  void declareOperator(const operators::Found &found);
  bool keepsBodies() const { return options.keepBodies; }
  bool runsLaunchers() const { return options.runsLaunchers; }
  int64_t sharedBytes() const { return options.sharedBytes; }
  bool offersKernels() const {
    return options.offersKernels || !options.decidedKernels.empty();
  }
  /// The name of the next choice between a body and kernels, at `loc`.
  std::string nameKernels(mlir::Location loc) {
    return fuse::nameChoice(loc, "operator", choiceNames);
  }
  /// What was decided about it: the body, or a kernel; "" leaves it open.
  std::string findDecided(const std::string &name) const {
    auto decided = options.decidedKernels.find(name);
    return decided != options.decidedKernels.end() ? decided->second
           : options.offersKernels                 ? ""
                                                   : kBodyAlternative.str();
  }
  bool keepsFactors() const { return options.keepFactors; }
  /// --max-trips.
  std::optional<int64_t> maxTrips() const { return options.maxTrips; }
  /// The type of `proto`. Throws NodeError if it is not supported.
  mlir::RankedTensorType typeOf(const onnx::TensorProto &proto);
  void define(llvm::StringRef name, TensorValue value);
  /// Whether a node leaves rows open, of which others read nothing.
  bool hasOpenRows = false;
  /// Node::isOnTrial.
  bool isOnTrial = false;
  bool isModelOutput(llvm::StringRef name) const {
    return llvm::any_of(proto.output(), [&](const onnx::ValueInfoProto &info) {
      return info.name() == name;
    });
  }
  /// Whether `value` is an input of the model whose value in the next run is
  /// the output of that name (--state).
  bool isState(const TensorValue &value, llvm::StringRef output);
  /// By how much the extents of a value grow where the caches of the model grow
  /// by one; empty: none does, as far as it is known.
  llvm::SmallVector<int64_t> growthOf(const TensorValue &value) const;
  /// The number of rows that the caches hold, an i64 of one element, of which a
  /// run may begin with at most `growthLimit()`.
  mlir::Value cacheLength() const { return length; }
  int64_t growthLimit() const { return growth->past; }
  /// The cache whose next value is called `result`; null where it is none's.
  const GrowingCache *findCache(llvm::StringRef result) const {
    return growth ? growth->find(result) : nullptr;
  }
  /// The buffer of a cache, once `rows` are added by a run.
  mlir::Value takeCache(const TensorValue &past, int64_t axis, int64_t rows);
  /// The type that the model declares for a value, or null; `open` receives the
  /// names of dimensions that are not bound.
  mlir::RankedTensorType declaredType(llvm::StringRef name,
                                      std::vector<std::string> &open);
  void warn(const FlatNode &node, const llvm::Twine &reason,
            const llvm::Twine &hint);
  /// Adds to `inputs` those that the value `name` is computed from, unless they
  /// are there. What is known at import needs none.
  void addInputsBehind(llvm::StringRef name, std::vector<std::string> &inputs);
  /// Converts the nodes of `body`, a graph of `owner`'s attributes, where the
  /// builder is; its inputs are `arguments`. Returns its outputs. Throws
  /// NodeError or ReportedError.
  std::vector<TensorValue> importGraph(const FlatNode &owner,
                                       const onnx::GraphProto &body,
                                       std::vector<TensorValue> arguments);

  /// True for the first few calls for a model.
  bool mayRetry() { return numRetries++ < kMaxRetries; }
  size_t numProblems() const { return problems.size(); }
  /// Forgets the problems behind the first `before`, and returns them.
  std::vector<Problem> takeProblems(size_t before) {
    std::vector<Problem> taken(problems.begin() + before, problems.end());
    problems.resize(before);
    return taken;
  }
  void addProblems(std::vector<Problem> more) {
    llvm::append_range(problems, more);
  }

private:
  /// Whether `value` is an initializer that may get other values
  /// (--swappable-weights). Integers of 64 bits and booleans are none while
  /// they are few: they are shapes, axes, positions and conditions.
  bool isSwappable(const TensorValue &value) const;
  /// Notes that the program rests on the values of an initializer.
  void keepFixed(const TensorValue &initializer);
  /// The packed elements of a constant, which it must be.
  TensorBytes bytesOf(TensorValue &tensor);
  using Values = llvm::StringMap<std::unique_ptr<TensorValue>>;
  void defineBody(const onnx::GraphProto &body,
                  std::vector<TensorValue> arguments);

  void report(ProblemKind kind, const llvm::Twine &reason,
              const llvm::Twine &hint = "");
  /// Whether a file of external data is at fault, which is said once, not once
  /// for each tensor.
  bool reportExternalFile(const NodeError &error);
  void checkOpsets();
  /// Reports the nodes of layout-specific domains, all in one.
  void checkLayouts();
  /// Reports slices whose length only the run time knows and something sees.
  void closeOpenLengths();
  void checkOptions();
  void addInitializers();
  void addInputs();
  void addNode(const FlatNode &node);
  void convert(const FlatNode &node);
  /// Converts a node of small constants and computes its results, which become
  /// constants: the module gets nothing of it. False if they are better left to
  /// the module: large, or not to be computed.
  bool isSmallConstant(const TensorValue &value) const;
  bool evaluate(Node &node, const Operator &op);
  mlir::Value scratchValue(const HostTensor &constant);
  void addPlaceholders(const FlatNode &node);
  /// The number of rows that the caches hold, as an argument and a result.
  void addLength(llvm::SmallVectorImpl<mlir::Attribute> &attributes);
  void advanceLength(llvm::SmallVectorImpl<mlir::Value> &results,
                     llvm::SmallVectorImpl<mlir::Attribute> &attributes);
  void addOutputs();
  /// The attributes of an output and, where it is asked for, of its count,
  /// which joins `counts`.
  std::vector<mlir::Attribute>
  describeOutput(llvm::StringRef name, mlir::Value value,
                 llvm::SmallVectorImpl<mlir::Value> &counts);
  /// Reports an output that the model declares to be of another type than
  /// `computed`, and warns of one of another shape. Names of dimensions that
  /// nothing binds contradict nothing.
  void checkOutput(const onnx::ValueInfoProto &output,
                   mlir::RankedTensorType computed);
  int64_t declaredExtent(const onnx::TensorShapeProto &shape, int index) const;
  /// The static type that `info` declares once dimensions are bound, or null;
  /// `missing` receives the name of each dimension that is not bound, "" for
  /// one without.
  mlir::RankedTensorType declaredType(const onnx::ValueInfoProto &info,
                                      std::vector<std::string> *missing);
  /// The input as the constant that --bind gives for it; without a type if that
  /// does not fit, which is reported.
  TensorValue boundInput(const onnx::ValueInfoProto &info);
  void bindShape(const onnx::ValueInfoProto &info);
  /// What the model or an option fixes the extent of a dimension to, or -1.
  int64_t boundExtent(const onnx::ValueInfoProto &info, int index) const;
  /// Reports inputs of which boundExtent does not know all extents.
  void reportOpenInputs(llvm::ArrayRef<const onnx::ValueInfoProto *> inputs);
  std::string symbolName(llvm::StringRef name);
  void verifyModule();

  ModelFile &file;
  const onnx::GraphProto &proto;
  const FlatGraph &graph;
  std::string path;
  const ImportOptions &options;
  operators::OperatorSet &operators;
  mlir::MLIRContext &context;
  std::vector<Problem> &problems, &warnings;

  std::map<std::string, int64_t> dims;
  /// Dimensions of which an input or a result took its extent: with another one
  /// the graph computes something else.
  llvm::StringSet<> dimsTaken;
  std::map<std::string, std::vector<int64_t>> shapes;
  const Growth *growth = nullptr;
  ShapeRecord *record = nullptr;
  mlir::Value length; ///< where caches grow
  int64_t addedRows = -1;
  /// By the names of inputs, those of outputs that are their next values.
  llvm::StringMap<std::string> states;
  mlir::OwningOpRef<mlir::ModuleOp> module;
  mlir::func::FuncOp function;
  mlir::OpBuilder opBuilder;
  mlir::OpBuilder weightBuilder;
  /// Values by name: of the graph, then of the bodies that it is in, innermost
  /// last.
  std::deque<Values> scopes;
  /// Nodes of bodies so far.
  size_t numInnerNodes = 0;
  static constexpr unsigned kMaxRetries = 256;
  unsigned numRetries = 0;
  /// Where a node is converted that is evaluated: constants are arguments of
  /// its block.
  struct Scratch;
  Scratch *scratch = nullptr;
  llvm::StringMap<fuse::WeightOp> weights;
  /// By symbol, the swappable initializers among them; and the names of the
  /// initializers whose values the program rests on.
  llvm::StringMap<std::string> swappable;
  llvm::SetVector<mlir::Attribute> fixed;
  /// Weights of bodies, which may be imported more than once, by type and hash.
  std::map<std::tuple<const void *, uint64_t, uint64_t>, std::string>
      innerWeights;
  llvm::StringMap<const onnx::ValueInfoProto *> declared;
  llvm::StringSet<> symbols;
  /// Of choices between bodies and kernels.
  llvm::StringSet<> choiceNames;
};

} // namespace fusec

#endif // FUSEC_COMPILER_IMPORT_GRAPHIMPORTER_H
