// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/fusec/EntryRuns.h"

#include "tools/fusec/CarriedStates.h"
#include "tools/fusec/GrowingRuns.h"
#include "tools/fusec/Progress.h"

namespace fusec::tool {

/// How many steps are run of a model with states: what a run reads of them is
/// what the one before has written.
static constexpr unsigned kStepsWithStates = 3;

/// Compares what the model and the interpreter computed in a step. `rows` has
/// one for each of them, of all steps so far.
static llvm::Error compareStep(const ComparedRun &run,
                               const Reference &reference,
                               llvm::MutableArrayRef<Row> rows) {
  for (auto [mine, other, row] :
       llvm::zip_equal(run.actual, run.expected, rows)) {
    const io::ElementType type =
        io::getLessPrecise(mine.type, reference.narrowest);
    auto comparison = io::compare(
        mine, other, reference.tolerance.get(type, reference.opClass));
    if (!comparison)
      return comparison.takeError();
    // What is printed is the first step that is wrong, or the last one.
    if (row.verdict.passed)
      row.text = comparison->describe() +
                 (run.where.empty() ? "" : ", at " + run.where);
    row.verdict.add(*comparison);
  }
  return llvm::Error::success();
}

/// Runs the model, and the interpreter with states of its own.
static llvm::Expected<ComparedRun> runBoth(mlir::ModuleOp reference,
                                           const ref::Options &interpreting,
                                           CarriedStates &states,
                                           Executable &model,
                                           llvm::ArrayRef<io::Tensor> given) {
  reportProgress("running the reference interpreter");
  auto expected = ref::interpret(reference, states.join(given), interpreting);
  if (!expected)
    return expected.takeError();
  reportProgress("running the compiled model");
  auto actual = model.run(given);
  if (!actual)
    return actual.takeError();
  auto values = model.readStates();
  if (!values)
    return values.takeError();
  states.advance(*expected);
  llvm::append_range(*expected, states.getValues());
  llvm::append_range(*actual, *values);
  return ComparedRun{std::move(*actual), std::move(*expected), {}};
}

static llvm::ArrayRef<fusec_state_desc>
getStates(const fusec_model_desc &desc) {
  return {desc.states, desc.num_states};
}

/// How many rows a run adds to caches that grow.
static uint32_t countRows(const fusec_model_desc &desc) {
  uint32_t rows = 0;
  for (const fusec_state_desc &state : getStates(desc))
    rows = std::max(rows, state.rows);
  return rows;
}

/// Whether a session may run the two entries in turn.
static bool shareStates(const fusec_model_desc &one,
                        const fusec_model_desc &other) {
  return llvm::all_of(
      llvm::zip_equal(getStates(one), getStates(other)), [](auto pair) {
        const auto &[mine, others] = pair;
        return llvm::equal(
            llvm::ArrayRef(mine.tensor.dims, mine.tensor.rank),
            llvm::ArrayRef(others.tensor.dims, others.tensor.rank));
      });
}

/// Runs the entry that adds most rows to the caches, if it adds more than the
/// one of these `extents`, which the model has taken and takes again: what a
/// prompt is in front of the tokens that follow it.
static llvm::Error runPrompt(const RunOptions &arguments, Executable &model,
                             llvm::ArrayRef<int64_t> extents) {
  const fusec_model_desc &own = model.descriptor();
  uint32_t most = countRows(own);
  std::optional<size_t> prompt;
  for (size_t entry = 0; entry < model.countEntries(); ++entry)
    if (const fusec_model_desc &desc = model.getEntry(entry);
        countRows(desc) > most && shareStates(desc, own)) {
      most = countRows(desc);
      prompt = entry;
    }
  if (!prompt)
    return llvm::Error::success();
  if (llvm::Error error = model.takeEntry(*prompt))
    return error;
  auto inputs = arguments.makeInputs(model.inputs());
  if (!inputs)
    return inputs.takeError();
  if (auto results = model.run(*inputs); !results)
    return results.takeError();
  return model.takeExtents(extents);
}

/// The lengths of caches that grow at which the entry runs, one after the
/// other.
static llvm::Expected<std::vector<int64_t>>
listLengths(const RunOptions &arguments, const GrowingRuns &growing,
            Executable &model, llvm::ArrayRef<int64_t> extents) {
  if (arguments.steps)
    return growing.listCarried(arguments.steps);
  if (llvm::Error error = runPrompt(arguments, model, extents))
    return error;
  auto held = growing.readLength();
  if (!held)
    return held.takeError();
  std::vector<int64_t> lengths = growing.listLengths();
  if (*held)
    lengths.insert(lengths.begin(), *held);
  return lengths;
}

llvm::Expected<std::vector<Row>> compareEntry(const RunOptions &arguments,
                                              const Reference &reference,
                                              Executable &model,
                                              llvm::ArrayRef<int64_t> extents) {
  auto main = ref::findFunction(reference.module, "");
  if (!main)
    return main.takeError();
  if (llvm::Error error = model.resetStates())
    return error;
  CarriedStates states(*main);
  std::optional<GrowingRuns> growing = GrowingRuns::of(
      reference.module, reference.options, reference.interpreting, model);
  std::vector<int64_t> lengths;
  if (growing) {
    auto listed = listLengths(arguments, *growing, model, extents);
    if (!listed)
      return listed.takeError();
    lengths = std::move(*listed);
  }
  const unsigned steps = growing           ? unsigned(lengths.size())
                         : arguments.steps ? arguments.steps
                         : states.empty()  ? 1
                                           : kStepsWithStates;
  auto inputs = arguments.makeSteps(model.inputs(), steps);
  if (!inputs)
    return inputs.takeError();
  const std::string entry = model.describeExtents(extents);
  std::vector<Row> rows;
  for (const auto &ports : {model.outputs(), model.states()})
    for (const ref::Port &port : ports)
      rows.push_back({entry, port.name, {}, {}});
  for (auto [step, given] : llvm::enumerate(*inputs)) {
    auto run = growing
                   ? growing->run(given, lengths[step], arguments.seed + step)
                   : runBoth(reference.module, reference.interpreting, states,
                             model, given);
    if (!run)
      return run.takeError();
    if (llvm::Error error = compareStep(*run, reference, rows))
      return error;
  }
  for (Row &row : rows)
    row.text += steps > 1 ? ", in " + std::to_string(steps) + " steps" : "";
  if (growing) {
    auto wrong = growing->runWithoutRoom(inputs->back());
    if (!wrong)
      return wrong.takeError();
    if (!wrong->empty()) {
      rows.push_back({entry, "a full cache", {}, *wrong});
      rows.back().verdict.passed = false;
    }
  }
  clearProgress();
  return rows;
}

} // namespace fusec::tool
