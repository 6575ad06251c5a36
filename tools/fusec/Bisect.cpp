// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/fusec/Bisect.h"

#include "codegen/Names.h"
#include "dialects/fuse/FuseOps.h"
#include "dialects/kernel/KernelOps.h"
#include "tools/fusec-ref/Interpreter.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

#include <map>

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
           uint64_t maxBytes)
      : model(model), watch(watch), inputs(inputs), tolerance(tolerance),
        maxBytes(maxBytes) {}

  llvm::Error findPlaces(ModuleOp fused, ModuleOp planned);
  llvm::Error run(ModuleOp fused);

  Bisection found;

private:
  llvm::Error see(const ref::Observation &seen);
  llvm::Error compare(const Place &place, const io::Tensor &expected);
  /// Runs the model for the results from number `first` on.
  llvm::Error capture(size_t first);

  Executable &model;
  LaunchWatch &watch;
  llvm::ArrayRef<io::Tensor> inputs;
  llvm::function_ref<io::Tolerance(io::ElementType)> tolerance;
  uint64_t maxBytes;
  std::vector<Place> places;
  std::vector<io::Tensor> outputs; ///< of the last run
  /// The operation in a group that computes a result -> its places.
  llvm::DenseMap<Operation *, SmallVector<size_t>> computedBy;
  bool isDone = false;
};

/// The launches of a program, by the text of their locations: those of a group
/// and of its launch are the same, whatever the kernel is called.
using Launches =
    std::map<std::string, std::vector<std::pair<uint32_t, kernel::LaunchOp>>>;

} // namespace

static std::string printed(Location location) {
  std::string text;
  llvm::raw_string_ostream os(text);
  location.print(os);
  return text;
}

/// The host program: the function whose trailing arguments are outputs.
static func::FuncOp findProgram(ModuleOp module) {
  for (auto function : module.getOps<func::FuncOp>())
    if (function->hasAttr("fuse.outputs"))
      return function;
  return {};
}

/// Those outside of loops, conditions and choices, with their numbers among
/// all.
static Launches findLaunches(func::FuncOp program) {
  Launches launches;
  uint32_t number = 0;
  program.walk([&](kernel::LaunchOp launch) {
    if (launch->getParentOp() == program)
      launches[printed(launch.getLoc())].push_back({number, launch});
    ++number;
  });
  return launches;
}

/// Where `memory` is; nothing if it is neither a whole buffer nor an output.
static std::optional<Memory> findMemory(Value memory, func::FuncOp program) {
  while (auto view = memory.getDefiningOp<kernel::ViewOp>()) {
    if (view.getIndex() || view.getStart() != 0)
      return std::nullopt;
    memory = view.getSource();
  }
  if (auto argument = dyn_cast<BlockArgument>(memory)) {
    auto numOutputs = program->getAttrOfType<IntegerAttr>("fuse.outputs");
    int64_t numInputs = program.getNumArguments() - numOutputs.getInt();
    return Memory{true, uint64_t(argument.getArgNumber() - numInputs)};
  }
  auto buffer = memory.getDefiningOp<kernel::BufferOp>();
  if (!buffer || !buffer.getOffset())
    return std::nullopt;
  return Memory{false, uint64_t(*buffer.getOffset())};
}

llvm::Error Bisector::findPlaces(ModuleOp fused, ModuleOp planned) {
  llvm::Expected<func::FuncOp> function = ref::findFunction(fused, "");
  if (!function)
    return function.takeError();
  func::FuncOp program = findProgram(planned);
  if (!program)
    return llvm::createStringError("the module after the last stage has no "
                                   "program that launches kernels");
  Launches launches = findLaunches(program);
  std::map<std::string, size_t> taken;
  function->walk([&](fuse::GroupOp group) {
    std::string text = printed(group.getLoc());
    const auto &alike = launches[text];
    size_t next = taken[text];
    if (group->getParentOp() != *function || next >= alike.size()) {
      ++found.unseen;
      return;
    }
    ++taken[text];
    auto [number, launch] = alike[next];
    auto yield = cast<fuse::YieldOp>(group.getBody().front().getTerminator());
    unsigned numResults = group.getNumResults();
    bool isSeen = false;
    for (auto [result, value, memory] :
         llvm::zip(group.getResults(), yield.getValues(),
                   launch->getOperands().take_back(numResults))) {
      auto type = cast<RankedTensorType>(result.getType());
      std::optional<Memory> place = findMemory(memory, program);
      Operation *op = value.getDefiningOp();
      if (!place || !op)
        continue;
      isSeen = true;
      computedBy[op].push_back(places.size());
      places.push_back({group, value, number,
                        uint64_t(type.getNumElements()) *
                            getTypeInfo(type.getElementType())->storageBytes(),
                        *place});
    }
    found.unseen += !isSeen;
  });
  return llvm::Error::success();
}

llvm::Error Bisector::capture(size_t first) {
  watch.clear();
  uint64_t bytes = 0;
  for (size_t number = first; number < places.size(); ++number) {
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
  if (find().empty())
    if (llvm::Error error = capture(number))
      return error;
  llvm::ArrayRef<char> bytes = find();
  if (bytes.size() != expected.bytes.size()) {
    ++found.unseen;
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
  return llvm::Error::success();
}

llvm::Error Bisector::see(const ref::Observation &seen) {
  auto numbers = computedBy.find(seen.op);
  if (numbers == computedBy.end())
    return llvm::Error::success();
  for (size_t number : numbers->second) {
    const Place &place = places[number];
    unsigned result = cast<OpResult>(place.result).getResultNumber();
    if (isDone)
      break;
    if (llvm::Error error = compare(place, *seen.results[result]))
      return error;
  }
  return llvm::Error::success();
}

llvm::Error Bisector::run(ModuleOp fused) {
  llvm::Error failure = llvm::Error::success();
  ref::Options options;
  options.observer = [&](const ref::Observation &seen) {
    if (!isDone && !failure)
      failure = see(seen);
  };
  auto outputs = ref::interpret(fused, inputs, options);
  if (failure)
    return llvm::joinErrors(std::move(failure), outputs.takeError());
  return outputs.takeError();
}

llvm::Expected<Bisection>
bisect(ModuleOp fused, ModuleOp planned, Executable &model, LaunchWatch &watch,
       llvm::ArrayRef<io::Tensor> inputs,
       llvm::function_ref<io::Tolerance(io::ElementType)> tolerance,
       uint64_t maxBytes) {
  Bisector bisector(model, watch, inputs, tolerance, maxBytes);
  if (llvm::Error error = bisector.findPlaces(fused, planned))
    return error;
  if (llvm::Error error = bisector.run(fused))
    return error;
  return std::move(bisector.found);
}

} // namespace fusec::tool
