// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The main graph of a model as a checked list of nodes.
#ifndef FUSEC_COMPILER_IMPORT_FLATGRAPH_H
#define FUSEC_COMPILER_IMPORT_FLATGRAPH_H

#include "compiler/import/OnnxProto.h"
#include "compiler/import/Problem.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/StringMap.h"
#include <deque>
#include <map>

namespace fusec {

/// Domain -> version of the operator set. ONNX's own domain is "" here, also
/// where the file calls it "ai.onnx".
using OpsetMap = std::map<std::string, int64_t>;

/// "" for "ai.onnx", which is the same domain; else `domain`.
llvm::StringRef canonicalDomain(llvm::StringRef domain);

struct FlatNode {
  const onnx::NodeProto *proto;
  const OpsetMap *opsets;
  /// The node's name; if it has none, that of its first result. Nodes from
  /// functions have "CALL/" in front.
  std::string name;

  llvm::StringRef domain() const { return canonicalDomain(proto->domain()); }
  /// The version of the node's operator set, 0 if the model imports none.
  int64_t opset() const;
};

/// A graph without functions: nodes in topological order, only those that the
/// graph's outputs need.
class FlatGraph {
public:
  const std::vector<FlatNode> &nodes() const { return list; }

private:
  friend class FunctionInliner;
  friend class GraphChecker;
  std::vector<FlatNode> list;
  std::deque<onnx::NodeProto> owned; // nodes that come from functions
  std::deque<OpsetMap> opsetMaps;
};

/// Appends the nodes of `model`'s graph to `graph`, calls of model-local
/// functions replaced by their nodes: formal names by actual ones, referenced
/// attributes by the call's or the function's default, other names made unique
/// with "CALL/" in front. Problems: recursive functions, unbounded expansion,
/// results that a function does not define.
void inlineFunctions(const onnx::ModelProto &model, FlatGraph &graph,
                     llvm::StringRef file, std::vector<Problem> &problems);

/// The same for `body`, a graph that is an attribute of `owner`. Its nodes have
/// "OWNER/" in front of their names.
void inlineFunctions(const onnx::ModelProto &model,
                     const onnx::GraphProto &body, const FlatNode &owner,
                     FlatGraph &graph, llvm::StringRef file,
                     std::vector<Problem> &problems);

/// Says whether a name is a value of a graph around the one in question.
using OuterScope = llvm::function_ref<bool(llvm::StringRef)>;

/// Checks the graph's values and orders its nodes. Problems, with the node's
/// name: values without a definition, values defined twice, cycles, outputs
/// that nothing defines. A node uses what its own graphs use from around them.
void checkGraph(
    const onnx::GraphProto &proto, FlatGraph &graph, llvm::StringRef file,
    std::vector<Problem> &problems,
    OuterScope isOuter = [](llvm::StringRef) { return false; });

/// Calls `visit` with each name that the graphs of `node`'s attributes use and
/// do not define.
void visitCaptures(const onnx::NodeProto &node,
                   llvm::function_ref<void(const std::string &)> visit);

/// Renames what the graphs of `node`'s attributes use and do not define.
void renameCaptures(
    onnx::NodeProto &node,
    llvm::function_ref<std::string(const std::string &)> rename);

/// A problem at `node`.
Problem problemAt(const FlatNode &node, llvm::StringRef file, ProblemKind kind,
                  std::string reason, std::string hint = "");

} // namespace fusec

#endif // FUSEC_COMPILER_IMPORT_FLATGRAPH_H
