// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dialects/TargetInfo.h"
#include "passes/lock/Lock.h"
#include "passes/poly/Passes.h"
#include "passes/poly/Steps.h"
#include "passes/poly/arrays/ThreadParts.h"
#include "passes/poly/configs/SerialReason.h"
#include "passes/poly/loops/LoopBuilder.h"
#include "passes/poly/tree/Running.h"

#include "llvm/ADT/ScopeExit.h"
#include "llvm/ADT/StringExtras.h"
#include <fmt/ranges.h>
#include <isl/options.h>

namespace fusec::poly {
#define GEN_PASS_DEF_CONVERTSCHEDTOKERNEL
#include "passes/poly/Passes.h.inc"
} // namespace fusec::poly

using namespace mlir;
using namespace fusec;
using namespace fusec::poly;
using fusec::sched::ScopOp;

namespace {

/// "4 products of 8 bits a step", of the unit that adds most of them; empty
/// where that is one.
std::string describeUnit(ScopOp scop, sched::ConfigAttr config) {
  if (const Multiprocessor *mp = getTargetInfo(scop).multiprocessor)
    if (const MatrixUnit *unit = mp->getMatrixUnit(config.getMatrices()))
      return unit->bytes == 1 ? "matrices of 8 bits"
             : unit->isExact()
                 ? fmt::format("matrices of {}", unit->factors.str())
                 : fmt::format("matrices of {}, {} products of {} each",
                               unit->factors.str(), unit->products,
                               unit->parts.str());
  const Unit *most = nullptr;
  for (StringAttr name : config.getProducts())
    if (const Unit *unit = getTargetInfo(scop).tiledFor->getUnit(name);
        unit && unit->terms > (most ? most->terms : 1))
      most = unit;
  if (!most)
    return "";
  const std::string factors =
      most->isFloat ? "bf16" : fmt::format("{} bits", most->factorBits);
  return most->hasTiles()
             ? fmt::format("matrices of {}", factors)
             : fmt::format("{} products of {} a step", most->terms, factors);
}

/// "tile 8x32, vector 16"; "tile 1x150, 160 threads"
std::string describe(ScopOp scop) {
  sched::ConfigAttr config = scop.getConfigAttr();
  SmallVector<std::string> parts;
  if (llvm::any_of(config.getTile(), [](int64_t size) { return size != 1; }))
    parts.push_back(fmt::format("tile {}", fmt::join(config.getTile(), "x")));
  if (config.getLaneCount() > 1)
    parts.push_back(fmt::format("vector {}", config.getLaneCount()));
  if (std::string unit = describeUnit(scop, config); !unit.empty())
    parts.push_back(unit);
  if (config.getThreads() > 1)
    parts.push_back(fmt::format("{} threads", config.getThreads()));
  if (config.hasColumns())
    parts.push_back(fmt::format("{} columns", config.countTilePoints()));
  if (!config.getPoints().empty())
    parts.push_back(
        fmt::format("{} points each", fmt::join(config.getPoints(), "x")));
  if (config.getWidth() > 1)
    parts.push_back(fmt::format("{} side by side", config.getWidth()));
  if (config.getAccumulators() > 1)
    parts.push_back(fmt::format("{} accumulators", config.getAccumulators()));
  if (config.getSplit() > 0)
    parts.push_back(fmt::format("parts of {}", config.getSplit()));
  if (config.getDepth() > 0)
    parts.push_back(fmt::format("depth {}", config.getDepth()));
  if (config.getStages() > 1)
    parts.push_back(fmt::format("{} stages", config.getStages()));
  if (!config.getPrefetch().empty())
    parts.push_back("prefetched");
  if (!config.getStream().empty())
    parts.push_back("streamed");
  return parts.empty() ? "sequential loops" : llvm::join(parts, ", ");
}

struct ConvertSchedToKernelPass
    : fusec::poly::impl::ConvertSchedToKernelBase<ConvertSchedToKernelPass> {
  using ConvertSchedToKernelBase::ConvertSchedToKernelBase;

  void runOnOperation() override {
    llvm::DenseMap<ScopOp, kernel::FuncOp> kernels;
    for (ScopOp scop : getOperation().getOps<ScopOp>())
      kernels[scop] = nullptr;
    auto work = [&](PolyContext &context, ScopOp scop) -> LogicalResult {
      if (!scop.getScheduleAttr() || !scop.getConfigAttr())
        return scop.emitOpError("has no schedule or config; run "
                                "--sched-compute and --sched-select-configs "
                                "first");
      const IslLimit most = IslLimit::of(operations, limit);
      if (std::optional<DictionaryAttr> serial = explainSerial(scop, most))
        scop->setAttr(kSerialAttr, *serial);
      kernel::FuncOp &kernel = kernels.find(scop)->second;
      return runOrFallBack(context, scop, most, "making loops of its schedule",
                           StepsBefore::loops,
                           [&](PolyContext &context, ScopOp scop) {
                             return convert(context, scop, kernel);
                           });
    };
    if (failed(forEachScop(getOperation(), getAnalysis<PolyContexts>(), work)))
      signalPassFailure();
    // What was made beside the module, for threads change nothing in common,
    // takes its place there.
    for (ScopOp scop :
         llvm::make_early_inc_range(getOperation().getOps<ScopOp>())) {
      kernel::FuncOp kernel = kernels[scop];
      if (!kernel)
        continue;
      OpBuilder(scop).insert(kernel);
      scop.erase();
    }
  }

  /// Makes a function of its own, `func`, of `scop`.
  static LogicalResult convert(PolyContext &context, ScopOp scop,
                               kernel::FuncOp &func) {
    if (func)
      func.erase();
    func = nullptr;
    PolyScop poly(context, scop);
    isl::schedule schedule = getSchedule(context.get(), scop);
    FailureOr<std::vector<LocalMark>> locals = findLocals(scop, schedule);
    if (failed(locals))
      return failure();
    CopyStatements copies;
    isl::ast_node ast;
    SmallVector<LoopAround> around;
    if (!poly.getDomain().is_empty()) {
      isl::schedule whole = insertCopies(poly, schedule, copies);
      around = takeLoopsAround(whole);
      whole = leaveOut(poly, whole);
      ast = isl::ast_build::from_context(getBoundsOf(context.get(), around))
                .node_from(whole);
    }

    OpBuilder builder(scop.getContext());
    unsigned parameters = scop.getInputs().size() + scop.getOutputs().size();
    SmallVector<Type> types;
    SmallVector<Location> locations;
    for (BlockArgument argument :
         scop.getBody().getArguments().take_front(parameters)) {
      types.push_back(argument.getType());
      locations.push_back(argument.getLoc());
    }
    StringRef group = scop.getGroup().value_or(scop.getSymName());
    func = kernel::FuncOp::create(
        builder, scop.getLoc(), scop.getSymName(), /*sym_visibility=*/nullptr,
        builder.getFunctionType(types, {}), /*arg_attrs=*/nullptr,
        /*res_attrs=*/nullptr, group, scop.getConfigAttr().getName(),
        scop.getIsaAttr(), scop.getNumInputs(), scop.getNumOutputs(),
        countThreads(scop), /*narrow_indices=*/nullptr);
    if (func.getThreads())
      func->setAttr(kernel::kPointsAttr,
                    builder.getI64IntegerAttr(countPoints(scop)));
    func->setAttr("proposer", builder.getStringAttr(
                                  scop.getProposer().value_or("unknown")));
    for (StringRef said :
         {StringRef("timed_out"), StringRef(lock::kKeyAttr),
          StringRef(lock::kLockedAttr), StringRef(kernel::kSelectedAttr),
          StringRef(kSerialAttr)})
      if (Attribute value = scop->getAttr(said))
        func->setAttr(said, value);
    func->setAttr(kernel::kConfigAttr, scop.getConfigAttr());
    for (int64_t argument : scop.getConfigAttr().getPrefetch())
      func.setArgAttr(unsigned(argument), kernel::kPrefetchAttr,
                      builder.getUnitAttr());
    for (int64_t argument : scop.getConfigAttr().getStream())
      func.setArgAttr(unsigned(argument), kernel::kStreamAttr,
                      builder.getUnitAttr());
    func->setAttr("schedule", builder.getStringAttr(describe(scop)));
    Block *entry = builder.createBlock(&func.getBody(), {}, types, locations);
    SmallVector<Value> memrefs(entry->getArguments());
    memrefs.resize(scop.getBody().getNumArguments());
    placeArrays(scop, func, *locals, builder, memrefs);
    OpBuilder::InsertionGuard guard(builder);
    bool isShared = hasMarkBelow(schedule.root(), kThreadMark) ||
                    hasMarkBelow(schedule.root(), kVectorMark);
    bool isOneThread = func.getThreads() && !isShared;
    if (isOneThread)
      enterOneThread(scop, builder);

    if (!ast.is_null()) {
      // Where isl is stopped here, there are no loops.
      llvm::scope_exit dropLoops([&] {
        func.erase();
        func = nullptr;
      });
      LoopBuilder loops(builder, poly, memrefs, copies,
                        /*isOneThread=*/!func.getThreads() || isOneThread);
      llvm::for_each(around,
                     [&](const LoopAround &loop) { loops.enter(loop); });
      if (failed(loops.emit(ast)))
        return failure();
      dropLoops.release();
      // What a statement carries another one may access elsewhere: so it is
      // where loops of several statements are skewed. A loop on lanes or
      // threads keeps what it says, and the verifier refuses it: it would be
      // taken apart.
      func.walk([](kernel::ForOp loop) {
        if (loop.getMapping() != kernel::Mapping::vector &&
            loop.getMapping() != kernel::Mapping::thread)
          loop.dropMovingCarries();
      });
    }
    builder.setInsertionPointToEnd(entry);
    kernel::ReturnOp::create(builder, scop.getLoc());
    return success();
  }

  /// Instances of the statement that has most.
  static int64_t countPoints(ScopOp scop) {
    int64_t most = 0;
    for (sched::StmtOp stmt : scop.getBody().getOps<sched::StmtOp>()) {
      int64_t points = 1;
      for (int64_t extent : stmt.getExtents())
        points *= extent;
      most = std::max(most, points);
    }
    return most;
  }

  /// Of a block of a GPU; null on a CPU.
  static IntegerAttr countThreads(ScopOp scop) {
    const TargetInfo &target = getTargetInfo(scop);
    if (target.kind == TargetKind::cpu)
      return nullptr;
    int64_t threads = std::max(scop.getConfigAttr().getThreads(),
                               target.multiprocessor->warp);
    return Builder(scop.getContext()).getI64IntegerAttr(threads);
  }

  /// What no loop shares out, one thread does.
  static void enterOneThread(ScopOp scop, OpBuilder &builder) {
    auto loop = kernel::ForOp::create(builder, scop.getLoc(), 0, 1, 1,
                                      kernel::Mapping::thread);
    loop.getIndex().setLoc(builder.getUnknownLoc());
    builder.setInsertionPoint(loop.getBody().front().getTerminator());
  }

  /// Gives arrays that no mark makes local a place in the workspace.
  static void placeArrays(ScopOp scop, kernel::FuncOp func,
                          ArrayRef<LocalMark> locals, OpBuilder &builder,
                          SmallVectorImpl<Value> &memrefs) {
    WorkspacePlan plan = planWorkspace(scop, locals);
    for (auto [array, offset] : plan.places)
      memrefs[array.getArgNumber()] = kernel::WorkspaceOp::create(
          builder, array.getLoc(), getWorkspaceType(array), offset);
    if (plan.bytes > 0)
      func->setAttr("workspace_bytes", builder.getI64IntegerAttr(plan.bytes));
  }
};

} // namespace
