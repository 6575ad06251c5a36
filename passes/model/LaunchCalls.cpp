// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Calls of the library that a GPU runs itself.
#include "passes/model/Passes.h"

#include "dialects/TargetInfo.h"
#include "dialects/kernel/KernelOps.h"
#include "dialects/library/Declared.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/SymbolTable.h"

#include "llvm/ADT/DenseMap.h"

namespace fusec::model {
#define GEN_PASS_DEF_LAUNCHCALLS
#include "passes/model/Passes.h.inc"
} // namespace fusec::model

using namespace mlir;
using namespace fusec;

namespace {
struct LaunchCalls : model::impl::LaunchCallsBase<LaunchCalls> {
  using Base::Base;
  void runOnOperation() override;

private:
  void launch(kernel::CallOp call, const library::DeviceForm &form,
              const library::Grid &grid);
  kernel::FuncOp findKernel(kernel::CallOp call, const library::Grid &grid);
  kernel::FuncOp makeKernel(kernel::CallOp call, const library::Grid &grid);

  /// By what makes calls equal: routine, parameters and types.
  llvm::DenseMap<Attribute, kernel::FuncOp> kernels;
};
} // namespace

static library::Call describe(kernel::CallOp call) {
  return library::Call(call.getInputs().getTypes(),
                       call.getOutputs().getTypes(), call.getParameters());
}

kernel::FuncOp LaunchCalls::findKernel(kernel::CallOp call,
                                       const library::Grid &grid) {
  Builder builder(call);
  auto types = builder.getFunctionType(call.getInputs().getTypes(),
                                       call.getOutputs().getTypes());
  kernel::FuncOp &func = kernels[builder.getArrayAttr(
      {call.getCalleeAttr(), call.getParametersAttr(), TypeAttr::get(types)})];
  if (!func)
    func = makeKernel(call, grid);
  return func;
}

/// All memory of a call, as the arguments of its kernel.
static SmallVector<Value> getMemory(kernel::CallOp call) {
  SmallVector<Value> memory(call.getInputs());
  llvm::append_range(memory, call.getOutputs());
  if (call.getWorkspace())
    memory.push_back(call.getWorkspace());
  return memory;
}

kernel::FuncOp LaunchCalls::makeKernel(kernel::CallOp call,
                                       const library::Grid &grid) {
  OpBuilder builder(call.getContext());
  Location loc = call.getLoc();
  SmallVector<Value> memory = getMemory(call);
  // Of an operator of a user's its domain and type, as one word.
  std::string name = call.getCallee().str();
  llvm::replace(name, '.', '_');
  auto func = kernel::FuncOp::create(
      builder, loc, name, /*sym_visibility=*/nullptr,
      builder.getFunctionType(ValueRange(memory).getTypes(), {}),
      /*arg_attrs=*/nullptr, /*res_attrs=*/nullptr, name, "default",
      /*isa=*/nullptr, call.getInputs().size(), call.getOutputs().size(),
      builder.getI64IntegerAttr(grid.threads), /*narrow_indices=*/nullptr);
  // The table of symbols makes the name one that nothing else has.
  func.setGroup(SymbolTable(getOperation()).insert(func));

  Block &body = func.getBody().emplaceBlock();
  for (Value value : memory)
    body.addArgument(value.getType(), value.getLoc());
  builder.setInsertionPointToEnd(&body);
  auto blocks = kernel::ForOp::create(builder, loc, 0, grid.blocks, 1,
                                      kernel::Mapping::block);
  kernel::ReturnOp::create(builder, loc);
  builder.setInsertionPointToStart(&blocks.getBody().front());
  auto part = cast<kernel::CallOp>(builder.clone(*call));
  // One for each, also where two are one memory: other calls share the kernel.
  for (BlockArgument argument : body.getArguments())
    part->setOperand(argument.getArgNumber(), argument);
  part.getBlockMutable().assign(blocks.getIndex());
  return func;
}

void LaunchCalls::launch(kernel::CallOp call, const library::DeviceForm &form,
                         const library::Grid &grid) {
  OpBuilder builder(call);
  SmallVector<Value> memory = getMemory(call);
  if (library::find(call.getCallee())->updatesFirst) {
    // The kernel finds in the result what it updates, and reads it nowhere
    // else.
    Value result = call.getOutputs().front();
    kernel::CopyOp::create(builder, call.getLoc(), memory.front(), result);
    memory.front() = result;
  }
  if (grid.blocks > 0) {
    kernel::FuncOp func = findKernel(call, grid);
    kernel::LaunchOp::create(builder, call.getLoc(),
                             FlatSymbolRefAttr::get(func.getSymNameAttr()),
                             memory);
    ++numLaunched;
  }
  call.erase();
}

/// Refuses a function of a user's that asks for more shared memory than a block
/// has.
static LogicalResult checkShared(kernel::CallOp call,
                                 const TargetInfo &target) {
  auto grid = library::getBlockGrid(call.getParameters());
  const int64_t most = target.multiprocessor->staticSharedBytes;
  if (!grid || grid->sharedBytes <= most)
    return success();
  return call.emitOpError()
         << "of @" << call.getCallee() << " asks for " << grid->sharedBytes
         << " bytes of shared memory in each block, and "
            "those of target "
         << target.name << " have " << most;
}

void LaunchCalls::runOnOperation() {
  ModuleOp module = getOperation();
  const TargetInfo &target = getTargetInfo(module);
  if (!target.platform->isDevice)
    return;
  kernels.clear();
  SmallVector<kernel::CallOp> calls;
  for (auto func : module.getOps<func::FuncOp>())
    func.walk([&](kernel::CallOp call) { calls.push_back(call); });
  for (kernel::CallOp call : calls) {
    const library::DeviceForm *form =
        library::find(call.getCallee())->getDeviceForm(describe(call));
    if (form) {
      if (llvm::any_of(call->getOperandTypes(), kernel::isOnHost)) {
        call.emitOpError("has memory of the host already; run "
                         "--model-launch-calls before --model-partition");
        return signalPassFailure();
      }
      if (failed(checkShared(call, target)))
        return signalPassFailure();
      launch(call, *form, form->getGrid(describe(call), target));
      continue;
    }
    if (remarks && !library::launchesKernels(call.getParameters()))
      call.emitRemark() << "@" << call.getCallee()
                        << " stays a call: it has no form for a device";
  }
}
