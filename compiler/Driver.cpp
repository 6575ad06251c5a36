// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Driver.h"

#include "compiler/LockRow.h"
#include "compiler/Pipelines.h"
#include "compiler/import/Message.h"
#include "compiler/io/MappedFile.h"
#include "dialects/fuse/Refusal.h"
#include "dialects/library/Library.h"
#include "mlir/IR/AsmState.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Pass/PassManager.h"
#include "passes/graph/Algorithms.h"
#include "passes/lock/Advisor.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include <fmt/ranges.h>
#include <set>

using namespace mlir;

namespace fusec {

/// What to do about a stage that there is not.
static std::string stageHint(llvm::StringRef stage) {
  std::vector<std::string> names;
  for (const Stage &known : getStages())
    names.push_back(known.name.str());
  return joinHints(didYouMean(stage, names),
                   "fusec compile --list-stages lists them");
}

ImportResult importModel(const CompileOptions &options, MLIRContext &context) {
  return options.memory ? importMemory(options.memory, options.import, context)
                        : importModel(options.input, options.import, context);
}

std::string modelNameOf(const CompileOptions &options) {
  return options.memory ? "model" : llvm::sys::path::stem(options.input).str();
}

static std::unique_ptr<MLIRContext> makeContext() {
  DialectRegistry registry;
  registerAllDialects(registry);
  auto context =
      std::make_unique<MLIRContext>(registry, MLIRContext::Threading::DISABLED);
  context->loadAllAvailableDialects();
  context->printOpOnDiagnostic(false);
  return context;
}

Driver::Driver(CompileOptions chosen)
    : options(std::move(chosen)), profile(options.timing, options.trace),
      context(makeContext()),
      problems(*context, options.input, options.remarks,
               {options.lock, options.writeLock}, options.import.hints) {}

Driver::Driver(CompileOptions chosen, const Driver &other,
               OwningOpRef<ModuleOp> module)
    : options(std::move(chosen)), profile(options.timing, options.trace),
      context(other.context),
      problems(*context, options.input, options.remarks,
               {options.lock, options.writeLock}, options.import.hints),
      op(std::move(module)) {}

ExitCode Driver::import() {
  Profile::Part part(profile, "import");
  ImportResult result = importModel(options, *context);
  isText = result.isText;
  externalFiles = std::move(result.externalFiles);
  problems.addAll(result.problems);
  for (const Problem &warning : result.warnings)
    problems.addRemark(describe(warning));
  if (!result.module || problems.hasErrors())
    return problems.exitCode();
  op = std::move(result.module);
  if (!options.name.empty())
    op->setSymName(options.name);
  else if (!op->getSymName())
    op->setSymName(modelNameOf(options));
  return kExitFine;
}

ExitCode Driver::failedIn(llvm::StringRef where) {
  // Text is the user's own: what a pass refuses in it is their mistake.
  if (isText)
    return std::max(problems.exitCode(), kExitBadInput);
  problems.addInternal(
      "fusec failed in stage " + where,
      "this is a bug of fusec; please report it with the model and the output "
      "of fusec compile --until of the stage before");
  return kExitInternal;
}

/// The option that `algorithm` is offered with, where it is not given, or an
/// empty text.
static std::string findOffer(const CompileOptions &options,
                             llvm::StringRef algorithm) {
  if (fuse::needsFastNumerics(algorithm) && options.numerics != "fast")
    return "--numerics=fast";
  if (library::findVendor(algorithm) &&
      !llvm::is_contained(options.vendors, algorithm))
    return ("--vendor=" + algorithm).str();
  return "";
}

/// Says of what was to be taken, and is not there, what would allow it.
void Driver::explainMissing() {
  if (!problems.hasErrors())
    return;
  for (llvm::StringRef choice : options.choices) {
    llvm::StringRef algorithm = choice.rsplit('=').second;
    if (std::string offer = findOffer(options, algorithm); !offer.empty())
      return problems.addHint(offer + " allows " + algorithm);
  }
}

ExitCode Driver::runStages(size_t first, size_t last,
                           llvm::function_ref<void(llvm::StringRef)> onStage) {
  for (size_t number = first; number <= last; ++number) {
    const Stage &stage = getStages()[number];
    if (onStage)
      onStage(stage.name);
    PassManager passes(context.get(), ModuleOp::getOperationName());
    stage.addPasses(passes, options);
    Profile::Part part(profile, stage.name);
    part.watch(passes);
    if (failed(passes.run(*op))) {
      if (problems.hasLockErrors())
        return kExitBadInput;
      if (!stage.checksChoices || options.choices.empty())
        return failedIn(stage.name);
      explainMissing();
      return kExitUsage;
    }
    keepRefusals();
  }
  return kExitFine;
}

/// Text of a later stage has them too, and compiles on to the same files.
void Driver::keepRefusals() {
  llvm::SetVector<Attribute> all;
  if (auto before = (*op)->getAttrOfType<ArrayAttr>(fuse::kRefusalsAttr))
    all.insert(before.begin(), before.end());
  all.insert(problems.getRefusals().begin(), problems.getRefusals().end());
  if (!all.empty())
    (*op)->setAttr(fuse::kRefusalsAttr,
                   ArrayAttr::get(context.get(), all.getArrayRef()));
}

/// What is wrong with a lock as a whole is said before the stages run.
ExitCode Driver::checkLocks() {
  for (const std::string &file : {options.lock, options.writeLock}) {
    if (file.empty() || (file != options.lock && !llvm::sys::fs::exists(file)))
      continue;
    FailureOr<lock::Lock> read =
        lock::read(file, getTargetInfo(*op).name, context.get());
    if (failed(read))
      return kExitBadInput;
    if (read->format == 1)
      problems.addRemark(
          file +
          ": warning: is of format 1, which does not say for which "
          "target its entries are: they are taken for '" +
          read->row +
          "'\n  hint: fusec compile --lock F --write-lock F writes the new "
          "format");
  }
  return kExitFine;
}

/// Names the row of the table of targets in the module, which stages ask. One
/// that it names already stays: decisions that were made rest on it.
ExitCode Driver::chooseTarget() {
  if (auto named = (*op)->getAttrOfType<StringAttr>(kTargetAttr)) {
    const TargetInfo *info = getTargetInfo(named.getValue());
    const bool isNoCpu = options.forCpu && options.row.empty() && info &&
                         info->kind == TargetKind::gpu;
    if (isNoCpu || (!options.row.empty() && options.row != named.getValue())) {
      problems.addBadInput("has " + kTargetAttr + " = \"" + named.getValue() +
                               "\", and this compilation is for '" +
                               (isNoCpu ? "cpu" : options.row) + "'",
                           "compile the model anew, or leave out --cpu and "
                           "--target");
      return kExitBadInput;
    }
  } else {
    llvm::StringRef name =
        options.row.empty() ? options.defaultCpu : options.row;
    (*op)->setAttr(kTargetAttr, StringAttr::get(context.get(), name));
  }
  const bool isGpu = getTargetInfo(*op).kind == TargetKind::gpu;
  options.target = isGpu ? "cuda" : "cpu";
  if (isGpu) // their routines are CPUs'
    options.vendors.clear();
  return kExitFine;
}

ExitCode Driver::lower(llvm::function_ref<void(llvm::StringRef)> onStage) {
  size_t last = getStages().size() - 1;
  if (!options.until.empty()) {
    std::optional<size_t> found = findStage(options.until);
    if (!found) {
      problems.addBadInput("there is no stage '" + options.until + "'",
                           stageHint(options.until));
      return kExitUsage;
    }
    last = *found;
  }
  if (!op)
    if (ExitCode code = import(); code != kExitFine)
      return code;
  if (ExitCode code = chooseTarget(); code != kExitFine)
    return code;
  if (ExitCode code = checkLocks(); code != kExitFine)
    return code;
  if (options.advisor && !options.isFurther)
    options.advisor->begin();
  size_t done = 0;
  if (auto stage = (*op)->getAttrOfType<StringAttr>(kStageAttr)) {
    std::optional<size_t> found = findStage(stage.getValue());
    if (!found) {
      problems.addBadInput("has " + kStageAttr + " = \"" + stage.getValue() +
                               "\", which is no stage",
                           stageHint(stage.getValue()));
      return kExitBadInput;
    }
    done = *found;
    if (done > last) {
      problems.addBadInput("is past stage " + options.until + " already: at " +
                           stage.getValue());
      return kExitBadInput;
    }
  }
  if (ExitCode code = runStages(done + 1, last, onStage); code != kExitFine)
    return code;
  (*op)->setAttr(kStageAttr,
                 StringAttr::get(context.get(), getStages()[last].name));
  return kExitFine;
}

void Driver::print(llvm::raw_ostream &os, bool elideWeights) {
  OpPrintingFlags flags;
  flags.printNameLocAsPrefix();
  flags.enableDebugInfo(/*enable=*/true, /*prettyForm=*/false);
  flags.elideLargeElementsAttrs(INT64_MAX); // there are no large ones
  flags.elideLargeResourceString(elideWeights ? 0 : INT64_MAX);
  op->print(os, flags);
  os << "\n";
}

/// The entries of `all` that `known` has not, as the first line of their
/// comment: the name of a group or choice.
static std::string nameOf(llvm::StringRef comment) {
  return comment.split('\n').first.ltrim("# ").split(':').first.str();
}

static std::vector<std::string> findUnlockedGroups(const lock::Lock &all,
                                                   const lock::Lock &known) {
  std::vector<std::string> names;
  for (const auto &[key, entries] : all.groups)
    if (!known.isDecided(key))
      names.push_back(nameOf(entries.front().comment));
  return names;
}

static std::vector<std::string> findUnlockedChoices(const lock::Lock &all,
                                                    const lock::Lock &known) {
  std::vector<std::string> names;
  for (const auto &[key, entry] : all.choices)
    if (!known.findChoice(key))
      names.push_back(nameOf(entry.comment));
  return names;
}

/// Which options offer what a lock takes, where they are not given: with them a
/// choice has another key, and so it is said of what the lock seems to lack.
static std::string describeOffers(const CompileOptions &options,
                                  const lock::Lock &given) {
  std::set<std::string> offers;
  for (const auto &[key, choice] : given.choices)
    offers.insert(findOffer(options, choice.algorithm));
  offers.erase("");
  return offers.empty() ? ""
                        : "; choices of the file were made with " +
                              llvm::join(offers, " and ");
}

/// The options that make a model's groups and choices what they are: with
/// others, others would be added to a lock. Each with a space in front.
static std::string describeModel(const CompileOptions &options,
                                 llvm::StringRef row) {
  std::string text;
  auto add = [&](llvm::StringRef option, std::vector<std::string> values) {
    if (!values.empty())
      text += " " + optionText(HintStyle::Shell, option, values);
  };
  std::vector<std::string> dims, shapes, binds;
  for (const auto &[dim, extent] : options.import.dims)
    dims.push_back(dim + "=" + std::to_string(extent));
  for (const auto &[input, shape] : options.import.shapes)
    shapes.push_back(input + "=" + fmt::format("{}", fmt::join(shape, "x")));
  for (const auto &[input, file] : options.import.binds)
    binds.push_back(input + "=" + file);
  add("dim", dims);
  add("shape", shapes);
  add("bind", binds);
  add("count", options.import.counts);
  if (options.import.maxTrips)
    add("max-trips", {std::to_string(*options.import.maxTrips)});
  if (!options.name.empty())
    add("name", {options.name});
  if (row != kDefaultTarget)
    add(options.target == "cuda" ? "target" : "cpu", {row.str()});
  if (options.noFuse)
    text += " --no-fuse";
  if (options.precision != "auto")
    add("precision", {options.precision});
  if (options.numerics != "reproducible")
    add("numerics", {options.numerics});
  if (!options.vendors.empty())
    add("vendor", {llvm::join(options.vendors, ",")});
  return text;
}

/// Says how much of the model is not in the lock; with `frozen`, that is an
/// error.
ExitCode Driver::checkUnlocked(const lock::Lock &decided) {
  if (options.lock.empty())
    return kExitFine;
  FailureOr<lock::Lock> given =
      lock::read(options.lock, getTargetInfo(*op).name, context.get());
  if (failed(given))
    return kExitBadInput;
  std::vector<std::string> groups = findUnlockedGroups(decided, *given);
  std::vector<std::string> choices = findUnlockedChoices(decided, *given);
  if (groups.empty() && choices.empty())
    return kExitFine;
  std::string lacks = describeLackOfRow(*given) + "has no entry for " +
                      std::to_string(groups.size()) + " of " +
                      std::to_string(decided.groups.size()) + " groups";
  if (!decided.choices.empty())
    lacks += (" and " + llvm::Twine(choices.size()) + " of " +
              llvm::Twine(decided.choices.size()) + " choices")
                 .str();
  std::string word = shellWord(options.lock);
  std::string hint = adviseRow(options, *given) + "fusec compile " +
                     shellWord(options.input) + " -o DIR" +
                     describeModel(options, given->row);
  hint += " --lock " + word + " --write-lock " + word + " adds them";
  if (!options.frozen) {
    problems.addRemark(options.lock + ": remark: " + lacks +
                       ", which keep their defaults\n  hint: " + hint +
                       describeOffers(options, *given));
    return kExitFine;
  }
  constexpr size_t kShown = 5;
  groups.insert(groups.end(), choices.begin(), choices.end());
  size_t shown = std::min(groups.size(), kShown);
  lacks += ": " + llvm::join(llvm::ArrayRef(groups).take_front(shown), ", ");
  if (shown < groups.size())
    lacks += " and " + std::to_string(groups.size() - shown) + " more";
  problems.add({ProblemKind::BadInput, options.lock, "", "", "", 0, lacks,
                hint + ", without --frozen" + describeOffers(options, *given)});
  return kExitFrozen;
}

ExitCode Driver::writeLock(const lock::Lock &decided) {
  const std::string &file = options.writeLock;
  if (file.empty())
    return kExitFine;
  FailureOr<lock::Lock> whole =
      lock::read(llvm::sys::fs::exists(file) ? file : "",
                 getTargetInfo(*op).name, context.get());
  if (failed(whole))
    return kExitBadInput;
  whole->add(decided);
  std::string text = whole->print();
  llvm::Error error = io::writeFileAside(file, {text.data(), text.size()});
  if (!error)
    return kExitFine;
  text = llvm::toString(std::move(error));
  llvm::StringRef reason(text);
  reason.consume_front(file + ": ");
  problems.add({ProblemKind::BadInput, file, "", "", "", 0, reason.str(),
                "the folder of sources is written and complete; only this file "
                "is missing"});
  return kExitBadInput;
}

ExitCode Driver::decide(lock::Lock &decided) {
  std::string conflict;
  decided = lock::collect(*op, conflict);
  if (!conflict.empty() && !options.writeLock.empty()) {
    problems.addBadInput(conflict, "force the same algorithm for both");
    return kExitUsage;
  }
  return checkUnlocked(decided);
}

ExitCode Driver::emit(llvm::StringRef folder,
                      llvm::ArrayRef<std::unique_ptr<Driver>> further) {
  Profile::Part part(profile, "emit");
  llvm::SmallVector<Driver *> all{this};
  for (const std::unique_ptr<Driver> &driver : further)
    all.push_back(driver.get());
  llvm::SmallVector<ModuleOp> modules;
  std::vector<lock::Lock> decided(all.size());
  for (auto [driver, lock] : llvm::zip_equal(all, decided)) {
    if (ExitCode code = driver->decide(lock); code != kExitFine)
      return code;
    modules.push_back(driver->module());
  }
  llvm::Error error = codegen::emitModel(modules, options.emit, folder);
  if (!error) {
    for (auto [driver, lock] : llvm::zip_equal(all, decided))
      if (ExitCode code = driver->writeLock(lock); code != kExitFine)
        return code;
    return kExitFine;
  }
  std::string text = llvm::toString(std::move(error));
  if (text.empty())
    return failedIn("emit");
  llvm::StringRef reason(text);
  reason.consume_front((folder + ": ").str());
  problems.add(
      {ProblemKind::BadInput, folder.str(), "", "", "", 0, reason.str(), ""});
  return kExitBadInput;
}

} // namespace fusec
