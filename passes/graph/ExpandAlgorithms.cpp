// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// --fuse-expand-algorithms: see Passes.td.
#include "passes/OptionWords.h"
#include "passes/RefuseComposites.h"
#include "passes/graph/Algorithms.h"
#include "passes/graph/LibraryContraction.h"
#include "passes/graph/LowerPrecision.h"
#include "passes/graph/Passes.h"
#include "passes/graph/Sparse.h"
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
static constexpr Rule kInt8ActivationsRule = {
    "algorithms.int8-activations", RuleArea::Selectors,
    /*level=*/2, Bits::Changed,
    "Offers products of constants and what is computed as codes of 8 bits.",
    /*needs=*/
    "--allow=int8-activations, and a CPU that adds several products "
    "of bytes in a step"};

void fuse::listAlgorithmRules(SmallVectorImpl<Rule> &rules) {
  rules.append({kSparseRule, kSplitRule, kWinogradRule, kVendorRule, kBf16Rule,
                kInt8ActivationsRule});
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
    {Precision::int8Activations, kInt8ActivationsName, kInt8ActivationsRule}};

bool fuse::needsFastNumerics(StringRef algorithm) {
  return algorithm == kSparse ||
         llvm::any_of(kFilterRows, [&](WinogradRows rows) {
           return nameFilter(rows) == algorithm;
         });
}

/// A name for the choice about `op`: the last component of its node's name.
static std::string nameChoice(Operation *op, llvm::StringSet<> &taken) {
  std::string base;
  if (auto loc = op->getLoc()->findInstanceOf<NameLoc>()) {
    StringRef text = loc.getName().getValue();
    for (char c : text.drop_front(text.rfind('/') + 1))
      base += llvm::isAlnum(c) ? llvm::toLower(c) : '_';
  }
  if (base.empty())
    base = op->getName().stripDialect().str();
  std::string name = base;
  for (unsigned i = 2; !taken.insert(name).second; ++i)
    name = base + "_" + std::to_string(i);
  return name;
}

namespace {
/// What goes into a choice: a reduction, and what is computed from its result.
class Site {
public:
  explicit Site(PrimitiveOpInterface reduction);

  /// The values that are needed outside of the site.
  SmallVector<Value> getResults() const;
  const llvm::SetVector<Operation *> &getMembers() const { return members; }

private:
  bool isAvailable(Value value, llvm::SetVector<Operation *> &moved) const;

  Operation *reduction;
  llvm::SetVector<Operation *> members;
};
} // namespace

/// Whether `value` is there before the reduction, or can be: adds what has to
/// be moved there.
bool Site::isAvailable(Value value, llvm::SetVector<Operation *> &moved) const {
  Operation *op = value.getDefiningOp();
  if (!op || op->getBlock() != reduction->getBlock() ||
      op->isBeforeInBlock(reduction))
    return true;
  if (op == reduction || members.contains(op) || op->getNumRegions() ||
      !isMemoryEffectFree(op))
    return false;
  for (Value operand : op->getOperands())
    if (!isAvailable(operand, moved))
      return false;
  moved.insert(op);
  return true;
}

Site::Site(PrimitiveOpInterface op) : reduction(op) {
  members.insert(reduction);
  int64_t most = getTensorType(reduction->getResult(0)).getNumElements();
  for (Operation *next = reduction->getNextNode(); next;
       next = next->getNextNode()) {
    auto primitive = dyn_cast<PrimitiveOpInterface>(next);
    if (!primitive || primitive.hasReduction() ||
        ShapedType::getNumElements(primitive.getIterationExtents()) > most)
      continue;
    bool reads = false, fits = true;
    llvm::SetVector<Operation *> moved;
    for (Value operand : next->getOperands()) {
      Operation *producer = operand.getDefiningOp();
      bool isMember = producer && members.contains(producer);
      reads |= isMember;
      fits &= isMember || isAvailable(operand, moved);
    }
    if (!reads || !fits)
      continue;
    for (Operation *op : moved)
      op->moveBefore(reduction);
    members.insert(next);
  }
  // Who reads a result elsewhere makes the accesses that it needs.
  SmallVector<Operation *> all = llvm::to_vector(members.getArrayRef());
  for (Operation *op : llvm::reverse(all))
    if (op != reduction && !isPointwise(cast<PrimitiveOpInterface>(op)) &&
        llvm::none_of(op->getUsers(),
                      [&](Operation *user) { return members.contains(user); }))
      members.remove(op);
}

SmallVector<Value> Site::getResults() const {
  SmallVector<Value> results;
  for (Operation *op : members)
    for (Value result : op->getResults())
      if (llvm::any_of(result.getUsers(), [&](Operation *user) {
            return !members.contains(user);
          }))
        results.push_back(result);
  return results;
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
    module->walk([&](func::FuncOp function) {
      llvm::StringSet<> names;
      SmallVector<PrimitiveOpInterface> reductions;
      function->walk<WalkOrder::PreOrder>([&](Operation *op) {
        if (auto choice = dyn_cast<ChoiceOp>(op))
          names.insert(choice.getSymName());
        if (isa<ChoiceOp, GroupOp>(op))
          return WalkResult::skip();
        auto primitive = dyn_cast<PrimitiveOpInterface>(op);
        if (primitive && primitive.hasReduction())
          reductions.push_back(primitive);
        return primitive ? WalkResult::skip() : WalkResult::advance();
      });
      for (PrimitiveOpInterface op : reductions)
        expand(op, getTargetInfo(module), names);
    });
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

  void split(PrimitiveOpInterface op, const TargetInfo &info,
             Algorithms &algorithms) {
    int64_t tasks = countTasks(op, info);
    if (tasks >= info.getEnoughTasks() || tasks == 0 ||
        ShapedType::getNumElements(op.getIterationExtents()) / tasks <
            info.longSteps)
      return;
    std::string reason;
    FailureOr<SplitReduction> split = SplitReduction::plan(op, info, reason);
    if (failed(split)) {
      if (remarks)
        op->emitRemark() << "runs on at most " << tasks
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

  void makeChoice(PrimitiveOpInterface op, const Algorithms &algorithms,
                  StringRef name) {
    Site site(op);
    SmallVector<Value> results = site.getResults();
    OpBuilder builder(op);
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
      return SmallVector<Value>(b.clone(*op, mapping)->getResults());
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
  static void fill(Region &region, const Site &site, ArrayRef<Value> results,
                   llvm::function_ref<SmallVector<Value>(OpBuilder &)> reduce) {
    OpBuilder builder = OpBuilder::atBlockBegin(&region.emplaceBlock());
    ArrayRef<Operation *> members = site.getMembers().getArrayRef();
    IRMapping mapping;
    mapping.map(members.front()->getResults(), reduce(builder));
    for (Operation *member : members.drop_front())
      builder.clone(*member, mapping);
    SmallVector<Value> yielded;
    for (Value result : results)
      yielded.push_back(mapping.lookup(result));
    YieldOp::create(builder, members.front()->getLoc(), yielded);
  }

  /// Of vendors, which contract.
  SmallVector<const library::Routine *> routines;
};
} // namespace
