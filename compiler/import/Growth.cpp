// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/import/Growth.h"

#include "compiler/import/Hints.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"

namespace fusec {

const GrowingCache *Growth::find(llvm::StringRef result) const {
  for (const GrowingCache &cache : caches)
    if (cache.result == result)
      return &cache;
  return nullptr;
}

bool Growth::has(llvm::StringRef input) const {
  return llvm::any_of(
      caches, [&](const GrowingCache &cache) { return cache.input == input; });
}

ImportOptions Growth::at(ImportOptions options, int64_t other) const {
  for (const std::string &symbol : symbols)
    options.dims[symbol] += other - past;
  return options;
}

int64_t findExtent(llvm::StringRef name,
                   const std::map<std::string, int64_t> &dims) {
  if (auto bound = dims.find(name.str()); bound != dims.end())
    return bound->second;
  if (!name.contains('+'))
    return -1;
  llvm::SmallVector<llvm::StringRef> terms;
  name.split(terms, '+');
  int64_t sum = 0;
  for (llvm::StringRef term : terms) {
    term = term.trim();
    int64_t number = 0;
    if (auto bound = dims.find(term.str()); bound != dims.end())
      number = bound->second;
    else if (term.getAsInteger(10, number) || number < 0)
      return -1;
    if (__builtin_add_overflow(sum, number, &sum))
      return -1;
  }
  return sum;
}

namespace {
/// The nodes of a graph by what they compute.
class Producers {
public:
  Producers(const FlatGraph &graph, const onnx::GraphProto &proto) {
    for (const onnx::ValueInfoProto &info : proto.input())
      types[info.name()] = info.type().tensor_type().elem_type();
    for (const FlatNode &node : graph.nodes())
      for (const std::string &output : node.proto->output())
        byResult[output] = &node;
  }

  /// The node that computes `name`, which is set to what is passed on as it is,
  /// for it has the element type of `input` all the way.
  const FlatNode *find(std::string &name, llvm::StringRef input) const {
    while (const FlatNode *node = byResult.lookup(name)) {
      if (!passesOn(*node->proto, types.lookup(input)) ||
          !node->domain().empty())
        return node;
      name = node->proto->input(0);
    }
    return nullptr;
  }

private:
  static bool passesOn(const onnx::NodeProto &node, int32_t type) {
    return node.op_type() == "Identity" ||
           (node.op_type() == "Cast" &&
            llvm::any_of(node.attribute(), [&](const auto &attribute) {
              return attribute.name() == "to" && attribute.i() == type;
            }));
  }

  llvm::StringMap<const FlatNode *> byResult;
  llvm::StringMap<int32_t> types;
};
} // namespace

/// The dimension along which `node` puts new rows behind `input`, which is
/// called so at the node and has this rank; -1: it does something else.
static int64_t findAxis(const FlatNode &node, llvm::StringRef input,
                        int64_t rank, const Producers &producers) {
  const onnx::NodeProto &proto = *node.proto;
  if (proto.op_type() != "Concat" || !node.domain().empty() ||
      proto.input_size() != 2)
    return -1;
  std::string first = proto.input(0);
  if (producers.find(first, input) || first != input)
    return -1;
  for (const onnx::AttributeProto &attribute : proto.attribute())
    if (attribute.name() == "axis")
      if (int64_t axis =
              attribute.i() < 0 ? attribute.i() + rank : attribute.i();
          axis >= 0 && axis < rank)
        return axis;
  return -1;
}

/// Whether the model says that a dimension of the value has this name.
static bool hasDimension(const onnx::ValueInfoProto &info,
                         llvm::StringRef name) {
  return llvm::any_of(
      info.type().tensor_type().shape().dim(),
      [&](const auto &dim) { return dim.dim_param() == name.str(); });
}

/// Adds to `problems` the states that have a dimension which grows, lose it in
/// the run, and are none of the caches.
static void refuseOthers(const Growth &growth, const onnx::GraphProto &proto,
                         const Producers &producers,
                         const llvm::StringMap<std::string> &states,
                         std::vector<Problem> &problems, llvm::StringRef path) {
  for (const onnx::ValueInfoProto &info : proto.input()) {
    auto state = states.find(info.name());
    if (state == states.end() || growth.has(info.name()))
      continue;
    for (const std::string &symbol : growth.symbols) {
      if (!hasDimension(info, symbol) ||
          llvm::any_of(proto.output(), [&](const auto &output) {
            return output.name() == state->second &&
                   hasDimension(output, symbol);
          }))
        continue;
      std::string result = state->second;
      const FlatNode *node = producers.find(result, info.name());
      problems.push_back(
          {ProblemKind::Unsupported, path.str(), node ? node->name : "",
           node ? node->proto->op_type() : "", "", node ? node->opset() : 0,
           "the state '" + info.name() + "' grows along '" + symbol +
               "' with the cache '" + growth.caches.front().input + "', but '" +
               state->second + "' is not Concat(" + info.name() + ", new rows)",
           "export the model so that it is, or leave the state out"});
      break;
    }
  }
}

std::optional<Growth> findGrowth(const onnx::GraphProto &proto,
                                 const FlatGraph &graph,
                                 const llvm::StringMap<std::string> &states,
                                 const ImportOptions &options,
                                 std::vector<Problem> &problems,
                                 llvm::StringRef path) {
  Growth growth;
  if (states.empty())
    return std::nullopt;
  const Producers producers(graph, proto);
  for (const onnx::ValueInfoProto &info : proto.input()) {
    auto state = states.find(info.name());
    if (state == states.end())
      continue;
    std::string result = state->second;
    const FlatNode *node = producers.find(result, info.name());
    const onnx::TensorShapeProto &shape = info.type().tensor_type().shape();
    const int64_t axis =
        node ? findAxis(*node, info.name(), shape.dim_size(), producers) : -1;
    if (axis < 0)
      continue;
    const std::string &name = shape.dim(int(axis)).dim_param();
    auto bound = options.dims.find(name);
    if (name.empty() || bound == options.dims.end())
      continue; // refused as a state of two shapes
    if (!growth.caches.empty() && bound->second != growth.past) {
      problems.push_back(
          {ProblemKind::Unsupported, path.str(), node->name, "Concat", "", 0,
           "the caches '" + growth.caches.front().input + "' and '" +
               info.name() + "' have " + std::to_string(growth.past) + " and " +
               std::to_string(bound->second) +
               " rows before a run, and all of a program grow alike",
           "give them one extent, or make a state of one of them only"});
      return std::nullopt;
    }
    growth.past = bound->second;
    growth.caches.push_back({info.name(), result, axis});
    if (!llvm::is_contained(growth.symbols, name))
      growth.symbols.push_back(name);
  }
  if (growth.caches.empty())
    return std::nullopt;
  if (growth.past < 0)
    return std::nullopt;
  const size_t known = problems.size();
  refuseOthers(growth, proto, producers, states, problems, path);
  if (problems.size() != known)
    return std::nullopt;
  // An extent of 1 would agree with any.
  growth.otherPast = growth.past + (growth.past > 1 ? -1 : 1);
  if (!options.growing.empty())
    growth.symbols = options.growing;
  return growth;
}

} // namespace fusec
