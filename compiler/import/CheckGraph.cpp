// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/import/FlatGraph.h"

#include "llvm/ADT/StringSet.h"
#include "llvm/ADT/Twine.h"
#include <algorithm>

namespace fusec {

class GraphChecker {
public:
  GraphChecker(const onnx::GraphProto &proto, FlatGraph &graph,
               llvm::StringRef file, std::vector<Problem> &problems,
               OuterScope isOuter)
      : proto(proto), graph(graph), file(file), problems(problems),
        isOuter(isOuter) {}

  void run() {
    size_t before = problems.size();
    define();
    connect();
    if (problems.size() == before)
      order();
  }

private:
  enum class State { New, Open, Done };

  void report(std::string reason) {
    problems.push_back(
        {ProblemKind::BadInput, file.str(), "", "", "", 0, reason, ""});
  }
  void define();
  void connect();
  void order();
  void reportCycle(const std::vector<size_t> &path, size_t start);

  const onnx::GraphProto &proto;
  FlatGraph &graph;
  llvm::StringRef file;
  std::vector<Problem> &problems;
  OuterScope isOuter;
  llvm::StringSet<> given;           // inputs and initializers
  llvm::StringMap<size_t> producers; // value -> index of its node
  std::vector<std::vector<size_t>> operands;
  std::vector<size_t> roots;
};

void GraphChecker::define() {
  for (const onnx::ValueInfoProto &input : proto.input())
    if (!given.insert(input.name()).second)
      report("the graph has two inputs named '" + input.name() + "'");
  llvm::StringSet<> initializers;
  auto addInitializer = [&](const std::string &name) {
    // An initializer may share its name with an input: a default value.
    if (!initializers.insert(name).second)
      report("the graph has two initializers named '" + name + "'");
    given.insert(name);
  };
  for (const onnx::TensorProto &tensor : proto.initializer())
    addInitializer(tensor.name());
  for (const onnx::SparseTensorProto &tensor : proto.sparse_initializer())
    addInitializer(tensor.values().name());
  for (auto [index, node] : llvm::enumerate(graph.list))
    for (const std::string &output : node.proto->output()) {
      if (output.empty())
        continue;
      if (given.contains(output) ||
          !producers.try_emplace(output, index).second)
        problems.push_back(problemAt(node, file, ProblemKind::BadInput,
                                     "defines the value '" + output +
                                         "', which has a definition already"));
    }
}

void GraphChecker::connect() {
  operands.resize(graph.list.size());
  for (auto [index, node] : llvm::enumerate(graph.list)) {
    for (const std::string &input : node.proto->input()) {
      if (input.empty() || given.contains(input))
        continue;
      auto producer = producers.find(input);
      if (producer != producers.end())
        operands[index].push_back(producer->second);
      else if (!isOuter(input))
        problems.push_back(
            problemAt(node, file, ProblemKind::BadInput,
                      "uses the value '" + input + "', which nothing defines"));
    }
    // What is not defined here may be further out; the graph that uses it is
    // checked when the node is converted.
    visitCaptures(*node.proto, [&, at = index](const std::string &name) {
      if (auto producer = producers.find(name); producer != producers.end())
        operands[at].push_back(producer->second);
    });
  }
  if (proto.output().empty())
    report("the graph has no outputs");
  for (const onnx::ValueInfoProto &output : proto.output()) {
    auto producer = producers.find(output.name());
    if (producer != producers.end())
      roots.push_back(producer->second);
    else if (!given.contains(output.name()) && !isOuter(output.name()))
      report("nothing defines the graph's output '" + output.name() + "'");
  }
}

void GraphChecker::reportCycle(const std::vector<size_t> &path, size_t start) {
  std::string text;
  auto begin = std::find(path.begin(), path.end(), start);
  constexpr size_t kShown = 6;
  size_t length = size_t(path.end() - begin);
  for (size_t i = 0; i < std::min(length, kShown); ++i)
    text += "'" + graph.list[begin[i]].name + "' <- ";
  text += length > kShown ? "..." : "'" + graph.list[start].name + "'";
  problems.push_back(problemAt(graph.list[start], file, ProblemKind::BadInput,
                               "is part of a cycle: " + text));
}

/// Depth first from the outputs; an explicit stack, since networks are deep.
void GraphChecker::order() {
  std::vector<State> states(graph.list.size(), State::New);
  std::vector<size_t> needed, path, next;
  for (size_t root : roots) {
    if (states[root] != State::New)
      continue;
    path.push_back(root);
    next.push_back(0);
    states[root] = State::Open;
    while (!path.empty()) {
      size_t node = path.back();
      if (next.back() == operands[node].size()) {
        states[node] = State::Done;
        needed.push_back(node);
        path.pop_back();
        next.pop_back();
        continue;
      }
      size_t operand = operands[node][next.back()++];
      if (states[operand] == State::Open)
        return reportCycle(path, operand);
      if (states[operand] == State::New) {
        states[operand] = State::Open;
        path.push_back(operand);
        next.push_back(0);
      }
    }
  }
  // Keep the author's order where it is a valid one, as ONNX demands it to be.
  bool sorted = true;
  for (size_t node : needed)
    for (size_t operand : operands[node])
      sorted &= operand < node;
  if (sorted)
    std::sort(needed.begin(), needed.end());
  std::vector<FlatNode> ordered;
  for (size_t node : needed)
    ordered.push_back(std::move(graph.list[node]));
  graph.list = std::move(ordered);
}

void checkGraph(const onnx::GraphProto &proto, FlatGraph &graph,
                llvm::StringRef file, std::vector<Problem> &problems,
                OuterScope isOuter) {
  GraphChecker(proto, graph, file, problems, isOuter).run();
}

} // namespace fusec
