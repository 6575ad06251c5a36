// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/fusec/GraphNodes.h"

#include "dialects/words/Plain.h"
#include "runtime/src/DeviceGraphs.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/raw_ostream.h"
#include <map>
#include <vector>

namespace json = llvm::json;
using fusec::rt::DeviceGraphs;
using fusec::rt::DeviceNodes;
using fusec::rt::DeviceSteps;

namespace fusec::tool {

namespace {

/// The steps of a graph, by their numbers in model.json.
using Members = std::vector<size_t>;

class Graphs {
public:
  explicit Graphs(json::Object &of) : model(of) {}

  void note(const Members &members);

private:
  /// Where a value would lie: temporaries in one arena, all else apart.
  const void *placeOf(size_t value) const;
  void access(DeviceSteps &steps, const json::Array *values,
              bool isWritten) const;
  /// Scratch memory is one piece for all kernels.
  uint64_t countScratch(const json::Object &step) const;

  json::Object &model;
};

} // namespace

static std::map<int64_t, Members> listGraphs(const json::Object &model) {
  std::map<int64_t, Members> graphs;
  for (auto [number, value] : llvm::enumerate(*model.getArray("steps")))
    if (auto graph = value.getAsObject()->getInteger("graph"))
      graphs[*graph].push_back(number);
  return graphs;
}

const void *Graphs::placeOf(size_t value) const {
  const json::Object &of = *(*model.getArray("values"))[value].getAsObject();
  // The arena is the piece with the number 1.
  constexpr unsigned kPiece = 44;
  const auto offset = of.getInteger("offset");
  const uintptr_t place = offset ? (uintptr_t(1) << kPiece) + *offset
                                 : uintptr_t(value + 2) << kPiece;
  return reinterpret_cast<const void *>(place);
}

void Graphs::access(DeviceSteps &steps, const json::Array *values,
                    bool isWritten) const {
  for (const json::Value &value : *values) {
    const auto number = static_cast<size_t>(*value.getAsInteger());
    const json::Object &of = *(*model.getArray("values"))[number].getAsObject();
    steps.access(placeOf(number), of.getInteger("bytes").value_or(0),
                 isWritten);
  }
}

uint64_t Graphs::countScratch(const json::Object &step) const {
  const auto launch = step.getInteger("launch");
  if (!launch)
    return 0;
  const json::Object &of =
      *(*model.getArray("launches"))[*launch].getAsObject();
  for (const json::Value &value : *model.getArray("groups")) {
    const json::Object &group = *value.getAsObject();
    if (group.getString("name") == of.getString("group"))
      return group.getInteger("workspace_bytes").value_or(0);
  }
  return 0;
}

void Graphs::note(const Members &members) {
  json::Array &all = *model.getArray("steps");
  uint32_t numMemories = 0;
  for (size_t number : members)
    for (llvm::StringRef key : {"reads", "writes"})
      numMemories += all[number].getAsObject()->getArray(key)->size() + 1;
  DeviceSteps steps;
  DeviceNodes nodes;
  const auto count = static_cast<uint32_t>(members.size());
  if (!steps.allocate(count, numMemories) ||
      !nodes.allocate(count, DeviceNodes::kUsualSpan))
    return;
  for (size_t number : members) {
    const json::Object &step = *all[number].getAsObject();
    steps.add(0, "", "", {});
    access(steps, step.getArray("reads"), false);
    access(steps, step.getArray("writes"), true);
    steps.access(reinterpret_cast<const void *>(64), countScratch(step), true);
  }
  nodes.order(steps, nullptr);
  std::map<uint32_t, size_t> stepsOfNodes;
  for (uint32_t i = 0; i < count; ++i)
    stepsOfNodes[nodes.getPlace(i)] = members[i];
  // A step continues the stream of one that it waits for, if nobody else does.
  std::map<size_t, int64_t> streams; ///< by the last step of each
  int64_t numStreams = 0;
  for (uint32_t i = 0; i < count; ++i) {
    const fusec_device_node &node = nodes.data()[nodes.getPlace(i)];
    json::Array after;
    int64_t stream = -1;
    for (uint32_t k = 0; k < node.num_before; ++k) {
      auto before = stepsOfNodes.find(node.before[k]);
      if (before == stepsOfNodes.end()) // a mark
        continue;
      after.push_back(int64_t(before->second));
      auto last = streams.find(before->second);
      if (stream >= 0 || last == streams.end())
        continue;
      stream = last->second;
      streams.erase(last);
    }
    if (stream < 0)
      stream = numStreams++;
    streams[members[i]] = stream;
    json::Object &step = *all[members[i]].getAsObject();
    step["after"] = std::move(after);
    step["stream"] = stream;
  }
}

void noteGraphs(json::Object &model) {
  Graphs graphs(model);
  for (const auto &[number, members] : listGraphs(model))
    graphs.note(members);
}

static std::string nameOf(const json::Object &model, size_t number) {
  const json::Object &step = *(*model.getArray("steps"))[number].getAsObject();
  if (auto launch = step.getInteger("launch"))
    return onOneLine((*model.getArray("launches"))[*launch]
                         .getAsObject()
                         ->getString("name")
                         .value_or(""));
  std::string name = step.getString("kind").value_or("").str();
  for (const json::Value &node : *step.getArray("nodes"))
    name += " " + onOneLine(node.getAsString().value_or(""));
  return name;
}

static void printGraph(const json::Object &model, const Members &members) {
  const json::Array &all = *model.getArray("steps");
  int64_t numStreams = 0;
  for (size_t member : members)
    numStreams = std::max(
        numStreams,
        all[member].getAsObject()->getInteger("stream").value_or(0) + 1);
  const bool isGraph = members.size() >= DeviceGraphs::kLeastSteps;
  llvm::outs() << (isGraph ? "\ngraph of " : "\n") << members.size()
               << (members.size() == 1 ? " step" : " steps");
  if (isGraph)
    llvm::outs() << " on " << numStreams
                 << (numStreams == 1 ? " stream" : " streams") << "\n";
  else
    llvm::outs() << ", launched one by one\n";
  for (size_t member : members) {
    const json::Object &step = *all[member].getAsObject();
    if (isGraph)
      llvm::outs() << "  stream " << step.getInteger("stream").value_or(0);
    llvm::outs() << "  " << nameOf(model, member);
    const json::Array *after = step.getArray("after");
    for (auto [i, before] : llvm::enumerate(after ? *after : json::Array()))
      llvm::outs() << (i ? ", " : "  after ")
                   << nameOf(model, size_t(*before.getAsInteger()));
    llvm::outs() << "\n";
  }
}

void printGraphs(const json::Object &model) {
  for (const auto &[number, members] : listGraphs(model))
    printGraph(model, members);
}

} // namespace fusec::tool
