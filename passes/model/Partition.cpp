// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which memory of a GPU's program lies on the host, and the copies between.
//
// Invariant of the walk: at the start and at the end of each block all memory
// is valid on the device. Within one, `Mirror` says where it is valid.
#include "passes/model/Launches.h"
#include "passes/model/Passes.h"

#include "dialects/TargetInfo.h"
#include "dialects/library/Declared.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

#include "llvm/ADT/MapVector.h"

namespace fusec::model {
#define GEN_PASS_DEF_PARTITION
#include "passes/model/Passes.h.inc"
} // namespace fusec::model

using namespace mlir;
using namespace fusec;

namespace {
/// Host memory that stands for a piece of the device's.
struct Mirror {
  Value host;
  bool isHostValid = false, isDeviceValid = true;
};
/// By the value that names the memory (`findBase`), in the order of their first
/// uses.
using Mirrors = llvm::MapVector<Value, Mirror>;

struct Partition : model::impl::PartitionBase<Partition> {
  using Base::Base;
  void runOnOperation() override;

private:
  LogicalResult checkLaunches();
  void moveToHost(Value value);
  void visit(Block &block);
  void visit(Operation *op, Mirrors &mirrors);
  void visitCall(kernel::CallOp call, Mirrors &mirrors);
  void visitRegions(Operation *op, Mirrors &mirrors);
  void visitDeviceStep(Operation *op, Mirrors &mirrors);
  Value readOnHost(Value value, Operation *before, Mirrors &mirrors);
  Value mirrorOf(Value value, Operation *before, Mirrors &mirrors,
                 Mirror *&mirror);
  void copyBack(Value base, Mirror &mirror, Operation *before);
  void copy(Value from, Value to, OpBuilder &builder);

  func::FuncOp main;
  llvm::StringMap<Value> hostWeights;
};
} // namespace

static MemRefType onHost(Type type) {
  auto space = kernel::SpaceAttr::get(type.getContext(), kernel::Space::host);
  return MemRefType(
      MemRefType::Builder(cast<MemRefType>(type)).setMemorySpace(space));
}

/// What a value is the memory of, whole or (with `parts`) a part of it.
static Value findBase(Value value, bool parts) {
  while (auto view = value.getDefiningOp<kernel::ViewOp>()) {
    if (view.getIndex() && !parts)
      break;
    value = view.getSource();
  }
  return value;
}

/// Calls `visit` with each use of a memory, under whichever view.
static bool anyUse(Value memory, llvm::function_ref<bool(OpOperand &)> visit) {
  return llvm::any_of(memory.getUses(), [&](OpOperand &use) {
    auto view = dyn_cast<kernel::ViewOp>(use.getOwner());
    return view ? anyUse(view, visit) : visit(use);
  });
}

/// Whether `op`, or what is in it, uses a memory.
static bool usesMemory(Operation *op, Value memory) {
  return anyUse(memory,
                [&](OpOperand &use) { return op->isAncestor(use.getOwner()); });
}

/// Whether the host program reads the number there itself.
static bool isAsked(OpOperand &use) {
  if (isa<kernel::BranchOp>(use.getOwner()))
    return true;
  auto repeat = dyn_cast<kernel::RepeatOp>(use.getOwner());
  return repeat &&
         (use.get() == repeat.getCount() || use.get() == repeat.getCondition());
}

/// Whether the device runs a call: an operator that launches its own kernels.
static bool isOnDevice(Operation *op) {
  auto call = dyn_cast<kernel::CallOp>(op);
  return call && library::launchesKernels(call.getParameters());
}

/// Whether only what runs on the host needs a buffer: calls and questions, and
/// what runs wherever its memory is.
static bool isOnlyForHost(kernel::BufferOp buffer) {
  bool isNeeded = false;
  bool isElsewhere = anyUse(buffer, [&](OpOperand &use) {
    bool isHost =
        (isa<kernel::CallOp>(use.getOwner()) && !isOnDevice(use.getOwner())) ||
        isAsked(use);
    isNeeded |= isHost;
    return !isHost && !isa<kernel::CopyOp, kernel::FillOp, kernel::SetIndexOp>(
                          use.getOwner());
  });
  return isNeeded && !isElsewhere;
}

/// Whether an operation writes to an operand.
static bool writes(Operation *op, OpOperand &operand) {
  if (auto launch = dyn_cast<kernel::LaunchOp>(op)) {
    auto func = SymbolTable::lookupNearestSymbolFrom<kernel::FuncOp>(
        op, launch.getKernelAttr());
    return operand.getOperandNumber() >= func.getNumInputs();
  }
  if (auto call = dyn_cast<kernel::CallOp>(op))
    return operand.getOperandNumber() >= call.getInputs().size();
  if (auto copy = dyn_cast<kernel::CopyOp>(op))
    return operand.get() == copy.getTarget();
  return isa<kernel::FillOp, kernel::SetIndexOp>(op);
}

/// What a launch writes is known of kernels only.
LogicalResult Partition::checkLaunches() {
  SymbolTableCollection symbols;
  WalkResult result = main.walk([&](kernel::LaunchOp launch) {
    if (symbols.lookupNearestSymbolFrom<kernel::FuncOp>(launch,
                                                        launch.getKernelAttr()))
      return WalkResult::advance();
    launch.emitOpError("runs ")
        << launch.getKernelAttr()
        << ", which is no kernel.func; schedules must be converted before";
    return WalkResult::interrupt();
  });
  return failure(result.wasInterrupted());
}

void Partition::moveToHost(Value value) {
  value.setType(onHost(value.getType()));
  for (Operation *user : value.getUsers())
    if (auto view = dyn_cast<kernel::ViewOp>(user))
      moveToHost(view);
}

void Partition::copy(Value from, Value to, OpBuilder &builder) {
  kernel::CopyOp::create(builder, to.getLoc(), from, to);
  ++numCopies;
}

void Partition::copyBack(Value base, Mirror &mirror, Operation *before) {
  if (mirror.isDeviceValid)
    return;
  OpBuilder builder(before);
  copy(mirror.host, base, builder);
  mirror.isDeviceValid = true;
}

/// A location that names host memory after what it stands for.
static Location nameMirror(Value value) {
  StringRef name = kernel::getNameOf(value.getLoc());
  if (name.empty())
    return value.getLoc();
  return NameLoc::get(StringAttr::get(value.getContext(), name + "_host"),
                      value.getLoc());
}

/// Host memory of the type of `value`; it is valid as `mirror` says.
Value Partition::mirrorOf(Value value, Operation *before, Mirrors &mirrors,
                          Mirror *&mirror) {
  OpBuilder builder(before);
  Value base = findBase(value, /*parts=*/false);
  mirror = &mirrors[base];
  if (!mirror->host)
    mirror->host = kernel::BufferOp::create(builder, nameMirror(base),
                                            onHost(base.getType()), nullptr);
  if (value == base)
    return mirror->host;
  return kernel::ViewOp::create(builder, nameMirror(value),
                                onHost(value.getType()), mirror->host);
}

/// What the host reads for `value`, valid from `before` on.
Value Partition::readOnHost(Value value, Operation *before, Mirrors &mirrors) {
  if (kernel::isOnHost(value.getType()))
    return value;
  OpBuilder builder(before);
  Value base = findBase(value, /*parts=*/false);
  if (auto weight = base.getDefiningOp<kernel::WeightOp>()) {
    Value &host = hostWeights[weight.getWeight()];
    if (!host) {
      auto entry = OpBuilder::atBlockBegin(&main.getBody().front());
      host = kernel::WeightOp::create(entry, nameMirror(weight),
                                      onHost(weight.getType()),
                                      weight.getWeightAttr());
    }
    if (value == base)
      return host;
    return kernel::ViewOp::create(builder, nameMirror(value),
                                  onHost(value.getType()), host);
  }
  // A part of what is valid on the host alone is read from the device.
  if (Value whole = findBase(value, /*parts=*/true); whole != base)
    if (auto known = mirrors.find(whole); known != mirrors.end())
      copyBack(whole, known->second, before);
  Mirror *mirror = nullptr;
  Value host = mirrorOf(value, before, mirrors, mirror);
  if (!mirror->isHostValid)
    copy(base, mirror->host, builder);
  // What else writes to the whole does not know of the mirror of a part.
  mirror->isHostValid = base == findBase(value, /*parts=*/true);
  return host;
}

void Partition::visitCall(kernel::CallOp call, Mirrors &mirrors) {
  for (OpOperand &input : call.getInputsMutable())
    input.set(readOnHost(input.get(), call, mirrors));
  OpBuilder after(call->getContext());
  after.setInsertionPointAfter(call);
  for (OpOperand &output : call.getOutputsMutable()) {
    Value value = output.get();
    if (kernel::isOnHost(value.getType()))
      continue;
    Value base = findBase(value, /*parts=*/false),
          whole = findBase(value, /*parts=*/true);
    if (base != whole)
      if (auto known = mirrors.find(whole); known != mirrors.end()) {
        copyBack(whole, known->second, call);
        known->second.isHostValid = false;
      }
    Mirror *mirror = nullptr;
    output.set(mirrorOf(value, call, mirrors, mirror));
    mirror->isDeviceValid = false;
    mirror->isHostValid = base == whole;
    if (base != whole) {
      copy(mirror->host, base, after);
      mirror->isDeviceValid = true;
    }
  }
  ++numHostSteps;
  if (remarks)
    call.emitRemark() << "@" << call.getCallee() << " runs on the host";
}

void Partition::visitRegions(Operation *op, Mirrors &mirrors) {
  Value condition, asked;
  for (OpOperand &operand : op->getOpOperands()) {
    if (!isAsked(operand) || kernel::isOnHost(operand.get().getType()))
      continue;
    auto repeat = dyn_cast<kernel::RepeatOp>(op);
    Value value = operand.get();
    operand.set(readOnHost(value, op, mirrors));
    auto known = mirrors.find(findBase(value, /*parts=*/false));
    if (repeat && repeat.getCondition() == operand.get() &&
        known != mirrors.end())
      std::tie(condition, asked) = std::pair(known->first, known->second.host);
  }
  for (auto &[base, mirror] : mirrors)
    if (usesMemory(op, base))
      copyBack(base, mirror, op);
  for (Region &region : op->getRegions())
    visit(region.front());
  // The loop asks again, of memory that its body may have written.
  if (condition && usesMemory(op, condition)) {
    OpBuilder end(op->getRegion(0).front().getTerminator());
    copy(condition, asked, end);
  }
  for (auto &[base, mirror] : mirrors)
    if (usesMemory(op, base))
      mirror.isHostValid = false;
}

void Partition::visitDeviceStep(Operation *op, Mirrors &mirrors) {
  for (OpOperand &operand : op->getOpOperands()) {
    if (!isa<MemRefType>(operand.get().getType()) ||
        kernel::isOnHost(operand.get().getType()))
      continue;
    auto known = mirrors.find(findBase(operand.get(), /*parts=*/true));
    if (known == mirrors.end())
      continue;
    copyBack(known->first, known->second, op);
    if (writes(op, operand))
      known->second.isHostValid = false;
  }
}

void Partition::visit(Operation *op, Mirrors &mirrors) {
  if (auto call = dyn_cast<kernel::CallOp>(op); call && !isOnDevice(op))
    visitCall(call, mirrors);
  else if (op->getNumRegions())
    visitRegions(op, mirrors);
  else if (!isa<kernel::ViewOp>(op))
    visitDeviceStep(op, mirrors);
}

void Partition::visit(Block &block) {
  Mirrors mirrors;
  SmallVector<Operation *> steps;
  for (Operation &op : block.without_terminator())
    steps.push_back(&op);
  for (Operation *op : steps)
    visit(op, mirrors);
  for (auto &[base, mirror] : mirrors) {
    // A buffer ends with its block.
    auto buffer = base.getDefiningOp<kernel::BufferOp>();
    if (!buffer || buffer->getBlock() != &block)
      copyBack(base, mirror, block.getTerminator());
  }
}

void Partition::runOnOperation() {
  ModuleOp module = getOperation();
  if (!getTargetInfo(module).platform->isDevice)
    return;
  for (auto func : module.getOps<func::FuncOp>()) {
    if (func.isExternal() || !func->hasAttr("fuse.outputs"))
      continue;
    main = func;
    hostWeights.clear();
    if (failed(checkLaunches()))
      return signalPassFailure();
    func.walk([&](kernel::BufferOp buffer) {
      if (isOnlyForHost(buffer))
        moveToHost(buffer);
    });
    visit(func.getBody().front());
    SmallVector<Operation *> pointers;
    func.walk([&](Operation *op) {
      if (isa<kernel::WeightOp, kernel::ViewOp>(op))
        pointers.push_back(op);
    });
    for (Operation *op : llvm::reverse(pointers)) // views before their sources
      if (op->use_empty())
        op->erase();
  }
}
