// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "codegen/HostGraph.h"

#include "codegen/Names.h"
#include "dialects/library/Declared.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace fusec::codegen {

namespace {
struct HostValue {
  StringRef kind; ///< "input", "output", "weight" or "temporary"
  std::string name;
  MemRefType type;
  int64_t offset = -1; ///< of a temporary: in its arena
};

struct HostStep {
  StringRef kind; ///< "launch", "call", "copy" or "fill"
  int64_t index;  ///< among the launches or calls, else -1
  int64_t depth;  ///< loops, branches and choices around it
  /// Of a program for a device where it is done, "device", "host" or, between
  /// the two, "to_device" or "to_host"; empty otherwise.
  StringRef device;
  /// Which steps of a device one graph may have, by its number; -1 for others.
  int64_t graph;
  std::vector<std::string> nodes;
  SmallVector<int64_t> reads, writes;
};

/// Nodes for which nothing runs: their result is another value's memory.
struct HostView {
  std::vector<std::string> nodes;
  int64_t value;
};

class HostGraph {
public:
  explicit HostGraph(const ModelInfo &model);

  std::vector<HostValue> values;
  std::vector<HostStep> steps;
  std::vector<HostView> views;

private:
  void visit(Block &block);
  void visit(Operation &op);
  void add(Value value, StringRef kind, const std::string &name);
  void keepOwnViews();
  /// What follows is another graph. Alternatives that are not taken do nothing.
  void endGraph() { graphs += !isOther; }
  StringRef placeOf(Operation &op) const;
  HostStep &addStep(Operation &op, StringRef kind, int64_t index = -1);
  void read(HostStep &step, ValueRange operands) { list(step.reads, operands); }
  void write(HostStep &step, ValueRange operands) {
    list(step.writes, operands);
  }
  void list(SmallVector<int64_t> &to, ValueRange operands);

  const ModelInfo &model;
  llvm::DenseMap<Value, int64_t> numbers;
  llvm::StringMap<int64_t>
      weights;                   ///< a weight is one value wherever it is read
  llvm::StringSet<> weightNames; ///< in the model
  int64_t launches = 0, calls = 0, depth = 0, graphs = 0;
  /// In an alternative that a choice does not take by itself.
  bool isOther = false;
};
} // namespace

HostGraph::HostGraph(const ModelInfo &model) : model(model) {
  for (const TensorInfo &input : model.inputs)
    add(input.argument, "input", input.name);
  for (const StateInfo &state : model.states)
    add(state.past.argument, "input", state.past.name);
  for (const TensorInfo &output : model.outputs)
    add(output.argument, "output", output.name);
  for (const StateInfo &state : model.states)
    add(state.present.argument, "output", state.present.name);
  visit(func::FuncOp(model.main).getBody().front());
  keepOwnViews();
}

/// Leaves those of nodes that are part of no step: a view that a kernel has its
/// arrays through bears the names of what computes or holds them.
void HostGraph::keepOwnViews() {
  llvm::StringSet<> known = std::move(weightNames);
  for (const TensorInfo &input : model.inputs)
    known.insert(input.name);
  for (const StateInfo &state : model.states)
    known.insert(state.past.name);
  for (const GroupInfo &group : model.groups)
    known.insert(group.nodes.begin(), group.nodes.end());
  for (const HostStep &step : steps)
    known.insert(step.nodes.begin(), step.nodes.end());
  for (HostView &view : views)
    llvm::erase_if(view.nodes, [&](const std::string &node) {
      return !known.insert(node).second;
    });
  llvm::erase_if(views,
                 [](const HostView &view) { return view.nodes.empty(); });
}

void HostGraph::add(Value value, StringRef kind, const std::string &name) {
  numbers[value] = values.size();
  values.push_back({kind, name, cast<MemRefType>(value.getType())});
}

StringRef HostGraph::placeOf(Operation &op) const {
  if (!model.isForDevice())
    return "";
  if (auto copy = dyn_cast<kernel::CopyOp>(op)) {
    const bool from = kernel::isOnHost(copy.getSource().getType()),
               to = kernel::isOnHost(copy.getTarget().getType());
    return from == to ? (to ? "host" : "device") : to ? "to_host" : "to_device";
  }
  auto fill = dyn_cast<kernel::FillOp>(op);
  auto call = dyn_cast<kernel::CallOp>(op);
  const bool isOnHost =
      (call && !library::launchesKernels(call.getParameters())) ||
      (fill && kernel::isOnHost(fill.getTarget().getType()));
  return isOnHost ? "host" : "device";
}

HostStep &HostGraph::addStep(Operation &op, StringRef kind, int64_t index) {
  HostStep step{kind, index, depth, placeOf(op), -1, {}, {}, {}};
  if (step.device == "device" && kind != "call")
    step.graph = isOther ? -1 : graphs;
  else
    endGraph(); // the host waits, or gives the stream to others
  for (StringRef node : collectNames(op.getLoc()))
    step.nodes.push_back(node.str());
  steps.push_back(std::move(step));
  return steps.back();
}

void HostGraph::list(SmallVector<int64_t> &to, ValueRange operands) {
  llvm::SmallDenseSet<int64_t> known(to.begin(), to.end());
  for (Value operand : operands)
    if (auto found = numbers.find(operand);
        found != numbers.end() && known.insert(found->second).second)
      to.push_back(found->second);
}

void HostGraph::visit(Block &block) {
  for (Operation &op : block)
    visit(op);
}

void HostGraph::visit(Operation &op) {
  auto inside = [&](Region &region) {
    ++depth;
    visit(region.front());
    --depth;
  };
  auto insideApart = [&](Region &region) {
    endGraph();
    inside(region);
    endGraph();
  };
  llvm::TypeSwitch<Operation *>(&op)
      .Case([&](kernel::WeightOp weight) {
        auto [known, isNew] = weights.try_emplace(weight.getWeight());
        if (isNew) {
          known->second = values.size();
          add(weight, "weight", weight.getWeight().str());
        }
        numbers[weight] = known->second;
        for (StringRef name : collectNames(weight.getLoc()))
          weightNames.insert(name);
      })
      .Case([&](kernel::BufferOp buffer) {
        add(buffer, "temporary", firstName(buffer.getLoc()).str());
        values.back().offset = buffer.getOffset().value_or(-1);
      })
      .Case([&](kernel::ViewOp view) {
        int64_t value = numbers.lookup(view.getSource());
        numbers[view] = value;
        views.push_back({{}, value});
        for (StringRef node : collectNames(view.getLoc()))
          views.back().nodes.push_back(node.str());
      })
      .Case([&](kernel::LaunchOp launch) {
        const LaunchInfo &info = model.launches[launches];
        kernel::FuncOp func = model.groups[info.group].variants.front().func;
        HostStep &step = addStep(op, "launch", launches++);
        unsigned inputs = func.getNumInputs();
        read(step, launch.getOperands().take_front(inputs));
        write(step, launch.getOperands().drop_front(inputs));
      })
      .Case([&](kernel::CallOp call) {
        HostStep &step = addStep(op, "call", calls++);
        read(step, call.getInputs());
        write(step, call.getOutputs());
      })
      .Case([&](kernel::CopyOp copy) {
        HostStep &step = addStep(op, "copy");
        read(step, copy.getSource());
        write(step, copy.getTarget());
      })
      .Case([&](kernel::FillOp fill) {
        write(addStep(op, "fill"), fill.getTarget());
      })
      .Case([&](kernel::RepeatOp repeat) {
        // Carried values change places: what an iteration writes, the next
        // reads.
        OperandRange swaps = repeat.getSwaps();
        for (unsigned i = 0; i < repeat.getNumResults(); ++i) {
          numbers[repeat.getNow(i)] = numbers.lookup(swaps[2 * i]);
          numbers[repeat.getNext(i)] = numbers.lookup(swaps[2 * i + 1]);
          numbers[repeat.getResult(i)] = numbers.lookup(swaps[2 * i + 1]);
        }
        insideApart(repeat.getBody());
      })
      .Case([&](kernel::BranchOp branch) {
        insideApart(branch.getThenBody());
        insideApart(branch.getElseBody());
      })
      .Case([&](kernel::ChoiceOp choice) {
        const bool wasOther = isOther;
        for (auto [number, alternative] :
             llvm::enumerate(choice.getAlternatives())) {
          isOther = wasOther || number != 0;
          inside(alternative);
        }
        isOther = wasOther;
      });
}

static void numbersOf(llvm::json::OStream &json, StringRef key,
                      ArrayRef<int64_t> list) {
  json.attributeArray(key, [&] {
    for (int64_t number : list)
      json.value(number);
  });
}

static void nodesOf(llvm::json::OStream &json, ArrayRef<std::string> nodes) {
  json.attributeArray("nodes", [&] {
    for (const std::string &node : nodes)
      json.value(llvm::json::fixUTF8(node));
  });
}

static void print(llvm::json::OStream &json, const HostValue &value) {
  json.attribute("name", llvm::json::fixUTF8(value.name));
  json.attribute("kind", value.kind);
  json.attribute("dtype", dtypeName(value.type));
  numbersOf(json, "dims", value.type.getShape());
  json.attribute("bytes", byteSize(value.type));
  if (value.offset >= 0)
    json.attribute("offset", value.offset);
}

static void print(llvm::json::OStream &json, const HostStep &step) {
  json.attribute("kind", step.kind);
  if (step.index >= 0)
    json.attribute(step.kind, step.index);
  if (step.depth)
    json.attribute("depth", step.depth);
  if (!step.device.empty())
    json.attribute("device", step.device);
  if (step.graph >= 0)
    json.attribute("graph", step.graph);
  nodesOf(json, step.nodes);
  numbersOf(json, "reads", step.reads);
  numbersOf(json, "writes", step.writes);
}

void printHostGraph(llvm::json::OStream &json, const ModelInfo &model) {
  HostGraph graph(model);
  json.attributeArray("values", [&] {
    for (const HostValue &value : graph.values)
      json.object([&] { print(json, value); });
  });
  json.attributeArray("steps", [&] {
    for (const HostStep &step : graph.steps)
      json.object([&] { print(json, step); });
  });
  if (model.isForDevice()) {
    json.attribute("fills",
                   llvm::count_if(graph.steps, [](const HostStep &step) {
                     return step.kind == "fill";
                   }));
    json.attribute("copies",
                   llvm::count_if(graph.steps, [](const HostStep &step) {
                     return step.device.starts_with("to_");
                   }));
  }
  if (graph.views.empty())
    return;
  json.attributeArray("views", [&] {
    for (const HostView &view : graph.views)
      json.object([&] {
        nodesOf(json, view.nodes);
        json.attribute("value", view.value);
      });
  });
}

} // namespace fusec::codegen
