// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Options of the subcommands that run a model.
#ifndef FUSEC_TOOLS_FUSEC_RUNOPTIONS_H
#define FUSEC_TOOLS_FUSEC_RUNOPTIONS_H

#include "tools/fusec/Executable.h"
#include "tools/fusec/TestData.h"

#include "llvm/Support/JSON.h"

namespace fusec::tool {

/// Which model runs how, on which inputs.
struct RunOptions {
  ModelOptions model;
  std::vector<std::string> inputs; ///< NAME=FILE
  uint64_t seed = 0;
  unsigned threads = 0;

  /// MODEL (described by `what`), the options of compilation, and --input,
  /// --seed, --threads.
  void add(CLI::App &command, const char *what);

  /// This machine, with these threads and its compiler, if it has one.
  fast_run::Backend getBackend() const;
  /// Before anything is built: whether there can be so many threads. Takes the
  /// extents that are left open from the inputs' files, and from those of the
  /// folder `testData`. Reads the caches, of which records count that are of
  /// these threads and of the compiler of this machine.
  ExitCode prepare(CompileOptions &options,
                   llvm::StringRef testData = "") const;
  /// Takes the entry of a model with several that the files of the inputs fit,
  /// or without files the first one, and says which; an error lists all where
  /// none fits.
  llvm::Error pickEntry(Executable &model, llvm::raw_ostream &os) const;
  /// The inputs: from files, else random.
  llvm::Expected<std::vector<io::Tensor>>
  makeInputs(llvm::ArrayRef<ref::Port> ports) const;
  /// The same for each of `steps` runs: the rows of files that have so many
  /// along a dimension in front of the input's own, and other random numbers.
  llvm::Expected<std::vector<std::vector<io::Tensor>>>
  makeSteps(llvm::ArrayRef<ref::Port> ports, unsigned steps) const;

  /// How many runs follow one another; 0: one, whose files have no rows for it.
  unsigned steps = 0;
};

/// The ports of arrays with a row for each of so many steps.
std::vector<ref::Port> stack(llvm::ArrayRef<ref::Port> ports, unsigned steps);

/// The same, of results that are compared with others.
struct CheckedRunOptions : RunOptions {
  std::string variant, device, weights;
  unsigned markEvery = 0; ///< fusec_session_options::mark_every
  ToleranceOptions tolerance;

  /// The above, and --rtol, --atol, --variant, --device.
  void add(CLI::App &command, const char *what);

  /// Loads the model with these threads, this variant, this device and these
  /// weights.
  llvm::Expected<std::unique_ptr<Executable>>
  load(const BuiltModel &built, LaunchTrace *trace = nullptr,
       fusec_tuner *tuner = nullptr, LaunchWatch *watch = nullptr) const;
};

/// What kernels were taken, what they ran on, and what was found wrong.
void addPlace(llvm::json::OStream &json, const Executable &model);
/// Prints what kernels were taken, and what they ran on, of a model with some
/// for GPUs; of others --target says all.
void printPlace(const Executable &model, llvm::raw_ostream &os);
/// Prints what was found wrong with kernels that ran, and whether there was
/// anything.
bool printFindings(const Executable &model, llvm::raw_ostream &os);

/// How often a model is timed, unless --runs says otherwise.
inline constexpr unsigned kDefaultRuns = 20;
/// Adds --runs.
void addRuns(CLI::App &command, unsigned &runs);

/// Adds --steps.
void addSteps(CLI::App &command, unsigned &steps, const char *help);

/// Refuses an empty path, as of a variable that is not set.
CLI::Validator notEmpty();
/// Refuses what is not a number of 1 or more.
CLI::Validator atLeastOne();

/// Adds an option that may be repeated, each time with one NAME=FILE.
void addFileOption(CLI::App &command, const char *name,
                   std::vector<std::string> &list, const char *help);

} // namespace fusec::tool

#endif // FUSEC_TOOLS_FUSEC_RUNOPTIONS_H
