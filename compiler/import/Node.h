// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a converter sees of the node that it converts.
#ifndef FUSEC_COMPILER_IMPORT_NODE_H
#define FUSEC_COMPILER_IMPORT_NODE_H

#include "compiler/import/FlatGraph.h"
#include "compiler/import/HostTensor.h"
#include "compiler/import/Importer.h"
#include "dialects/fuse/FuseOps.h"
#include "passes/graph/Evaluator.h"
#include "passes/graph/TensorBuilder.h"
#include "llvm/ADT/SmallBitVector.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/ADT/Twine.h"
#include <memory>

namespace fusec {

class GraphImporter;

namespace operators {
struct Found;
}

/// A value of the ONNX graph.
struct TensorValue {
  std::string name;
  /// Null for sequences, for an optional value that is not there, and if a
  /// problem upstream hides the type.
  mlir::RankedTensorType type;
  /// Why a value has no type, where each node that reads it should say so: "has
  /// element type STRING, ...".
  std::string untyped = {};
  std::string untypedHint = {};
  /// The value in the module; null until a converter asks for a constant.
  mlir::Value value;
  /// The elements, once somebody asked for them.
  std::shared_ptr<const HostTensor> constant;
  /// Why nobody can ask for the elements: "'n' (NonZero) depends on the input
  /// 'x'". Empty for what is known, and for what may follow from constants.
  std::string runTime = {};
  /// Whether `constant` is what holds once the caches of the model are full,
  /// and follows from how many rows they have (Growth.h): shapes are this,
  /// numbers are not.
  bool followsLength = false;
  /// Whether it follows from the results of a node that was refused: who cannot
  /// do without the elements has nothing to add to that.
  bool isRefused = false;
  /// Index of the graph's initializer that this is, or -1.
  int initializer = -1;
  /// Where the value is built if it is a constant: at the end of the block
  /// whose graph defines it, or one further in could not be used further out.
  mlir::Block *block = nullptr;
  /// The elements of a sequence. Sequences are known at import; none is left in
  /// the module.
  std::shared_ptr<const std::vector<TensorValue>> sequence;
  /// Whether the model has a map here, in whose place is the tensor of what it
  /// maps to. No node may read it.
  bool isMap = false;
  /// Whether this is an optional value that is not there; what is there is the
  /// value itself.
  bool isAbsent = false;

  bool isSequence() const { return sequence != nullptr; }
  bool isKnown() const { return type || sequence || isAbsent; }
};

/// Thrown by converters through Node::unsupported and Node::invalid; the
/// importer catches it at the node and goes on with the next.
struct NodeError {
  ProblemKind kind;
  std::string reason;
  std::string hint;
  /// As in Problem.
  std::vector<std::string> bind = {};
  std::string externalFile = {};
};

/// Thrown where all that could be said has been added to the problems.
struct ReportedError {};

/// A graph inside of a node as a region. Its block lacks the terminator.
struct NodeBody {
  std::unique_ptr<mlir::Region> region;
  std::vector<TensorValue> outputs;
};

/// One node during its conversion, and what builds at its place. Accessors
/// throw NodeError where the node does not have what they are asked for, so
/// that converters read as the definition of their operator.
class Node : public fuse::TensorBuilder {
public:
  Node(GraphImporter &importer, const FlatNode &flat,
       std::vector<TensorValue *> inputs);

  //===- Problems ---------------------------------------------------------===//

  /// The model is valid, but fusec cannot compile this node.
  [[noreturn]] void unsupported(const llvm::Twine &reason,
                                const llvm::Twine &hint = "") const;
  /// "add --dim n=N", with the words of who reads it (Hints.h).
  std::string addHint(llvm::StringRef option,
                      llvm::ArrayRef<std::string> values) const;
  /// The model is taken, but not as the node says.
  void warn(const llvm::Twine &reason, const llvm::Twine &hint) const;
  /// The node breaks ONNX's rules.
  [[noreturn]] void invalid(const llvm::Twine &reason) const;

  //===- Operands ---------------------------------------------------------===//

  unsigned numInputs() const { return inputs.size(); }
  /// Whether operand `index` is there (optional ones may be left out).
  bool hasInput(unsigned index) const {
    return index < inputs.size() && inputs[index];
  }
  mlir::RankedTensorType type(unsigned index) const;
  llvm::ArrayRef<int64_t> shape(unsigned index) const {
    return type(index).getShape();
  }
  int64_t rank(unsigned index) const { return type(index).getRank(); }
  mlir::Type elementType(unsigned index) const {
    return type(index).getElementType();
  }
  /// The operand as a value of the module.
  mlir::Value input(unsigned index);
  /// The same for an operand of one element, as a tensor of rank 0.
  mlir::Value scalarInput(unsigned index, const llvm::Twine &what);
  /// The same where the model must give it that element type.
  mlir::Value typedScalar(unsigned index, mlir::Type elementType,
                          llvm::StringRef what);
  /// Which elements of the operand are there, as findPresence says; null: all.
  mlir::Value presence(unsigned index);
  /// Notes that this node leaves rows open, so that others have to ask.
  void leaveOpen();
  bool isSequence(unsigned index) const {
    return hasInput(index) && inputs[index]->isSequence();
  }
  /// The elements of an operand that must be a sequence.
  const std::vector<TensorValue> &sequence(unsigned index);
  /// The operand itself: a tensor, or a sequence.
  TensorValue operand(unsigned index);
  /// A tensor as a value of the module.
  mlir::Value materialize(TensorValue &tensor);
  /// Its elements, or null if they are not known at import. Throws
  /// ReportedError if that is so because a node was refused.
  const HostTensor *elements(TensorValue &tensor);
  /// What computes values of the module, and of bodies outside of it.
  fuse::Evaluator makeEvaluator();
  /// The operand's elements, or null if they are not known at import.
  const HostTensor *constant(unsigned index);
  /// The same for numbers that are extents of the result, or say which: those
  /// that follow from the length of caches are known, as they are of full ones.
  const HostTensor *extents(unsigned index);
  /// By how much the extents of an operand grow with the caches of the model.
  llvm::SmallVector<int64_t> growth(unsigned index) const;
  /// `factor` times the rows that the caches hold, and a number, which together
  /// are `full` before the run that fills them: an i64 of one element.
  mlir::Value growingNumber(int64_t full, int64_t factor);
  /// The buffer of the cache that operand 0 is and whose next value is output
  /// 0, concatenated along `axis`; null where that is no cache that grows.
  mlir::Value growingCache(int64_t axis);
  /// How many rows it holds.
  mlir::Value cacheLength() const;
  /// Refuses an operand of scales of which one that is known stands for no
  /// number: NaN or an infinity, or, where codes are made by `division`, 0 or
  /// less.
  void requireScales(unsigned index, bool division);
  /// "computed at run time: 'n' (NonZero) depends on the input 'x'", of an
  /// operand that is no constant.
  std::string runTimeText(unsigned index) const;
  /// Why the results are not known, unless they are: the first operand read, or
  /// value used by a body, that is not.
  std::string runTimeReason() const;
  /// Whether an operand read, or a value used by a body, follows from a node
  /// that was refused.
  bool readsRefused() const;
  /// The integers of an operand that must be known at import, for example a
  /// shape; `what` names it in the message.
  std::vector<int64_t> constantInts(unsigned index, llvm::StringRef what);
  /// The same for an operand of one element.
  int64_t constantInt(unsigned index, llvm::StringRef what);

  //===- Attributes -------------------------------------------------------===//
  // Each read marks the attribute as known; the importer refuses nodes with
  // attributes that nobody read.

  bool hasAttribute(llvm::StringRef name) const;
  int64_t intAttribute(llvm::StringRef name, int64_t fallback);
  /// An attribute that ONNX requires.
  int64_t intAttribute(llvm::StringRef name);
  bool flag(llvm::StringRef name, bool fallback = false) {
    return intAttribute(name, fallback) != 0;
  }
  double floatAttribute(llvm::StringRef name, double fallback);
  std::string stringAttribute(llvm::StringRef name, llvm::StringRef fallback);
  /// Empty if absent.
  std::vector<int64_t> intsAttribute(llvm::StringRef name);
  std::vector<double> floatsAttribute(llvm::StringRef name);
  std::vector<std::string> stringsAttribute(llvm::StringRef name);
  /// A number, or numbers, that may be written as integers: as exporters do
  /// where no schema says what an attribute is.
  double numberAttribute(llvm::StringRef name);
  std::vector<double> numbersAttribute(llvm::StringRef name);
  /// The elements and type of a tensor attribute.
  TensorValue tensorAttribute(llvm::StringRef name);
  /// A sparse tensor attribute, made dense.
  TensorValue sparseAttribute(llvm::StringRef name);
  /// As tensorAttribute, where the importer needs the elements, however many
  /// they are.
  HostTensor elementsAttribute(llvm::StringRef name);
  /// A graph attribute, which ONNX requires.
  const onnx::GraphProto &graphAttribute(llvm::StringRef name);
  /// Accepts attributes that have no meaning for inference.
  void ignoreAttributes(std::initializer_list<llvm::StringRef> names);
  /// The first attribute that was not read, or empty.
  llvm::StringRef unreadAttribute() const;

  //===- Checks -----------------------------------------------------------===//

  /// `axis` of a tensor of rank `rank`, negative ones counted from the end.
  int64_t normalizeAxis(int64_t axis, int64_t rank) const;
  std::vector<int64_t> normalizeAxes(std::vector<int64_t> axes,
                                     int64_t rank) const;
  void requireFloat(unsigned index) const;
  void requireSameElementType(unsigned first, unsigned second) const;
  /// The number of elements of `type`, which must be one that memory holds.
  int64_t requireSize(mlir::RankedTensorType type) const;
  /// The same for a constant that the importer computes: at most 2^26 elements.
  int64_t requireComputable(mlir::RankedTensorType type) const;
  void requireInputs(unsigned least, unsigned most) const;

  //===- Building ---------------------------------------------------------===//

  const FlatNode &flat() const { return node; }
  int64_t opset() const { return node.opset(); }

  /// A constant of any size.
  mlir::Value tensor(const HostTensor &value);
  /// Operand `index`, a constant of bytes, as the elements of `type`, several
  /// to a byte, the first one in its low bits; null if it is not known at
  /// import.
  mlir::Value unpack(unsigned index, mlir::RankedTensorType type);
  /// `values` as a constant vector of i64, known at import.
  HostTensor hostVector(std::vector<int64_t> values);
  /// The shape that NumPy broadcasts the operands' shapes to.
  llvm::SmallVector<int64_t>
  broadcastShape(llvm::ArrayRef<llvm::ArrayRef<int64_t>> shapes) const;

  //===- Bodies -----------------------------------------------------------===//
  // Both throw ReportedError if a node of the body is refused.

  /// Converts the nodes of `graph` where the builder is, its inputs being
  /// `arguments`, and returns its outputs.
  std::vector<TensorValue> importInline(const onnx::GraphProto &graph,
                                        std::vector<TensorValue> arguments);
  /// The same in a region of its own. `arguments` are made by `enter`, which
  /// may add arguments to the block and build there.
  NodeBody
  importBody(const onnx::GraphProto &graph,
             llvm::function_ref<std::vector<TensorValue>(mlir::Block &)> enter);
  /// The problems of the model so far, to go back to where a body that was
  /// refused is imported in another way.
  /// Whether a body may be imported once more, another way: bodies in bodies
  /// would multiply that.
  bool mayRetry();
  /// Whether a body around this node is imported to see whether it does as a
  /// region: if a node of it refuses what its iteration decides, it is imported
  /// iteration by iteration.
  bool isOnTrial() const;
  /// Sets that, and returns what it was.
  bool setOnTrial(bool isOnTrial);
  size_t numProblems() const;
  std::vector<Problem> takeProblems(size_t before);
  void addProblems(std::vector<Problem> problems);
  /// Output `index` of `body` as a value at the end of its block.
  mlir::Value bodyOutput(NodeBody &body, unsigned index);

  //===- Results ----------------------------------------------------------===//

  /// Which of the libraries that are named (--ops) has the operator, and as
  /// what: the module declares it from now on.
  operators::Found userOperator() const;
  /// ImportOptions::keepBodies.
  bool keepsBodies() const;
  /// ImportOptions::runsLaunchers.
  bool runsLaunchers() const;
  /// ImportOptions::sharedBytes.
  int64_t sharedBytes() const;
  /// Whether bodies are compared with kernels, and what was decided about this
  /// one (GraphImporter): its choice has the name `name`, which is its own.
  bool offersKernels() const;
  std::string findDecided(std::string &name);
  /// Declares an operator of a library that something here calls.
  void declare(const operators::Found &found);
  /// ImportOptions::keepFactors.
  bool keepsFactors() const;

  unsigned numOutputs() const { return node.proto->output_size(); }
  /// Whether anybody may use output `index`.
  bool wantsOutput(unsigned index) const {
    return index < numOutputs() && !node.proto->output(index).empty();
  }
  /// --max-trips.
  std::optional<int64_t> maxTrips() const;
  /// Whether the model has output `index` as one of its own.
  bool isModelOutput(unsigned index) const;
  /// Whether operand `input` and output `output` are a state of the model
  /// (--state).
  bool isState(unsigned input, unsigned output) const;
  /// The type that the model declares for output `index`, dimensions bound;
  /// null if it leaves that open, and then `open` may have names of dimensions.
  mlir::RankedTensorType declaredOutput(unsigned index,
                                        std::vector<std::string> &open) const;
  void setOutput(unsigned index, mlir::Value value);
  void setOutput(unsigned index, HostTensor constant);
  /// Output `index` is operand `input` itself.
  void forward(unsigned index, unsigned input);
  /// Output `index` is `value`, which may be a constant.
  void setOutput(unsigned index, TensorValue value);
  void setSequence(unsigned index, std::vector<TensorValue> elements);
  /// Output `index` is an optional value that is not there.
  void setAbsent(unsigned index);
  /// Refuses to produce output `index` if anybody may use it.
  void refuseOutput(unsigned index, llvm::StringRef what) const;

private:
  const onnx::AttributeProto *
  attribute(llvm::StringRef name, onnx::AttributeProto::AttributeType type);
  bool isOf(onnx::AttributeProto::AttributeType type,
            llvm::StringRef name) const;
  const onnx::TensorProto &tensorProto(llvm::StringRef name);

  GraphImporter &importer;
  const FlatNode &node;
  std::vector<TensorValue *> inputs;
  llvm::StringSet<> readAttributes;
  /// Calls `visit` with the operands read and the values used by bodies.
  void visitRead(llvm::function_ref<void(const TensorValue &)> visit) const;

  /// Operands that a converter wanted as constants, which they are not.
  llvm::SmallVector<unsigned, 2> unknown;
  /// Operands whose elements matter; of others only the type does.
  llvm::SmallBitVector read;
};

/// The tensor type of `shape` and `elementType`.
inline mlir::RankedTensorType tensorType(llvm::ArrayRef<int64_t> shape,
                                         mlir::Type elementType) {
  return mlir::RankedTensorType::get(shape, elementType);
}

/// The bytes of a tensor, or nothing if they are more than it may have.
std::optional<int64_t> tensorBytes(mlir::RankedTensorType type);
/// "[2, 3]", for messages.
std::string shapeText(llvm::ArrayRef<int64_t> shape);
/// "f32", for messages.
std::string typeText(mlir::Type type);

} // namespace fusec

#endif // FUSEC_COMPILER_IMPORT_NODE_H
