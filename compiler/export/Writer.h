// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a writer of operations sees of the graph of ONNX that it adds nodes to.
#ifndef FUSEC_COMPILER_EXPORT_WRITER_H
#define FUSEC_COMPILER_EXPORT_WRITER_H

#include "compiler/export/Exporter.h"
#include "compiler/import/OnnxProto.h"
#include "dialects/fuse/FuseOps.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "passes/graph/CompositeExpander.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSet.h"
#include <map>

namespace fusec {

/// A node that was added; its attributes are set one after the other.
class NodeHandle {
public:
  explicit NodeHandle(onnx::NodeProto *proto) : proto(proto) {}

  NodeHandle &integer(llvm::StringRef name, int64_t value);
  NodeHandle &real(llvm::StringRef name, double value);
  NodeHandle &real(llvm::StringRef name, const llvm::APFloat &value) {
    return real(name, value.convertToDouble());
  }
  NodeHandle &text(llvm::StringRef name, llvm::StringRef value);
  NodeHandle &integers(llvm::StringRef name, llvm::ArrayRef<int64_t> values);
  NodeHandle &reals(llvm::StringRef name, llvm::ArrayRef<double> values);
  NodeHandle &texts(llvm::StringRef name, llvm::ArrayRef<std::string> values);
  NodeHandle &graph(llvm::StringRef name, onnx::GraphProto value);
  NodeHandle &domain(llvm::StringRef name);
  /// The same as integer, for flags that are 0 where they are not set.
  NodeHandle &flag(llvm::StringRef name, bool value) {
    return value ? integer(name, 1) : *this;
  }
  /// Its result number `index`.
  std::string output(int index = 0) const { return proto->output(index); }

private:
  onnx::AttributeProto *add(llvm::StringRef name,
                            onnx::AttributeProto::AttributeType type);
  onnx::NodeProto *proto;
};

/// Adds nodes to a model of ONNX. Values of the module have names of ONNX;
/// constants are initializers of the model, and repetitions are nodes only
/// where the operator that reads them does not broadcast.
class Writer {
public:
  using Names = std::vector<std::string>;

  Writer(mlir::ModuleOp module, int64_t opset, std::vector<Problem> &problems);

  /// The version of ONNX's operator set.
  int64_t opset() const { return version; }

  /// Writes the module's function as the model's graph.
  void writeModel();
  onnx::ModelProto &model() { return proto; }
  /// The last node that each operation was written as.
  const llvm::MapVector<mlir::Operation *, onnx::NodeProto *> &written() const {
    return lastNodes;
  }
  /// The weights, which the model's tensors lack so far.
  llvm::MapVector<onnx::TensorProto *, llvm::ArrayRef<char>> &weights() {
    return bytes;
  }

  /// ONNX's code of an element type. Integers of less than a byte are bytes
  /// where the model moves them, which few operators and programs do.
  int codeOf(mlir::Type element) const;

  //===- Operands ---------------------------------------------------------===//

  /// What ONNX calls `value`; empty for null, an operand that is left out.
  std::string name(mlir::Value value);
  Names names(mlir::ValueRange values);
  /// Something that NumPy's broadcasting makes `value`: what it repeats, with
  /// dimensions of extent 1 where that takes some. `shape` is set to its shape.
  std::string repeated(mlir::Value value,
                       llvm::SmallVectorImpl<int64_t> &shape);
  std::string repeated(mlir::Value value);
  /// The same for operands that are broadcast with each other to `shape`: at
  /// least one of them has each extent.
  Names repeatedTo(mlir::ValueRange values, llvm::ArrayRef<int64_t> shape);
  /// `value` under another shape of as many elements; another initializer where
  /// it is a constant.
  std::string reshaped(mlir::Value value, llvm::ArrayRef<int64_t> shape);

  /// A parameter that varies along one dimension at most, as a scalar or
  /// vector; empty for null.
  std::string flattened(mlir::Value parameter);

  //===- Constants --------------------------------------------------------===//

  std::string integers(llvm::ArrayRef<int64_t> values);
  std::string integers(llvm::ArrayRef<int64_t> values,
                       llvm::ArrayRef<int64_t> shape);
  /// A scalar.
  std::string integer(int64_t value) { return integers({value}, {}); }
  /// A scalar of the type `element`.
  std::string scalar(double value, mlir::Type element);
  std::string scalar(mlir::TypedAttr value);
  std::string reals(llvm::ArrayRef<float> values);
  std::string zeros(llvm::ArrayRef<int64_t> shape, mlir::Type element);
  /// The same as a tensor that nothing else reads.
  std::string ownZeros(llvm::ArrayRef<int64_t> shape, mlir::Type element);
  /// 0, 1, 2, ... in a tensor of `shape`.
  std::string numbers(llvm::ArrayRef<int64_t> shape, mlir::Type element);

  //===- Nodes ------------------------------------------------------------===//

  /// A node of the operator `type` whose results are `results`. One that nobody
  /// reads is left out if it is not the first.
  NodeHandle node(llvm::StringRef type, Names inputs, mlir::ValueRange results);
  /// The same where all results have names, and those whose number `isOther`
  /// says are read by another node, which makes the module's value of them.
  NodeHandle nodeWith(llvm::StringRef type, Names inputs,
                      mlir::ValueRange results,
                      llvm::function_ref<bool(unsigned)> isOther);
  /// The same with one result that is no value of the module.
  NodeHandle step(llvm::StringRef type, Names inputs);
  std::string cast(std::string input, mlir::Type element);
  std::string expand(std::string input, llvm::ArrayRef<int64_t> shape);
  std::string reshape(std::string input, llvm::ArrayRef<int64_t> shape);
  std::string transpose(std::string input, llvm::ArrayRef<int64_t> perm);
  /// Result `value` is what is called `name` already.
  void forward(std::string name, mlir::Value value);

  /// A body as a graph: its arguments are the inputs named `inputs`, which
  /// `bind` gives names; the outputs are what `outputs` returns once all
  /// operations but the terminator are written.
  struct Port {
    std::string name;
    mlir::RankedTensorType type;
  };
  onnx::GraphProto writeBody(mlir::Block &block, llvm::ArrayRef<Port> inputs,
                             llvm::function_ref<void()> bind,
                             llvm::function_ref<std::vector<Port>()> outputs);
  /// A name that nothing has, made of `wish`.
  std::string unique(llvm::StringRef wish);
  /// From now on `value` is called `name`.
  void bind(mlir::Value value, llvm::StringRef name) { known[value] = name; }

  /// Says why `op` cannot be written.
  llvm::LogicalResult refuse(mlir::Operation *op, const llvm::Twine &reason,
                             const llvm::Twine &hint = "");
  /// What writers of domains of others import.
  void import(llvm::StringRef domain, int64_t version) {
    domains[domain.str()] = version;
  }

private:
  std::string nodeName(llvm::StringRef type, bool isOwn);
  onnx::NodeProto *addNode(llvm::StringRef type, Names inputs);
  /// Names `result`, which a node makes.
  std::string define(mlir::Value result);
  void describeModel();
  void writeBlock(mlir::Block &block);
  bool write(mlir::Operation *op);
  std::string wishFor(mlir::Value value) const;
  /// What a constant is called that the operation needs which is written.
  std::string wishForConstant() const;
  std::string constant(mlir::Value value, llvm::ArrayRef<int64_t> shape);
  /// An initializer of these bytes, which are copied; equal ones are one.
  std::string initializer(llvm::StringRef wish, mlir::Type element,
                          llvm::ArrayRef<int64_t> shape,
                          llvm::ArrayRef<char> data);
  onnx::TensorProto *addInitializer(llvm::StringRef wish, mlir::Type element,
                                    llvm::ArrayRef<int64_t> shape);

  mlir::ModuleOp module;
  mlir::func::FuncOp function;
  int64_t version;
  bool widensParts = false;
  std::vector<Problem> &problems;
  fuse::CompositeExpander expander;
  onnx::ModelProto proto;
  std::map<std::string, int64_t> domains;
  llvm::DenseMap<mlir::Value, std::string> known;
  /// The graphs that are being written, by block.
  llvm::DenseMap<mlir::Block *, onnx::GraphProto *> graphs;
  onnx::GraphProto *current = nullptr;
  /// The operation that is being written, which names what it takes.
  mlir::Operation *writing = nullptr;
  llvm::MapVector<mlir::Operation *, onnx::NodeProto *> lastNodes;
  llvm::StringSet<> taken, takenByNodes;
  llvm::StringMap<unsigned> lastNumbers, lastNodeNumbers;
  llvm::StringMap<std::string> initializers;
  llvm::MapVector<onnx::TensorProto *, llvm::ArrayRef<char>> bytes;
};

/// The shape of a value.
inline llvm::ArrayRef<int64_t> shapeOf(mlir::Value value) {
  return fuse::getTensorType(value).getShape();
}
inline mlir::Type elementOf(mlir::Value value) {
  return fuse::getTensorType(value).getElementType();
}

} // namespace fusec

#endif // FUSEC_COMPILER_EXPORT_WRITER_H
