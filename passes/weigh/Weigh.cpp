// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// --fuse-weigh: see Passes.td.
#include "dialects/TargetInfo.h"
#include "passes/fusion/Passes.h"
#include "passes/fusion/Rows.h"
#include "passes/poly/Passes.h"
#include "passes/poly/configs/Predictions.h"
#include "passes/schedule/Passes.h"
#include "passes/weigh/Passes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Threading.h"
#include "mlir/Pass/PassManager.h"
#include "llvm/Support/FormatVariadic.h"

namespace fusec::weigh {
#define GEN_PASS_DEF_WEIGH
#include "passes/weigh/Passes.h.inc"
} // namespace fusec::weigh

using namespace mlir;
using namespace fusec;
using namespace fusec::fuse;

/// Whether rows of a contraction are reduced in `group`.
static bool makesRows(GroupOp group) {
  SmallVector<Operation *> ops;
  for (Operation &op : group.getBody().front().without_terminator())
    ops.push_back(&op);
  return Rows(ops).areMade();
}

/// The value of an operand of a group, by itself: a weight and a constant are
/// what they are, and so are their reshapes; anything else is an argument.
static Value isolate(Value value, func::FuncOp function, OpBuilder &builder,
                     IRMapping &mapping) {
  if (Value known = mapping.lookupOrNull(value))
    return known;
  Operation *op = value.getDefiningOp();
  if (isa_and_present<ReshapeOp>(op))
    isolate(op->getOperand(0), function, builder, mapping);
  auto module = function->getParentOfType<ModuleOp>();
  if (auto weight = dyn_cast_if_present<GetWeightOp>(op);
      weight && !module.lookupSymbol(weight.getWeightAttr())) {
    OpBuilder atTop = OpBuilder::atBlockBegin(module.getBody());
    atTop.clone(
        *SymbolTable::lookupNearestSymbolFrom(op, weight.getWeightAttr()));
  }
  if (isa_and_present<GetWeightOp, ConstantOp, ReshapeOp>(op)) {
    builder.clone(*op, mapping);
    return mapping.lookup(value);
  }
  (void)function.insertArgument(function.getNumArguments(), value.getType(), {},
                                value.getLoc());
  Value argument = function.getArguments().back();
  mapping.map(value, argument);
  return argument;
}

/// A module of `group` alone.
static OwningOpRef<ModuleOp> isolate(GroupOp group) {
  MLIRContext *context = group.getContext();
  OwningOpRef<ModuleOp> module = ModuleOp::create(group.getLoc());
  auto parent = group->getParentOfType<ModuleOp>();
  if (Attribute target = parent->getAttr(kTargetAttr))
    (*module)->setAttr(kTargetAttr, target);
  OpBuilder builder(context);
  builder.setInsertionPointToEnd(module->getBody());
  auto function = func::FuncOp::create(
      builder, group.getLoc(), "main",
      FunctionType::get(context, {}, group.getResultTypes()));
  builder.setInsertionPointToStart(function.addEntryBlock());
  IRMapping mapping;
  for (Value operand : group.getOperands())
    isolate(operand, function, builder, mapping);
  Operation *alone = builder.clone(*group, mapping);
  func::ReturnOp::create(builder, group.getLoc(), alone->getResults());
  builder.setInsertionPointToStart(module->getBody());
  alone->walk([&](MapOp op) {
    if (!module->lookupSymbol(op.getCallee()))
      builder.clone(*parent.lookupSymbol(op.getCallee()));
  });
  return module;
}

/// Nanoseconds in which the cores of `target` load what groups of `module`
/// store for others.
static double predictLoads(ModuleOp module, const TargetInfo &target) {
  double time = 0;
  // What a kernel of a GPU takes to load and store is in its own time.
  if (target.hasBlocks())
    return time;
  module.walk([&](GroupOp group) {
    for (Value result : group.getResults())
      if (llvm::any_of(result.getUsers(), llvm::IsaPred<GroupOp, ReshapeOp>)) {
        auto type = getTensorType(result);
        double bytes =
            double(type.getNumElements() * type.getElementTypeBitWidth()) / 8;
        time += 2 * bytes / double(target.cacheLine) *
                target.getLineCost(bytes) / double(target.cores);
      }
  });
  return time;
}

static void addDefaultScheduling(OpPassManager &passes) {
  passes.addPass(sched::createConvertFuseToSched());
  passes.addPass(sched::createCoalesceDims());
  passes.addPass(poly::createSchedCompute());
}

namespace {

struct WeighPass : fusec::weigh::impl::WeighBase<WeighPass> {
  explicit WeighPass(weigh::AddScheduling addScheduling)
      : addScheduling(addScheduling ? std::move(addScheduling)
                                    : addDefaultScheduling) {}

  void getDependentDialects(DialectRegistry &registry) const override {
    WeighBase::getDependentDialects(registry);
    OpPassManager scheduling(ModuleOp::getOperationName());
    addScheduling(scheduling);
    scheduling.getDependentDialects(registry);
  }

  void runOnOperation() override {
    SmallVector<GroupOp> groups;
    getOperation()->walk([&](GroupOp group) {
      if (makesRows(group))
        groups.push_back(group);
    });
    SmallVector<GroupOp> weighed;
    auto findSame = [&](GroupOp group) {
      return llvm::find_if(weighed,
                           [&](GroupOp other) { return isSame(group, other); });
    };
    for (GroupOp group : groups)
      if (findSame(group) == weighed.end())
        weighed.push_back(group);
    {
      // Nobody asked for what is tried here.
      ScopedDiagnosticHandler silent(&getContext(),
                                     [](Diagnostic &) { return success(); });
      parallelForEach(&getContext(), weighed,
                      [&](GroupOp group) { weigh(group); });
    }
    bool cuts = false;
    for (GroupOp group : groups)
      if (Attribute reason = (*findSame(group))->getAttr(kRowsApartAttr)) {
        group->setAttr(kRowsApartAttr, reason);
        cuts = true;
      }
    if (!cuts)
      return;
    OpPassManager split(ModuleOp::getOperationName());
    SplitOptions options;
    options.remarks = true;
    split.addPass(createSplit(options));
    if (failed(runPipeline(split, getOperation())))
      signalPassFailure();
  }

private:
  /// Whether both compute the same from operands of the same kind.
  static bool isSame(GroupOp group, GroupOp other) {
    auto isConstant = [](Value value) {
      return isa_and_present<GetWeightOp, ConstantOp, ReshapeOp>(
          value.getDefiningOp());
    };
    return group->getOperandTypes() == other->getOperandTypes() &&
           llvm::equal(llvm::map_range(group.getOperands(), isConstant),
                       llvm::map_range(other.getOperands(), isConstant)) &&
           OperationEquivalence::isRegionEquivalentTo(
               &group.getBody(), &other.getBody(),
               OperationEquivalence::IgnoreLocations);
  }

  /// Where the time of a group is that of several cores: which is its row's.
  static std::string describeCores(GroupOp group) {
    const TargetInfo &target = getTargetInfo(group);
    if (target.hasBlocks())
      return "";
    return llvm::formatv(" on {0} cores", target.cores);
  }

  /// Says in `group` why its rows are apart, if they should be. Threads do this
  /// with several groups.
  void weigh(GroupOp group) {
    Scheduled whole = schedule(group);
    if (!whole.module)
      return;
    group->setAttr(kRowsApartAttr, StringAttr::get(&getContext(), "weighed"));
    Scheduled parts = schedule(group);
    group->removeAttr(kRowsApartAttr);
    if (!parts.module)
      return;
    std::string reason;
    for (const InstructionSet *set : getTargetInfo(group).sets) {
      FailureOr<double> together = predict(whole, *set);
      FailureOr<double> apart = predict(parts, *set);
      if (failed(together) || failed(apart) || *together <= *apart)
        return;
      if (reason.empty())
        reason = llvm::formatv("in one kernel it is expected to take {0:F1} "
                               "us{1}, in several {2:F1} us",
                               *together / 1000, describeCores(group),
                               *apart / 1000);
    }
    group->setAttr(kRowsApartAttr, StringAttr::get(&getContext(), reason));
  }

  /// A group by itself, as kernels with schedules.
  struct Scheduled {
    OwningOpRef<ModuleOp> module; ///< null where it cannot be scheduled
    double loads = 0; ///< nanoseconds, of what kernels store for others
  };

  /// `group`, cut as its attribute says.
  Scheduled schedule(GroupOp group) {
    Scheduled result;
    OwningOpRef<ModuleOp> module = isolate(group);
    PassManager cut(&getContext()), scheduling(&getContext());
    cut.addPass(createSplit());
    if (failed(cut.run(*module)))
      return result;
    result.loads = predictLoads(*module, getTargetInfo(group));
    addScheduling(scheduling);
    if (succeeded(scheduling.run(*module)))
      result.module = std::move(module);
    return result;
  }

  /// Nanoseconds that all kernels are expected to take with `set`.
  FailureOr<double> predict(Scheduled &scheduled, const InstructionSet &set) {
    double time = scheduled.loads;
    for (sched::ScopOp scop : scheduled.module->getOps<sched::ScopOp>()) {
      FailureOr<double> own = poly::predictTime(scop, set);
      if (failed(own))
        return failure();
      const TargetInfo &target = getTargetInfo(scop);
      time += *own + double(target.launchSteps) * target.costs.simple;
    }
    return time;
  }

  weigh::AddScheduling addScheduling;
};

} // namespace

std::unique_ptr<Pass> fusec::weigh::createWeigh(AddScheduling addScheduling) {
  return std::make_unique<WeighPass>(std::move(addScheduling));
}
