// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/fusec/Bisect.h"

#include "codegen/Names.h"
#include "dialects/words/Plain.h"
#include "tools/fusec/GroupLaunches.h"

using namespace mlir;

namespace fusec::tool {

namespace {

/// Where a kernel leaves a result.
struct Memory {
  bool isOutput = false; ///< of the model, and then number `at`; else `at` is
  uint64_t at = 0;       ///< its offset in the arena
};

/// A result of a group, and where its kernel leaves it.
struct Place {
  fuse::GroupOp group;
  Value result;
  uint32_t launch = 0;
  uint64_t bytes = 0;
  Memory memory;
};

/// Compares results as the interpreter comes to them.
class Bisector {
public:
  Bisector(Executable &model, LaunchWatch &watch,
           llvm::ArrayRef<io::Tensor> inputs,
           llvm::function_ref<io::Tolerance(io::ElementType)> tolerance,
           ResultListener listener, uint64_t maxBytes)
      : model(model), watch(watch), inputs(inputs), tolerance(tolerance),
        listener(listener), maxBytes(maxBytes) {}

  llvm::Error findPlaces(ModuleOp fused, ModuleOp planned);
  llvm::Error run(ModuleOp fused, ref::Options options);

  Bisection found;

private:
  llvm::Error see(const ref::Observation &seen);
  llvm::Error compare(const Place &place, const io::Tensor &expected);
  /// Sees what it can of the results of `group`, which `launch` has. False if
  /// that is nothing.
  bool addPlaces(fuse::GroupOp group, uint32_t number, kernel::LaunchOp launch);
  /// Runs the model for the results from number `first` on.
  llvm::Error capture(size_t first);

  Executable &model;
  LaunchWatch &watch;
  llvm::ArrayRef<io::Tensor> inputs;
  llvm::function_ref<io::Tolerance(io::ElementType)> tolerance;
  ResultListener listener;
  uint64_t maxBytes;
  func::FuncOp program;
  std::optional<ChoicesLeft> choices;
  std::vector<Place> places;
  std::vector<io::Tensor> outputs; ///< of the last run
  size_t captured = 0;             ///< behind the last place that it was for
  /// The operation in a group that computes a result -> its places.
  llvm::DenseMap<Operation *, SmallVector<size_t>> computedBy;
  bool isDone = false;
};

} // namespace

/// The host program: the function whose trailing arguments are outputs.
static func::FuncOp findProgram(ModuleOp module) {
  for (auto function : module.getOps<func::FuncOp>())
    if (function->hasAttr("fuse.outputs"))
      return function;
  return {};
}

/// Where `memory` is, in the first iteration of the loops around it; nothing if
/// it is neither in a buffer nor a whole output.
static std::optional<Memory> findMemory(Value memory, func::FuncOp program) {
  uint64_t start = 0; // in bytes
  while (true) {
    if (auto view = memory.getDefiningOp<kernel::ViewOp>()) {
      auto type = cast<MemRefType>(view.getSource().getType());
      start += uint64_t(view.getStart()) *
               getTypeInfo(type.getElementType())->storageBytes();
      memory = view.getSource();
      continue;
    }
    auto argument = dyn_cast<BlockArgument>(memory);
    auto repeat =
        argument
            ? dyn_cast<kernel::RepeatOp>(argument.getOwner()->getParentOp())
            : nullptr;
    if (!repeat)
      break;
    memory = repeat.getSwaps()[argument.getArgNumber() - 1];
  }
  if (auto argument = dyn_cast<BlockArgument>(memory)) {
    auto numOutputs = program->getAttrOfType<IntegerAttr>("fuse.outputs");
    int64_t numInputs = program.getNumArguments() - numOutputs.getInt();
    if (start != 0 || argument.getArgNumber() < numInputs)
      return std::nullopt;
    return Memory{true, uint64_t(argument.getArgNumber() - numInputs)};
  }
  auto buffer = memory.getDefiningOp<kernel::BufferOp>();
  if (!buffer || !buffer.getOffset())
    return std::nullopt;
  return Memory{false, uint64_t(*buffer.getOffset()) + start};
}

llvm::Error Bisector::findPlaces(ModuleOp fused, ModuleOp planned) {
  llvm::Expected<func::FuncOp> function = ref::findFunction(fused, "");
  if (!function)
    return function.takeError();
  program = findProgram(planned);
  if (!program)
    return llvm::createStringError("the module after the last stage has no "
                                   "program that launches kernels");
  choices.emplace(program);
  for (auto [group, launch] : findGroupLaunches(*function, program, *choices))
    if (!launch || !addPlaces(group, launch->first, launch->second))
      found.unseen.push_back(group.getSymName().str());
  return llvm::Error::success();
}

bool Bisector::addPlaces(fuse::GroupOp group, uint32_t number,
                         kernel::LaunchOp launch) {
  auto yield = cast<fuse::YieldOp>(group.getBody().front().getTerminator());
  bool isSeen = false;
  for (auto [result, value, memory] :
       llvm::zip(group.getResults(), yield.getValues(),
                 launch->getOperands().take_back(group.getNumResults()))) {
    std::optional<Memory> place = findMemory(memory, program);
    Operation *op = value.getDefiningOp();
    const uint64_t bytes = countBytes(result.getType());
    // Behind the results there may be workspace.
    if (!place || !op || countBytes(memory.getType()) != bytes)
      continue;
    // An output has what the last iteration left there.
    if (place->isOutput && group->getParentOfType<fuse::LoopOp>())
      continue;
    isSeen = true;
    computedBy[op].push_back(places.size());
    places.push_back({group, value, number, bytes, *place});
  }
  return isSeen;
}

llvm::Error Bisector::capture(size_t first) {
  watch.clear();
  uint64_t bytes = 0;
  for (captured = first; captured < places.size(); ++captured) {
    const size_t number = captured;
    const Place &place = places[number];
    if (number > first && bytes + place.bytes > maxBytes)
      break;
    if (place.memory.isOutput)
      continue;
    watch.want(place.launch, place.memory.at, place.bytes, number);
    bytes += place.bytes;
  }
  auto results = model.run(inputs);
  if (!results)
    return results.takeError();
  outputs = std::move(*results);
  return llvm::Error::success();
}

llvm::Error Bisector::compare(const Place &place, const io::Tensor &expected) {
  size_t number = &place - places.data();
  auto find = [&]() -> llvm::ArrayRef<char> {
    if (place.memory.isOutput && !outputs.empty())
      return outputs[place.memory.at].bytes;
    if (const std::vector<char> *copy = watch.find(number))
      return *copy;
    return {};
  };
  if (number >= captured)
    if (llvm::Error error = capture(number))
      return error;
  llvm::ArrayRef<char> bytes = find();
  if (bytes.empty()) // an alternative that this session does not take
    return llvm::Error::success();
  if (bytes.size() != expected.bytes.size()) {
    fuse::GroupOp group = place.group;
    found.unseen.push_back(group.getSymName().str());
    return llvm::Error::success();
  }
  io::Tensor actual = io::Tensor::zeros(expected.type, expected.shape, "");
  llvm::copy(bytes, actual.bytes.begin());
  auto comparison = io::compare(actual, expected, tolerance(expected.type));
  if (!comparison)
    return comparison.takeError();
  isDone = !comparison->passed();
  fuse::GroupOp group = place.group;
  KernelResult result{group.getSymName().str(),
                      {},
                      codegen::firstName(place.result.getLoc()).str(),
                      *comparison};
  for (StringRef node : codegen::collectNames(group.getLoc()))
    result.nodes.push_back(node.str());
  found.results.push_back(std::move(result));
  return listener(found.results.back(), actual, expected);
}

llvm::Error Bisector::see(const ref::Observation &seen) {
  auto found = computedBy.find(seen.op);
  if (found == computedBy.end())
    return llvm::Error::success();
  const SmallVector<size_t> numbers = std::move(found->second);
  computedBy.erase(found); // in a loop the first iteration is compared
  for (size_t number : numbers) {
    const Place &place = places[number];
    unsigned result = cast<OpResult>(place.result).getResultNumber();
    if (isDone)
      break;
    if (llvm::Error error = compare(place, *seen.results[result]))
      return error;
  }
  return llvm::Error::success();
}

llvm::Error Bisector::run(ModuleOp fused, ref::Options options) {
  llvm::Error failure = llvm::Error::success();
  options.alternatives = [&](fuse::ChoiceOp choice, unsigned number) {
    return choices->has(choice.getSymName(),
                        cast<StringAttr>(choice.getAlgorithms()[number]));
  };
  options.observer = [&](const ref::Observation &seen) {
    if (!isDone && !failure)
      failure = see(seen);
  };
  auto outputs = ref::interpret(fused, inputs, options);
  if (failure)
    return llvm::joinErrors(std::move(failure), outputs.takeError());
  return outputs.takeError();
}

static std::string count(size_t number, const char *one, const char *several) {
  return std::to_string(number) + " " + (number == 1 ? one : several);
}

std::string describe(const Bisection &bisection) {
  std::string unseen;
  if (!bisection.unseen.empty()) {
    constexpr size_t most = 4;
    unseen = "; " +
             count(bisection.unseen.size(),
                   "kernel leaves no result as a whole, and is",
                   "kernels leave no result as a whole, and are") +
             " not compared: " +
             onOneLine(llvm::join(
                 llvm::ArrayRef(bisection.unseen).take_front(most), ", ")) +
             (bisection.unseen.size() > most ? ", ..." : "");
  }
  if (!bisection.findsFault())
    return count(bisection.results.size(), "result of a kernel passed",
                 "results of kernels passed") +
           unseen;
  const KernelResult &bad = bisection.results.back();
  return std::string("the first bad kernel") +
         (unseen.empty() ? "" : " of those that are compared") + " is '" +
         onOneLine(bad.kernel) + "', in its result '" + onOneLine(bad.name) +
         "' of the nodes " + onOneLine(llvm::join(bad.nodes, ", ")) + ": " +
         bad.comparison.describe() + unseen;
}

llvm::Expected<Bisection>
bisect(ModuleOp fused, ModuleOp planned, Executable &model, LaunchWatch &watch,
       llvm::ArrayRef<io::Tensor> inputs,
       llvm::function_ref<io::Tolerance(io::ElementType)> tolerance,
       const ref::Options &interpreting, ResultListener listener,
       uint64_t maxBytes) {
  Bisector bisector(model, watch, inputs, tolerance, listener, maxBytes);
  if (llvm::Error error = bisector.findPlaces(fused, planned))
    return error;
  if (llvm::Error error = bisector.run(fused, interpreting))
    return error;
  return std::move(bisector.found);
}

} // namespace fusec::tool
