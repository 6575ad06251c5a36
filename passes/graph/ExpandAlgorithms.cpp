// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// --fuse-expand-algorithms: see Passes.td.
#include "passes/OptionWords.h"
#include "passes/RefuseComposites.h"
#include "passes/graph/Algorithms.h"
#include "passes/graph/ChoiceSite.h"
#include "passes/graph/LibraryContraction.h"
#include "passes/graph/LowerPrecision.h"
#include "passes/graph/OperatorAlgorithms.h"
#include "passes/graph/Passes.h"
#include "passes/graph/Sparse.h"
#include "passes/graph/SplitKeys.h"
#include "passes/graph/SplitReduction.h"
#include "passes/graph/Winograd.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/IRMapping.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"

#include <functional>

namespace fusec::fuse {
#define GEN_PASS_DEF_EXPANDALGORITHMS
#include "passes/graph/Passes.h.inc"
} // namespace fusec::fuse

using namespace mlir;
using namespace fusec;
using namespace fusec::fuse;

static constexpr WinogradRows kFilterRows[] = {WinogradRows::two,
                                               WinogradRows::four};

static std::string nameFilter(WinogradRows rows) {
  return "winograd_" + std::to_string(unsigned(rows));
}

static constexpr llvm::StringLiteral kSparse = "sparse";

static constexpr Rule kSparseRule = {
    "algorithms.sparse",
    RuleArea::Selectors,
    /*level=*/2,
    Bits::Changed,
    "Offers products with constant matrices of mostly zeros without these.",
    /*needs=*/"--numerics=fast, of CPUs"};
static constexpr Rule kSplitRule = {
    "algorithms.split-reduce", RuleArea::Selectors, /*level=*/2, Bits::Changed,
    "Offers to reduce in parts where there are fewer tasks than cores."};
static constexpr Rule kKeysRule = {
    "algorithms.split-keys",
    RuleArea::Selectors,
    /*level=*/2,
    Bits::Changed,
    "Offers attention in blocks of keys where no cache holds those of a head.",
    /*needs=*/"a CPU"};
static constexpr Rule kWinogradRule = {
    "algorithms.winograd",
    RuleArea::Selectors,
    /*level=*/2,
    Bits::Changed,
    "Offers Winograd's form of convolutions with three taps along their rows.",
    /*needs=*/"--numerics=fast"};
static constexpr Rule kVendorRule = {
    "algorithms.vendor",
    RuleArea::Selectors,
    /*level=*/2,
    Bits::Changed,
    "Offers products of matrices by other libraries.",
    /*needs=*/"a routine of a library that --vendor names, of CPUs"};
static constexpr Rule kBf16Rule = {
    "algorithms.bf16",
    RuleArea::Selectors,
    /*level=*/2,
    Bits::Changed,
    "Offers products of constants that are rounded to bf16.",
    /*needs=*/"--allow=bf16, and a CPU"};
static constexpr Rule kBf16ActivationsRule = {
    "algorithms.bf16-activations", RuleArea::Selectors,
    /*level=*/2, Bits::Changed,
    "Offers products of constants and what is computed, both rounded to bf16.",
    /*needs=*/
    "--allow=bf16-activations, and a CPU that adds several products "
    "of bf16 in a step"};
static constexpr Rule kInt8ActivationsRule = {
    "algorithms.int8-activations", RuleArea::Selectors,
    /*level=*/2, Bits::Changed,
    "Offers products of constants and what is computed as codes of 8 bits.",
    /*needs=*/
    "--allow=int8-activations, and a CPU that adds several products "
    "of bytes in a step"};

void fuse::listAlgorithmRules(SmallVectorImpl<Rule> &rules) {
  rules.append({kSparseRule, kSplitRule, kKeysRule, kWinogradRule, kVendorRule,
                kBf16Rule, kBf16ActivationsRule, kInt8ActivationsRule});
}

namespace {
/// What the pass knows of a lower precision.
struct Lowering {
  Precision precision;
  LowerPrecisionName name;
  const Rule &rule;
};
} // namespace

static constexpr Lowering kLowerings[] = {
    {Precision::bf16, kBf16Name, kBf16Rule},
    {Precision::bf16Activations, kBf16ActivationsName, kBf16ActivationsRule},
    {Precision::int8Activations, kInt8ActivationsName, kInt8ActivationsRule}};

bool fuse::needsFastNumerics(StringRef algorithm) {
  return algorithm == kSparse ||
         llvm::any_of(kFilterRows, [&](WinogradRows rows) {
           return nameFilter(rows) == algorithm;
         });
}

namespace {
struct ExpandAlgorithmsPass
    : fusec::fuse::impl::ExpandAlgorithmsBase<ExpandAlgorithmsPass> {
  using ExpandAlgorithmsBase::ExpandAlgorithmsBase;

  LogicalResult initialize(MLIRContext *context) override {
    if (failed(checkWord(context, getArgument(), "numerics", numerics,
                         {"reproducible", "fast"})))
      return failure();
    SmallVector<StringRef> known;
    for (const LowerPrecisionName &name : kLowerPrecisionNames)
      known.push_back(name.allowed);
    for (const std::string &word : allowed)
      if (failed(checkWord(context, getArgument(), "allow", word, known)))
        return failure();
    return success();
  }

  void runOnOperation() override {
    ModuleOp module = getOperation();
    if (failed(refuseComposites(module, "looking for algorithms")) ||
        failed(findRoutines()))
      return signalPassFailure();
    WalkResult walk = module->walk([&](func::FuncOp function) {
      llvm::StringSet<> names = collectChoiceNames(function);
      FailureOr<unsigned> made = expandOperators(
          function, /*anyBits=*/numerics == "fast", remarks, names);
      if (failed(made))
        return WalkResult::interrupt();
      numChoices += *made;
      if (operatorsOnly)
        return WalkResult::advance();
      const TargetInfo &info = getTargetInfo(module);
      // A choice of attention takes in reductions that others are about. Few
      // rows of keys rather give each core a part of them.
      if (!isDisabled(kKeysRule.name, disabled))
        for (PrimitiveOpInterface op : findReductions(function))
          if (isa<ContractOp>(op.getOperation()) && !hasFewTasks(op, info))
            splitKeys(op, info, names);
      for (PrimitiveOpInterface op : findReductions(function))
        expand(op, info, names);
      return WalkResult::advance();
    });
    if (walk.wasInterrupted())
      signalPassFailure();
  }

  /// The reductions outside of choices.
  static SmallVector<PrimitiveOpInterface>
  findReductions(func::FuncOp function) {
    SmallVector<PrimitiveOpInterface> reductions;
    function->walk<WalkOrder::PreOrder>([&](Operation *op) {
      if (isa<ChoiceOp, GroupOp>(op))
        return WalkResult::skip();
      auto primitive = dyn_cast<PrimitiveOpInterface>(op);
      if (primitive && primitive.hasReduction())
        reductions.push_back(primitive);
      return primitive ? WalkResult::skip() : WalkResult::advance();
    });
    return reductions;
  }

  LogicalResult refuseVendor(StringRef name) {
    InFlightDiagnostic error = getOperation().emitError()
                               << "there is no vendor '" << name
                               << "'; take some of ";
    llvm::interleaveComma(
        library::getVendors(), error,
        [&](const library::Vendor *known) { error << known->name; });
    return error;
  }

  /// Those of the vendors that were asked for, in the order of the registry.
  LogicalResult findRoutines() {
    for (const std::string &name : vendors)
      if (!library::findVendor(name))
        return refuseVendor(name);
    for (const library::Vendor *vendor : library::getVendors())
      if (llvm::is_contained(vendors, vendor->name))
        llvm::append_range(routines, library::getContractions(*vendor));
    return success();
  }

  /// An algorithm besides the one that is there.
  struct Algorithm {
    std::string name;
    std::function<SmallVector<Value>(OpBuilder &)> build;
  };
  struct Algorithms {
    SmallVector<Algorithm> further;
    /// What the operation reads that is to be in the choice, in order.
    SmallVector<Operation *> producers;
  };

  void expand(PrimitiveOpInterface op, const TargetInfo &info,
              llvm::StringSet<> &names) {
    if (op->use_empty())
      return;
    Algorithms algorithms;
    if (!isDisabled(kSplitRule.name, disabled))
      split(op, info, algorithms);
    if (numerics == "fast" && !isDisabled(kWinogradRule.name, disabled))
      filter(op, algorithms);
    if (numerics == "fast" && !isDisabled(kSparseRule.name, disabled))
      dropZeros(op, info, algorithms);
    if (!isDisabled(kVendorRule.name, disabled))
      for (const library::Routine *routine : routines)
        call(op, *routine, algorithms);
    for (const Lowering &lowering : kLowerings)
      if (llvm::is_contained(allowed, lowering.name.allowed) &&
          !isDisabled(lowering.rule.name, disabled))
        lower(op, lowering, algorithms);
    if (!algorithms.further.empty())
      makeChoice(op, algorithms, nameChoice(op, names));
  }

  void splitKeys(PrimitiveOpInterface op, const TargetInfo &info,
                 llvm::StringSet<> &names) {
    std::string reason;
    FailureOr<SplitKeys> plan = SplitKeys::plan(op, info, reason);
    if (failed(plan)) {
      if (remarks && !reason.empty())
        op->emitRemark() << "is not computed in blocks of keys: " << reason;
      return;
    }
    Algorithms algorithms;
    algorithms.producers = plan->getProducers();
    algorithms.further.push_back(
        {"split_keys", [plan = *plan](OpBuilder &b) { return plan.build(b); }});
    makeChoice(plan->gather(), algorithms, nameChoice(op, names));
  }

  /// Whether `op` gives too few cores a task, each a long one.
  static bool hasFewTasks(PrimitiveOpInterface op, const TargetInfo &info) {
    int64_t tasks = countTasks(op, info);
    return tasks < info.getEnoughTasks() && tasks != 0 &&
           ShapedType::getNumElements(op.getIterationExtents()) / tasks >=
               info.longSteps;
  }

  void split(PrimitiveOpInterface op, const TargetInfo &info,
             Algorithms &algorithms) {
    if (!hasFewTasks(op, info))
      return;
    std::string reason;
    FailureOr<SplitReduction> split = SplitReduction::plan(op, info, reason);
    if (failed(split)) {
      if (remarks)
        op->emitRemark() << "runs on at most " << countTasks(op, info)
                         << " cores, and is not split: " << reason;
      return;
    }
    algorithms.producers = llvm::to_vector(split->getProducers());
    algorithms.further.push_back(
        {"split_reduce",
         [split = *split](OpBuilder &b) { return split.build(b); }});
  }

  void filter(PrimitiveOpInterface op, Algorithms &algorithms) {
    std::string reason;
    FailureOr<Winograd> plan = Winograd::plan(op, reason);
    if (failed(plan)) {
      if (remarks && !reason.empty())
        op->emitRemark() << "is not filtered as Winograd does: " << reason;
      return;
    }
    for (WinogradRows rows : kFilterRows) {
      if (!plan->savesProducts(rows))
        continue;
      algorithms.further.push_back(
          {nameFilter(rows), [plan = *plan, rows](OpBuilder &b) mutable {
             return SmallVector<Value>{plan.build(b, rows)};
           }});
    }
    if (!llvm::is_contained(algorithms.producers, plan->getWindow()))
      algorithms.producers.push_back(plan->getWindow());
  }

  void dropZeros(PrimitiveOpInterface op, const TargetInfo &info,
                 Algorithms &algorithms) {
    std::string reason;
    FailureOr<Sparse> plan = Sparse::plan(op, info, reason);
    if (failed(plan)) {
      if (remarks && !reason.empty())
        op->emitRemark() << "is no sparse product: " << reason;
      return;
    }
    algorithms.further.push_back({kSparse.str(), [plan = *plan](OpBuilder &b) {
                                    return SmallVector<Value>{plan.build(b)};
                                  }});
  }

  void call(PrimitiveOpInterface op, const library::Routine &routine,
            Algorithms &algorithms) {
    std::string reason;
    FailureOr<LibraryContraction> plan =
        LibraryContraction::plan(op, routine, reason);
    if (failed(plan)) {
      if (remarks && !reason.empty())
        op->emitRemark() << "is no call of @" << routine.name << ": " << reason;
      return;
    }
    algorithms.further.push_back(
        {routine.vendor->name.str(), [plan = *plan](OpBuilder &b) {
           return SmallVector<Value>{plan.build(b)};
         }});
  }

  void lower(PrimitiveOpInterface op, const Lowering &lowering,
             Algorithms &algorithms) {
    std::string reason;
    FailureOr<LowerPrecision> plan =
        LowerPrecision::plan(op, lowering.precision, reason);
    if (failed(plan)) {
      if (remarks && !reason.empty())
        op->emitRemark() << "is not computed with " << lowering.name.allowed
                         << ": " << reason;
      return;
    }
    algorithms.further.push_back(
        {lowering.name.algorithm.str(), [plan = *plan](OpBuilder &b) {
           return SmallVector<Value>{plan.build(b)};
         }});
  }

  void makeChoice(ArrayRef<PrimitiveOpInterface> reductions,
                  const Algorithms &algorithms, StringRef name) {
    ChoiceSite site(reductions);
    SmallVector<Value> results = site.getResults();
    Operation *op = reductions.back();
    OpBuilder builder(reductions.front());
    SmallVector<StringRef> names = {"direct"};
    for (const Algorithm &algorithm : algorithms.further)
      names.push_back(algorithm.name);
    auto choice =
        ChoiceOp::create(builder, op->getLoc(), ValueRange(results).getTypes(),
                         name, builder.getStrArrayAttr(names), names.size());
    fill(choice.getAlternatives()[0], site, results, [&](OpBuilder &b) {
      IRMapping mapping;
      for (Operation *producer : algorithms.producers)
        b.clone(*producer, mapping);
      SmallVector<Value> made;
      for (Operation *reduction : reductions)
        llvm::append_range(made, b.clone(*reduction, mapping)->getResults());
      return made;
    });
    for (auto [region, algorithm] :
         llvm::zip(choice.getAlternatives().drop_front(), algorithms.further))
      fill(region, site, results, algorithm.build);
    for (auto [old, result] : llvm::zip(results, choice.getResults()))
      old.replaceUsesWithIf(result, [&](OpOperand &use) {
        return !site.getMembers().contains(use.getOwner());
      });
    for (Operation *member : llvm::reverse(site.getMembers()))
      member->erase();
    for (Operation *producer : llvm::reverse(algorithms.producers))
      if (producer->use_empty())
        producer->erase();
    ++numChoices;
  }

  /// An alternative: `reduce` builds what stands for the reduction's results,
  /// the rest follows it.
  static void fill(Region &region, const ChoiceSite &site,
                   ArrayRef<Value> results,
                   llvm::function_ref<SmallVector<Value>(OpBuilder &)> reduce) {
    OpBuilder builder = OpBuilder::atBlockBegin(&region.emplaceBlock());
    IRMapping mapping;
    SmallVector<Value> reduced;
    for (Operation *reduction : site.getReductions())
      llvm::append_range(reduced, reduction->getResults());
    mapping.map(reduced, reduce(builder));
    for (Operation *member : site.getFollowing())
      builder.clone(*member, mapping);
    SmallVector<Value> yielded;
    for (Value result : results)
      yielded.push_back(mapping.lookup(result));
    YieldOp::create(builder, region.getLoc(), yielded);
  }

  /// Of vendors, which contract.
  SmallVector<const library::Routine *> routines;
};
} // namespace
