// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/import/FlatGraph.h"

#include "dialects/Limits.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/ADT/Twine.h"

namespace fusec {

llvm::StringRef canonicalDomain(llvm::StringRef domain) {
  return domain == "ai.onnx" ? llvm::StringRef() : domain;
}

int64_t FlatNode::opset() const {
  auto found = opsets->find(domain().str());
  return found == opsets->end() ? 0 : found->second;
}

Problem problemAt(const FlatNode &node, llvm::StringRef file, ProblemKind kind,
                  std::string reason, std::string hint) {
  Problem problem = {kind,
                     file.str(),
                     node.name,
                     node.proto->op_type(),
                     node.domain().str(),
                     node.opset(),
                     std::move(reason),
                     std::move(hint)};
  for (const auto *names : {&node.proto->input(), &node.proto->output()})
    problem.operands.insert(problem.operands.end(), names->begin(),
                            names->end());
  return problem;
}

static std::string displayName(const onnx::NodeProto &node) {
  if (!node.name().empty())
    return node.name();
  for (const std::string &output : node.output())
    if (!output.empty())
      return output;
  return node.op_type();
}

class FunctionInliner {
public:
  FunctionInliner(const onnx::ModelProto &model, const onnx::GraphProto &body,
                  FlatGraph &graph, llvm::StringRef file,
                  std::vector<Problem> &problems)
      : model(model), body(body), graph(graph), file(file), problems(problems) {
    for (const onnx::FunctionProto &function : model.functions())
      functions[key(function.domain(), function.name(), function.overload())] =
          &function;
  }

  /// For the model's own graph, or for the body of `owner`.
  void run(const FlatNode *owner);

private:
  static std::string key(llvm::StringRef domain, llvm::StringRef name,
                         llvm::StringRef overload) {
    return (canonicalDomain(domain) + "\n" + name + "\n" + overload).str();
  }
  const OpsetMap *addOpsets(
      const google::protobuf::RepeatedPtrField<onnx::OperatorSetIdProto> &list,
      const OpsetMap *base);
  void collectNames();
  void add(FlatNode node);
  void inlineCall(const FlatNode &call, const onnx::FunctionProto &function);
  static void bindAttributes(const onnx::NodeProto &call,
                             const onnx::FunctionProto &function,
                             onnx::NodeProto &node);
  std::string unique(const std::string &wanted);

  const onnx::ModelProto &model;
  const onnx::GraphProto &body;
  FlatGraph &graph;
  llvm::StringRef file;
  std::vector<Problem> &problems;
  llvm::StringMap<const onnx::FunctionProto *> functions;
  std::vector<const onnx::FunctionProto *> active;
  llvm::StringSet<> names;
  bool overflow = false;
};

const OpsetMap *FunctionInliner::addOpsets(
    const google::protobuf::RepeatedPtrField<onnx::OperatorSetIdProto> &list,
    const OpsetMap *base) {
  OpsetMap map = base ? *base : OpsetMap();
  for (const onnx::OperatorSetIdProto &opset : list)
    map[canonicalDomain(opset.domain()).str()] = opset.version();
  graph.opsetMaps.push_back(std::move(map));
  return &graph.opsetMaps.back();
}

void FunctionInliner::collectNames() {
  for (const onnx::ValueInfoProto &input : body.input())
    names.insert(input.name());
  for (const onnx::TensorProto &tensor : body.initializer())
    names.insert(tensor.name());
  for (const onnx::SparseTensorProto &tensor : body.sparse_initializer())
    names.insert(tensor.values().name());
  for (const onnx::NodeProto &node : body.node()) {
    for (const std::string &output : node.output())
      names.insert(output);
    // A body may use names from around it, which no new name may hide.
    for (const std::string &input : node.input())
      names.insert(input);
    visitCaptures(node, [&](const std::string &name) { names.insert(name); });
  }
}

std::string FunctionInliner::unique(const std::string &wanted) {
  std::string name = wanted;
  for (unsigned i = 1; !names.insert(name).second; ++i)
    name = wanted + "_" + std::to_string(i);
  return name;
}

void FunctionInliner::run(const FlatNode *owner) {
  const OpsetMap *opsets =
      owner ? owner->opsets : addOpsets(model.opset_import(), nullptr);
  if (opsets->empty() && model.ir_version() < 3) {
    // Before IR version 3 a model had no list; its operators are the first.
    graph.opsetMaps.back()[""] = 1;
  }
  if (!functions.empty())
    collectNames();
  std::string prefix = owner ? owner->name + "/" : "";
  for (const onnx::NodeProto &node : body.node())
    add({&node, opsets, prefix + displayName(node)});
}

void FunctionInliner::add(FlatNode node) {
  if (overflow)
    return;
  const onnx::NodeProto &proto = *node.proto;
  auto found =
      functions.find(key(proto.domain(), proto.op_type(), proto.overload()));
  if (found != functions.end())
    return inlineCall(node, *found->second);
  if (graph.list.size() == kMaxNodes) {
    overflow = true;
    problems.push_back(problemAt(node, file, ProblemKind::BadInput,
                                 "the model's functions expand to more than " +
                                     std::to_string(kMaxNodes) + " nodes"));
    return;
  }
  graph.list.push_back(std::move(node));
}

void FunctionInliner::bindAttributes(const onnx::NodeProto &call,
                                     const onnx::FunctionProto &function,
                                     onnx::NodeProto &node) {
  auto find = [](const auto &list,
                 const std::string &name) -> const onnx::AttributeProto * {
    for (const onnx::AttributeProto &attribute : list)
      if (attribute.name() == name)
        return &attribute;
    return nullptr;
  };
  std::vector<onnx::AttributeProto> bound;
  for (const onnx::AttributeProto &attribute : node.attribute()) {
    if (attribute.ref_attr_name().empty()) {
      bound.push_back(attribute);
      continue;
    }
    const onnx::AttributeProto *value =
        find(call.attribute(), attribute.ref_attr_name());
    if (!value)
      value = find(function.attribute_proto(), attribute.ref_attr_name());
    if (!value)
      continue; // an optional attribute that the call leaves out
    bound.push_back(*value);
    bound.back().set_name(attribute.name());
  }
  node.clear_attribute();
  for (onnx::AttributeProto &attribute : bound) {
    if (attribute.has_g())
      for (onnx::NodeProto &inner : *attribute.mutable_g()->mutable_node())
        bindAttributes(call, function, inner);
    *node.add_attribute() = std::move(attribute);
  }
}

void FunctionInliner::inlineCall(const FlatNode &call,
                                 const onnx::FunctionProto &function) {
  auto fail = [&](const llvm::Twine &reason) {
    problems.push_back(
        problemAt(call, file, ProblemKind::BadInput, reason.str()));
  };
  if (llvm::is_contained(active, &function))
    return fail("the function calls itself, which ONNX does not allow");
  if (active.size() == kMaxCallDepth)
    return fail("functions call functions more than " +
                llvm::Twine(kMaxCallDepth) + " deep");
  const onnx::NodeProto &proto = *call.proto;
  if (proto.input_size() > function.input_size() ||
      proto.output_size() > function.output_size())
    return fail("the call has " + llvm::Twine(proto.input_size()) +
                " inputs and " + llvm::Twine(proto.output_size()) +
                " outputs where the function has " +
                llvm::Twine(function.input_size()) + " and " +
                llvm::Twine(function.output_size()));

  active.push_back(&function);
  const OpsetMap *opsets = addOpsets(function.opset_import(), call.opsets);
  std::string prefix = call.name + "/";
  llvm::StringMap<std::string> renamed;
  for (int i = 0; i < function.input_size(); ++i)
    renamed[function.input(i)] = i < proto.input_size() ? proto.input(i) : "";
  // A result that is an argument, or that the function returns twice, needs a
  // node of its own; the others take the caller's names.
  std::vector<std::pair<std::string, std::string>> copies;
  for (int i = 0; i < function.output_size(); ++i) {
    const std::string &formal = function.output(i);
    std::string actual = i < proto.output_size() ? proto.output(i) : "";
    if (actual.empty())
      continue;
    if (!renamed.try_emplace(formal, actual).second)
      copies.emplace_back(formal, actual);
  }

  for (const onnx::NodeProto &inner : function.node())
    for (const std::string &name : inner.output())
      if (auto [at, isNew] = renamed.try_emplace(name); isNew && !name.empty())
        at->second = unique(prefix + name);
  for (const onnx::NodeProto &inner : function.node()) {
    graph.owned.push_back(inner);
    onnx::NodeProto &node = graph.owned.back();
    bindAttributes(proto, function, node);
    for (std::string &name : *node.mutable_output())
      name = renamed[name];
    auto rename = [&](const std::string &name) {
      auto at = renamed.find(name);
      return at == renamed.end() ? unique(prefix + name) : at->second;
    };
    for (std::string &name : *node.mutable_input())
      if (!name.empty())
        name = rename(name);
    renameCaptures(node, rename);
    std::string display =
        inner.name().empty() ? displayName(node) : prefix + inner.name();
    add({&node, opsets, std::move(display)});
  }
  for (auto &[formal, actual] : copies) {
    graph.owned.emplace_back();
    onnx::NodeProto &node = graph.owned.back();
    node.set_op_type("Identity");
    node.add_input(renamed[formal]);
    node.add_output(actual);
    add({&node, call.opsets, actual});
  }
  active.pop_back();
}

void inlineFunctions(const onnx::ModelProto &model, FlatGraph &graph,
                     llvm::StringRef file, std::vector<Problem> &problems) {
  FunctionInliner(model, model.graph(), graph, file, problems).run(nullptr);
}

void inlineFunctions(const onnx::ModelProto &model,
                     const onnx::GraphProto &body, const FlatNode &owner,
                     FlatGraph &graph, llvm::StringRef file,
                     std::vector<Problem> &problems) {
  FunctionInliner(model, body, graph, file, problems).run(&owner);
}

} // namespace fusec
