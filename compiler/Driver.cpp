// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Driver.h"

#include "compiler/Context.h"
#include "compiler/Growing.h"
#include "compiler/Padding.h"
#include "compiler/Pipelines.h"
#include "compiler/import/Message.h"
#include "dialects/fuse/FuseOps.h"
#include "dialects/fuse/Growing.h"
#include "dialects/fuse/Refusal.h"
#include "dialects/fuse/State.h"
#include "dialects/library/Declared.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/AsmState.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Pass/PassManager.h"
#include "passes/lock/Advisor.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/Path.h"

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
  ImportOptions import = options.import;
  import.keepFactors |= options.precision == "strict";
  const TargetInfo *row = getTargetInfo(options.row);
  // Whoever keeps bodies computes all by itself, on the CPU.
  import.runsLaunchers =
      row && library::runsLaunchers(*row) && !import.keepBodies;
  if (import.runsLaunchers)
    import.sharedBytes = row->multiprocessor->staticSharedBytes;
  return options.memory ? importMemory(options.memory, import, context)
                        : importModel(options.input, import, context);
}

std::string modelNameOf(const CompileOptions &options) {
  return options.memory ? "model" : llvm::sys::path::stem(options.input).str();
}

Driver::Driver(CompileOptions chosen)
    : options(std::move(chosen)), profile(options.timing, options.trace),
      // A profiler has the slices of one thread.
      context(makeContext(/*serial=*/options.trace)),
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
  if (ExitCode code = decideKernels(); code != kExitFine)
    return code;
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
  keepDecided();
  if (options.numerics == kBatchInvariant)
    (*op)->setAttr(codegen::kBatchInvariantAttr, UnitAttr::get(context.get()));
  if (options.hasEntries()) {
    Builder builder(context.get());
    llvm::SmallVector<llvm::StringRef> symbols(options.symbols.begin(),
                                               options.symbols.end());
    (*op)->setAttr(codegen::kSymbolsAttr, builder.getStrArrayAttr(symbols));
    (*op)->setAttr(codegen::kExtentsAttr, builder.getDenseI64ArrayAttr(
                                              options.entries[options.entry]));
  }
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

/// Names the row of the table of targets in the module, which stages ask. One
/// that it names already stays: decisions that were made rest on it.
ExitCode Driver::chooseTarget() {
  if (auto named = (*op)->getAttrOfType<StringAttr>(kTargetAttr)) {
    const TargetInfo *info = getTargetInfo(named.getValue());
    const bool isNoCpu = options.forCpu && options.row.empty() && info &&
                         info->platform->isDevice;
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
  const Platform &platform = *getTargetInfo(*op).platform;
  options.target = platform.name.str();
  if (platform.isDevice) { // these are for CPUs
    options.vendors.clear();
    options.allowed.clear();
  }
  return kExitFine;
}

/// Adds to `problems` the calls of operators of users that no algorithm
/// computes with the same bits in each run, where these are asked for.
static bool hasVarying(ModuleOp module, const CompileOptions &options,
                       Diagnostics &problems) {
  if (options.numerics == "fast")
    return false;
  module->walk([&](fuse::CallOp call) {
    if (auto choice = dyn_cast<fuse::ChoiceOp>(call->getParentOp());
        choice && choice.getAlternatives().size() > 1)
      return; // there is something else to take
    SmallVector<std::string> names;
    for (library::Algorithm &one :
         library::getAlgorithms(call.getParameters())) {
      if (one.isReproducible)
        return;
      names.push_back(std::move(one.name));
    }
    if (names.empty())
      return;
    auto [domain, type] = call.getCallee().rsplit('.');
    auto node = call.getLoc()->findInstanceOf<NameLoc>();
    problems.add({ProblemKind::Unsupported, options.input,
                  node ? node.getName().str() : "", type.str(), domain.str(), 0,
                  "has no algorithm that is reproducible, only " +
                      llvm::join(names, ", "),
                  "--numerics=fast takes others"});
  });
  return problems.hasErrors();
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
  if (hasVarying(*op, options, problems))
    return problems.exitCode();
  if (options.advisor && !options.isFurther && decidedKernels.empty())
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
  auto proves = [&](llvm::StringRef name, auto *prove) {
    Profile::Part part(profile, name);
    std::vector<Problem> found;
    prove(*op, options, found);
    problems.addAll(found);
    return !problems.hasErrors();
  };
  if (done == 0 && (*op)->hasAttr(fuse::kGrowingAttr) &&
      !proves("mask-growth", maskGrowth))
    return problems.exitCode();
  if (done == 0 && !options.padded.empty() &&
      !proves("prove-padding", provePadding))
    return problems.exitCode();
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

/// The types of what is given to a run of a lowered module.
static llvm::SmallVector<Type> getInputTypes(ModuleOp module) {
  llvm::SmallVector<Type> types;
  for (auto func : module.getOps<func::FuncOp>())
    if (auto outputs = func->getAttrOfType<IntegerAttr>("fuse.outputs"))
      for (unsigned i = 0; i < func.getNumArguments() - outputs.getInt(); ++i)
        if (!func.getArgAttr(i, fuse::kStateAttr))
          types.push_back(func.getArgument(i).getType());
  return types;
}

/// Whether the inputs of a run say which entry is meant.
ExitCode Driver::checkEntries(llvm::ArrayRef<Driver *> all) {
  // Types are of a context each.
  llvm::StringMap<size_t> known;
  for (Driver *driver : all) {
    if (!options.hasEntries() || driver->options.row != options.row)
      continue;
    std::string text;
    llvm::raw_string_ostream os(text);
    llvm::interleaveComma(getInputTypes(driver->module()), os);
    const size_t entry = driver->options.entry;
    auto [same, isNew] = known.try_emplace(text, entry);
    if (isNew)
      continue;
    auto describe = [&](size_t number) {
      return describeEntry(options.symbols, options.entries[number]);
    };
    problems.addBadInput(
        "the entries " + describe(same->second) + " and " + describe(entry) +
            " have inputs of the same shapes, by which a run could not tell "
            "them apart",
        "give one extent for dimensions that no input has");
    return kExitBadInput;
  }
  return kExitFine;
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
  if (ExitCode code = checkEntries(all); code != kExitFine)
    return code;
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
