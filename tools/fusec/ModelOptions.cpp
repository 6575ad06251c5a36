// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/fusec/ModelOptions.h"

#include "compiler/Rules.h"
#include "compiler/import/FunctionFiles.h"
#include "compiler/rules/RuleLibrary.h"
#include "dialects/library/Library.h"
#include "passes/graph/Algorithms.h"
#include "tools/CommandLine.h"
#include "tools/fusec/Command.h"
#include "tools/fusec/OptionChecks.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include <filesystem>
#include <map>

namespace fusec::tool {

std::pair<std::string, std::string> splitAssignment(const std::string &text,
                                                    const std::string &option) {
  size_t at = text.rfind('=');
  if (at == std::string::npos || at == 0 || at + 1 == text.size())
    throw UsageError{option + " " + text + ": expected NAME=VALUE"};
  return {text.substr(0, at), text.substr(at + 1)};
}

void refuseOverwriting(const CompileOptions &options, const std::string &option,
                       const std::string &file) {
  std::vector<std::string> inputs{options.input, options.lock,
                                  options.entriesFile};
  llvm::append_range(inputs, options.ruleLibraries);
  for (const auto &[name, value] : options.import.binds)
    inputs.push_back(value);
  for (const std::string &input : inputs)
    if (!file.empty() && llvm::sys::fs::is_regular_file(input) &&
        llvm::sys::fs::equivalent(file, input))
      throw UsageError{option + " " + file +
                       ": would overwrite what the compilation reads; name "
                       "another file"};
}

void refuseSameFile(
    const std::vector<std::pair<std::string, std::string>> &written) {
  std::map<std::filesystem::path, std::string> options;
  for (const auto &[option, file] : written) {
    if (file.empty())
      continue;
    std::error_code ignored;
    std::filesystem::path path = std::filesystem::weakly_canonical(
        std::filesystem::absolute(file, ignored), ignored);
    auto [first, isNew] = options.try_emplace(path, option);
    if (!isNew)
      throw UsageError{option + " " + file + ": " + first->second +
                       " writes the same file; name another one"};
  }
}

void ModelOptions::addModel(CLI::App &command, const char *what) {
  command.add_option("MODEL", compile.input, what)->required();
}

void ModelOptions::addImport(CLI::App &command) {
  entries.add(command);
  command
      .add_option("--shape", shapes,
                  "Sets the shape of an input, as in --shape image=1x3x224x224")
      ->type_name("INPUT=SHAPE")
      ->allow_extra_args(false);
  command
      .add_option("--bind", binds,
                  "Makes an input a constant, with the value in a file (.npy, "
                  ".pb or raw)")
      ->type_name("INPUT=FILE")
      ->allow_extra_args(false);
  command
      .add_option("--ops", compile.import.ops,
                  "Operators of your own, which nodes of the model name: "
                  "libraries, which fusec op build makes, text of operators "
                  "(.fop), functions of ONNX, in a model, or folders with such "
                  "(fusec op add)")
      ->type_name("FILE")
      ->delimiter(',')
      ->allow_extra_args(false);
  command
      .add_option("--max-trips", compile.import.maxTrips,
                  "The most iterations of a loop whose trip count, or end, the "
                  "run time knows and whose rows are an output: N rows, 0 "
                  "where it ended before")
      ->check(CLI::Range(int64_t(1), int64_t(1) << 31))
      ->type_name("N");
  command
      .add_option("--count", compile.import.counts,
                  "Adds an output NAME_count: how many rows of the output NAME "
                  "hold something, where the run time decides that")
      ->type_name("NAME")
      ->allow_extra_args(false);
  command
      .add_option("--state", compile.import.states,
                  "Carries the output OUTPUT to the next run's input INPUT: "
                  "the session holds it, from zeros on, and neither is given "
                  "any more; patterns as in past_*=present_* name several, and "
                  "auto finds those that are called alike")
      ->type_name("INPUT=OUTPUT")
      ->allow_extra_args(false);
}

void ModelOptions::addLevel(CLI::App &command) {
  command
      .add_option("-O,--level", compile.level,
                  "How much the graph is optimised: 0, a kernel for each "
                  "primitive, as the model is written; 1, rewrites that keep "
                  "the bits of level 0, in which each sum keeps its order; 2, "
                  "fusion, and rewrites that round in another way; 3, weights "
                  "in the order of their loads, too")
      ->check(oneOf({"0", "1", "2", "3"}))
      ->capture_default_str();
  command
      .add_option("--disable-rule", compile.disabledRules,
                  "Rules of the optimiser that are not applied, or pieces of "
                  "several, as in --disable-rule=powers,factors.combine; "
                  "fusec compile --list-rules lists them")
      ->delimiter(',')
      ->type_name("RULE")
      ->allow_extra_args(false);
}

/// Refuses libraries of rules that cannot be used, and names of rules that
/// there are not.
static void checkRules(const CompileOptions &options) {
  std::vector<std::string> names;
  for (const Rule &rule : listAllRules(options)) {
    names.push_back(rule.name.str());
    names.push_back(rule.getPiece().str());
  }
  for (const std::string &name : options.disabledRules)
    if (!llvm::is_contained(names, name))
      throw UsageError{"--disable-rule: there is no rule or piece '" + name +
                       "'; " +
                       joinHints(didYouMean(name, names),
                                 "fusec compile --list-rules lists them")};
}

/// The names of rows of the table of targets that are for devices, or are not.
static std::vector<std::string> listRows(bool areDevices) {
  std::vector<std::string> names;
  for (const TargetInfo &target : getTargets())
    if (target.platform->isDevice == areDevices)
      names.push_back(target.name.str());
  return names;
}

llvm::SmallVector<Rule> listAllRules(const CompileOptions &options) {
  auto foreign = listForeignRules(options.ruleLibraries);
  if (!foreign)
    llvm::handleAllErrors(
        foreign.takeError(), [](const rules::RuleLibraryError &error) {
          throw InputError{error.path, error.reason, error.hint};
        });
  llvm::SmallVector<Rule> rules = listRules();
  llvm::append_range(rules, *foreign);
  return rules;
}

void ModelOptions::addTargets(CLI::App &command) {
  std::vector<std::string> targets{"cpu"};
  llvm::append_range(targets, listRows(/*areDevices=*/true));
  targetOption =
      command
          .add_option(
              "--target", this->targets,
              takesSeveral
                  ? "What to compile for: any CPU, or NVIDIA's GPUs of an "
                    "architecture and later ones; or several, as in "
                    "--target=cpu,cuda-sm80, of which the program takes "
                    "what fits where it runs"
                  : "What to compile for: any CPU, or NVIDIA's GPUs of an "
                    "architecture and later ones")
          ->delimiter(',')
          ->check(oneOf(targets))
          ->allow_extra_args(false)
          ->multi_option_policy(takesSeveral ? CLI::MultiOptionPolicy::TakeAll
                                             : CLI::MultiOptionPolicy::Throw)
          ->capture_default_str();
}

void ModelOptions::addCompile(CLI::App &command,
                              const std::string &defaultCpu) {
  size_t others = command.get_options().size();
  addImport(command);
  addTargets(command);
  std::vector<std::string> cpus = listRows(/*areDevices=*/false);
  cpus.push_back(kNative);
  compile.defaultCpu = defaultCpu;
  command
      .add_option("--cpu", compile.row,
                  "The processor whose numbers (caches, registers) decide: "
                  "sources run on every one, best on this; native is this "
                  "machine's (default: " +
                      defaultCpu + ")")
      ->check(oneOf(cpus));
  command
      .add_option("--name", compile.name,
                  "What the model is called in source (default: its module's "
                  "name, which .mlir may have, else its file name, or model "
                  "for stdin)")
      ->type_name("NAME");
  addLevel(command);
  command
      .add_option("--rules", compile.ruleLibraries,
                  "Libraries of rules of your own, which are applied to the "
                  "network as it was imported, from -O2 on; fusec/rule_abi.h "
                  "is how they are written")
      ->type_name("FILE")
      ->delimiter(',')
      ->allow_extra_args(false);
  command.add_flag(
      "--swappable-weights", compile.import.swappableWeights,
      "Lets a running program replace the weights by those of the same model "
      "with other values: all initializers are in the weights file, and "
      "nothing else rests on their values, but for those that shapes need");
  command.add_flag("--no-fuse", compile.noFuse,
                   "One kernel per primitive operation, of which some "
                   "operators are several");
  command
      .add_option("--precision", compile.precision,
                  "What is rounded as the model writes it: what a comparison, "
                  "a rounding or an integer depends on (auto), everything "
                  "(strict) or nothing (relaxed); elsewhere a division may "
                  "become a multiplication, and a product and a sum behind it "
                  "one operation. f16 and bf16 round after each operator, with "
                  "relaxed only in casts and stores")
      ->check(oneOf({"auto", "strict", "relaxed"}))
      ->capture_default_str();
  command
      .add_option(
          "--numerics", compile.numerics,
          "reproducible: outputs have the same bits at any number of "
          "threads; batch-invariant: a row has them whatever batch it "
          "is in, too: the order of a sum follows from what it runs "
          "over alone, and nothing is rounded by what is fused, which "
          "takes longer; fast: they need not where that is faster, and "
          "convolutions may be Winograd's, which rounds in another way "
          "and spreads what is not finite, and products with many constant "
          "zeros may leave these out, and so what is not finite times 0; on "
          "GPUs factors of f32 may lose their last two bits")
      ->check(oneOf({"reproducible", kBatchInvariant.str(), "fast"}))
      ->capture_default_str();
  std::vector<std::string> vendors;
  for (const library::Vendor *vendor : library::getVendors())
    vendors.push_back(vendor->name.str());
  command
      .add_option("--vendor", compile.vendors,
                  "Libraries of others whose products of matrices are offered "
                  "as further algorithms, as in --vendor=openblas,onednn; a "
                  "program that takes one has to link it")
      ->delimiter(',')
      ->check(oneOf(vendors))
      ->allow_extra_args(false);
  std::vector<std::string> precisions;
  for (const fuse::LowerPrecisionName &name : fuse::kLowerPrecisionNames)
    precisions.push_back(name.allowed.str());
  command
      .add_option("--allow", compile.allowed,
                  "Lower precisions in which products of f32 with constants "
                  "may be computed, as in --allow=bf16,int8-activations: with "
                  "constants rounded to bf16; with both factors rounded to "
                  "bf16 (bf16-activations); with both as codes of 8 "
                  "bits, whose scales are found for each row in each run. They "
                  "are further algorithms, for CPUs; which products take one "
                  "is said")
      ->delimiter(',')
      ->check(oneOf(precisions))
      ->allow_extra_args(false);
  command
      .add_option(
          "--choices", compile.choices,
          "Takes an algorithm instead of the one that costs least, as in "
          "--choices sum=direct; the name * is every choice's, and "
          "fusec inspect lists them")
      ->type_name("NAME=ALGORITHM")
      ->allow_extra_args(false);
  variantsOption =
      command
          .add_option(
              "--variants", compile.variants,
              "How many variants of each kernel there are at most: the "
              "chosen one, from 2 on the naive one, then the next cheapest; "
              "of choices that --choices leaves open as many but for the "
              "naive one")
          ->check(CLI::Range(1, 64))
          ->type_name("N")
          ->capture_default_str();
  command
      .add_option("--lock", compile.lock,
                  "Takes what a fusec.lock says about groups and choices; what "
                  "it lacks keeps its default")
      ->type_name("FILE");
  command.add_flag("--frozen", compile.frozen,
                   "With --lock: what the file lacks is an error (exit code "
                   "3), and nothing is written");
  command
      .add_option("--sched-proposer", compile.proposer,
                  "Who proposes schedules; isl and structural fail where their "
                  "proposal is refused")
      ->check(oneOf({"auto", "isl", "structural"}))
      ->capture_default_str();
  command.add_flag("--sched-verify", compile.verifySchedules,
                   "Prove that the schedules of all kernels keep every "
                   "dependence");
  compiling = command.get_options();
  compiling.erase(compiling.begin(), compiling.begin() + others);
}

void ModelOptions::addCaches(CLI::App &command) {
  size_t others = command.get_options().size();
  caches.add(command);
  std::vector<CLI::Option *> all = command.get_options();
  compiling.insert(compiling.end(), all.begin() + others, all.end());
}

void ModelOptions::takeTargets(CompileOptions &options) const {
  std::vector<std::string> gpus;
  for (const std::string &target : targets) {
    if (llvm::count(targets, target) > 1)
      throw UsageError{"--target names " + target + " twice"};
    if (target != "cpu")
      gpus.push_back(target);
  }
  if (targets.size() > 1 && !takesSeveral)
    throw UsageError{"--target: one target at a time here; leave out all but "
                     "one of " +
                     llvm::join(targets, ", ")};
  if (!options.vendors.empty())
    refuseForGpus("--vendor");
  if (!options.allowed.empty())
    refuseForGpus("--allow");
  if (gpus.size() == targets.size()) {
    if (!options.row.empty())
      throw UsageError{"--cpu " + options.row +
                       ": --target=" + llvm::join(gpus, ",") +
                       " is no CPU; leave one of the two out"};
    options.row = gpus.front();
    gpus.erase(gpus.begin());
  }
  if (!gpus.empty() && !options.until.empty())
    throw UsageError{"--until prints the text for one target; leave out all "
                     "but one"};
  options.furtherRows = std::move(gpus);
  options.forCpu = targetOption && targetOption->count() &&
                   llvm::is_contained(targets, "cpu");
}

void ModelOptions::refuseForGpus(const std::string &option) const {
  if (!llvm::is_contained(targets, "cpu"))
    throw UsageError{option +
                     " is for CPUs, and --target=" + llvm::join(targets, ",") +
                     " has none; leave one of the two out"};
}

CompileOptions ModelOptions::get() const {
  CompileOptions options = compile;
  if (llvm::sys::fs::is_directory(compile.input))
    for (const CLI::Option *option : compiling)
      if (option->count())
        throw UsageError{compile.input + ": is a folder; " +
                         option->get_name() +
                         " is for a model that is yet to be compiled"};
  if (options.frozen && options.lock.empty())
    throw UsageError{"--frozen says that --lock FILE has everything; name it"};
  if (options.frozen && (!options.until.empty() || !options.writeLock.empty()))
    throw UsageError{
        "--frozen writes a folder and no lock; leave out " +
        std::string(options.until.empty() ? "--write-lock" : "--until")};
  options.import.hints = hints == "cmake" ? HintStyle::CMake : HintStyle::Shell;
  auto operatorFiles = listOperatorFiles(options.import.ops);
  if (!operatorFiles)
    throw UsageError{"--ops: " + llvm::toString(operatorFiles.takeError())};
  options.import.ops = std::move(*operatorFiles);
  std::string shapeOption = optionName(options.import.hints, "shape");
  entries.take(options);
  if (options.hasEntries() && !options.until.empty())
    throw UsageError{"--until prints the text for one entry; leave out all but "
                     "one extent of each dimension"};
  for (const std::string &text : shapes) {
    auto [name, value] = splitAssignment(text, shapeOption);
    if (options.import.shapes.count(name))
      throw UsageError{shapeOption + " " + name + " is given twice"};
    std::vector<int64_t> &shape = options.import.shapes[name];
    llvm::SmallVector<llvm::StringRef> parts;
    llvm::StringRef(value).split(parts, 'x');
    for (llvm::StringRef part : parts)
      shape.push_back(parseExtent(part, shapeOption + " " + text));
  }
  for (const std::string &text : binds) {
    auto [name, file] =
        splitAssignment(text, optionName(options.import.hints, "bind"));
    options.import.binds[name] = file;
  }
  takeTargets(options);
  checkMeanings(options);
  checkRules(options);
  options.forThisMachine =
      (options.row.empty() ? options.defaultCpu : options.row) == kNative;
  for (std::string *cpu : {&options.row, &options.defaultCpu})
    if (*cpu == kNative)
      *cpu = getNativeTarget().name.str();
  options.emit.bundleRuntime = runtime == "bundled";
  return options;
}

} // namespace fusec::tool
