// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/fusec/GrowingRuns.h"

#include "compiler/Driver.h"
#include "compiler/import/Problem.h"
#include "compiler/io/RandomTensor.h"
#include "tools/fusec/Progress.h"

#include "llvm/ADT/STLExtras.h"

using namespace mlir;

namespace fusec::tool {

/// Copies the elements of `from` whose indices are less than `extents` to the
/// same indices of `to`. No extent is greater than those of the two.
static void copyLeading(const io::Tensor &from, io::Tensor &to,
                        llvm::ArrayRef<int64_t> extents) {
  if (llvm::is_contained(extents, 0))
    return;
  const int64_t bytes = int64_t(from.bytes.size()) / from.numElements();
  const int64_t row = extents.empty() ? 1 : extents.back();
  int64_t rows = 1;
  for (int64_t extent : extents)
    rows *= extent;
  rows /= row;
  for (int64_t r = 0; r < rows; ++r) {
    int64_t source = 0, target = 0, rest = r, left = rows;
    for (size_t d = 0; d + 1 < extents.size(); ++d) {
      left /= extents[d];
      source = (source + rest / left) * from.shape[d + 1];
      target = (target + rest / left) * to.shape[d + 1];
      rest %= left;
    }
    std::copy_n(from.bytes.data() + source * bytes, row * bytes,
                to.bytes.data() + target * bytes);
  }
}

/// The elements of `tensor` at the start of each dimension, in the type of
/// `port`. Errors: they do not fit.
static llvm::Expected<io::Tensor> takeLeading(const io::Tensor &tensor,
                                              const io::TensorSpec &spec) {
  const bool fits =
      tensor.type == spec.type && tensor.shape.size() == spec.shape.size() &&
      llvm::all_of(llvm::zip(spec.shape, tensor.shape), [](auto pair) {
        auto [part, whole] = pair;
        return part <= whole;
      });
  if (!fits)
    return llvm::createStringError(
        "'" + tensor.name + "' is " + io::describe(tensor.type, tensor.shape) +
        " of the program, and " + io::describe(spec.type, spec.shape) +
        " of the model for as many rows as its caches hold");
  io::Tensor part = io::Tensor::zeros(spec.type, spec.shape, tensor.name);
  copyLeading(tensor, part, spec.shape);
  return part;
}

/// The one of `list` that is called so, or null.
template <typename T>
static const T *findCalled(llvm::ArrayRef<T> list, llvm::StringRef name) {
  auto found =
      llvm::find_if(list, [&](const T &one) { return one.name == name; });
  return found == list.end() ? nullptr : &*found;
}

std::optional<GrowingRuns> GrowingRuns::of(ModuleOp imported,
                                           const CompileOptions &options,
                                           const ref::Options &interpreting,
                                           Executable &model) {
  auto caches = GrowingCaches::of(imported);
  if (!caches)
    return std::nullopt;
  return GrowingRuns(*caches, options, interpreting, model,
                     *imported.getContext());
}

llvm::ArrayRef<fusec_state_desc> GrowingRuns::getStates() const {
  return {model.descriptor().states, model.descriptor().num_states};
}

const fusec_state_desc &GrowingRuns::getLength() const {
  return *llvm::find_if(getStates(), [](const fusec_state_desc &state) {
    return state.room != 0;
  });
}

std::vector<int64_t> GrowingRuns::listLengths() const {
  std::vector<int64_t> lengths;
  for (int64_t length = 0; length <= caches.past; ++length)
    if (isNearPowerOfTwo(length) || length + 1 >= caches.past)
      lengths.push_back(length);
  return lengths;
}

llvm::Expected<std::vector<int64_t>>
GrowingRuns::listCarried(unsigned steps) const {
  const int64_t room = caches.past + caches.rows;
  if (steps > room / caches.rows)
    return llvm::createStringError(
        "the caches have room for " + std::to_string(room) +
        " rows, of which each run adds " + std::to_string(caches.rows) +
        ": there are no " + std::to_string(steps) +
        " steps; give --steps fewer, or the caches more room");
  std::vector<int64_t> lengths;
  for (unsigned step = 0; step < steps; ++step)
    lengths.push_back(step * caches.rows);
  return lengths;
}

llvm::Expected<int64_t> GrowingRuns::readLength() const {
  auto states = model.readStates();
  if (!states)
    return states.takeError();
  return *findCalled<io::Tensor>(*states, getLength().tensor.name)
              ->data<int64_t>();
}

llvm::Error GrowingRuns::setLength(int64_t length) {
  io::Tensor value =
      io::Tensor::zeros(io::ElementType::I64, {1}, getLength().tensor.name);
  *value.data<int64_t>() = length;
  return model.setState(value);
}

/// Makes the caches of the session hold `length` rows. `arguments` are those of
/// the model for that many.
llvm::Error GrowingRuns::hold(int64_t length,
                              llvm::ArrayRef<ref::Port> arguments,
                              uint64_t seed) {
  auto states = model.readStates();
  if (!states)
    return states.takeError();
  const int64_t held = *findCalled<io::Tensor>(*states, getLength().tensor.name)
                            ->data<int64_t>();
  if (held == length)
    return llvm::Error::success();
  for (auto [number, state] : llvm::enumerate(*states)) {
    const ref::Port *argument = findCalled<ref::Port>(arguments, state.name);
    if (!argument || length < held)
      continue;
    std::vector<int64_t> known = state.shape;
    for (auto [extent, part] : llvm::zip_equal(known, argument->spec.shape))
      if (extent != part)
        extent = held;
    if (known == state.shape)
      continue;
    io::Tensor next = io::randomTensor(state.type, state.shape,
                                       io::inputSeed(seed, ~uint64_t(number)));
    next.name = state.name;
    copyLeading(state, next, known);
    if (llvm::Error error = model.setState(next))
      return error;
  }
  return setLength(length);
}

llvm::Expected<ComparedRun> GrowingRuns::run(llvm::ArrayRef<io::Tensor> inputs,
                                             int64_t length, uint64_t seed) {
  CompileOptions asExported = caches.at(options, length);
  asExported.import.states.clear();
  ImportResult imported = importModel(asExported, context);
  const std::string where =
      std::string(getLength().tensor.name) + "=" + std::to_string(length);
  if (!imported.module || !imported.problems.empty())
    return llvm::createStringError(
        "the model without --state is refused at " + where + ": " +
        (imported.problems.empty() ? "" : describe(imported.problems.front())));
  auto main = ref::findFunction(*imported.module, "");
  if (!main)
    return main.takeError();
  const std::vector<ref::Port> arguments = ref::getInputs(*main);
  if (llvm::Error error = hold(length, arguments, seed))
    return error;
  auto before = model.readStates();
  if (!before)
    return before.takeError();
  std::vector<io::Tensor> given;
  for (const ref::Port &port : arguments) {
    const io::Tensor *whole = findCalled<io::Tensor>(*before, port.name);
    if (!whole)
      for (auto [input, own] : llvm::zip_equal(model.inputs(), inputs))
        if (input.name == port.name)
          whole = &own;
    if (!whole)
      return llvm::createStringError("the program has no input '" + port.name +
                                     "', which the model has without --state");
    auto part = takeLeading(*whole, port.spec);
    if (!part)
      return part.takeError();
    given.push_back(std::move(*part));
  }
  reportProgress("running the reference interpreter at " + where);
  auto results = ref::interpret(*imported.module, given, interpreting);
  if (!results)
    return results.takeError();
  reportProgress("running the compiled model at " + where);
  auto actual = model.run(inputs);
  if (!actual)
    return actual.takeError();
  auto after = model.readStates();
  if (!after)
    return after.takeError();
  ComparedRun run;
  run.where = where;
  const std::vector<ref::Port> ports = ref::getOutputs(*main);
  for (auto [number, result] : llvm::enumerate(*results))
    result.name = ports[number].name;
  for (auto [port, mine] : llvm::zip_equal(model.outputs(), *actual)) {
    const io::Tensor *result = findCalled<io::Tensor>(*results, port.name);
    if (!result)
      return llvm::createStringError("the model has no output '" + port.name +
                                     "' without --state");
    auto part = takeLeading(mine, {result->type, result->shape});
    if (!part)
      return part.takeError();
    run.actual.push_back(std::move(*part));
    run.expected.push_back(*result);
  }
  for (auto [state, last, next] :
       llvm::zip_equal(getStates(), *before, *after)) {
    io::Tensor expected = last; // what lies behind the rows stays as it was
    if (const io::Tensor *result =
            findCalled<io::Tensor>(*results, state.output))
      copyLeading(*result, expected, result->shape);
    else
      *expected.data<int64_t>() = length + caches.rows;
    run.actual.push_back(next);
    run.expected.push_back(std::move(expected));
  }
  return run;
}

llvm::Expected<std::string>
GrowingRuns::runWithoutRoom(llvm::ArrayRef<io::Tensor> inputs) {
  if (llvm::Error error = setLength(caches.past + 1))
    return error;
  auto before = model.saveStates();
  if (!before)
    return before.takeError();
  auto results = model.run(inputs);
  if (results)
    return "a run that there is no room for is not refused";
  llvm::consumeError(results.takeError());
  auto after = model.saveStates();
  if (!after)
    return after.takeError();
  return *before == *after
             ? ""
             : "a run that is refused, for there is no room, changes states";
}

} // namespace fusec::tool
