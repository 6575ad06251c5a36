// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How the threads of a GPU share loops, and what they do together.
#include "codegen/LoopIndices.h"
#include "codegen/ModelInfo.h"
#include "dialects/TargetInfo.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;

namespace fusec::codegen {

namespace {
/// Who runs the iterations of a loop: as many of them as there are take every
/// so-manieth one each.
struct Workers {
  std::string number; ///< of the one that we are
  int64_t count;
};
} // namespace

static Workers workersOf(kernel::ForOp loop) {
  auto func = loop->getParentOfType<kernel::FuncOp>();
  const int64_t warp = getTargetInfo(func).multiprocessor->warp;
  if (loop.getMapping() == kernel::Mapping::warp)
    return {"warp()", *func.getThreads() / warp};
  for (auto around = loop->getParentOfType<kernel::ForOp>(); around;
       around = around->getParentOfType<kernel::ForOp>())
    if (around.getMapping() == kernel::Mapping::warp)
      return {"lane()", warp};
  if (loop.getMapping() == kernel::Mapping::column) {
    const int64_t columns = countIterations(collectNest(loop));
    return {fmt::format("thread() % {}", columns), columns};
  }
  if (int64_t columns = kernel::countColumns(loop); columns > 1)
    return {fmt::format("thread() / {}", columns),
            *func.getThreads() / columns};
  return {"thread()", *func.getThreads()};
}

/// A loop whose bounds are no constants.
static LogicalResult emitStrided(kernel::ForOp loop, Workers workers,
                                 KernelEmitter &emitter) {
  Expr from = lowerBound(loop, emitter), to = upperBound(loop, emitter);
  Expr first = Expr::name(workers.number);
  if (loop.getStep() != 1)
    first = binary(first, "*", Expr::number(loop.getStep()),
                   Precedence::Multiplicative);
  if (loop.getConstantLower() != 0)
    first = binary(from, "+", first, Precedence::Additive);
  emitter.setRange(loop.getIndex(), indexRange(loop, emitter));
  emitter.names.pushScope();
  std::string name =
      emitter.declareIndex(loop.getIndex(), ownIndexName(loop), indexName(loop))
          .text;
  emitter.out.open("for (" + emitter.getIndexSyntax().type + " " + name +
                   " = " + first.text + "; " + name + " < " + to.text + "; " +
                   name + " += " + Twine(workers.count * loop.getStep()) + ")");
  LogicalResult result = emitter.emitBlock(loop.getBody().front());
  emitter.out.close("", /*elide=*/true);
  emitter.names.popScope();
  return result;
}

/// Whether nothing follows in its block: names of its body may stand there.
static bool isLast(kernel::ForOp loop) {
  return loop->getNextNode() == loop->getBlock()->getTerminator();
}

/// Whether the body of `nest` needs no block of its own: it declares nothing.
static bool declaresNothing(ArrayRef<kernel::ForOp> nest) {
  auto isUsed = [](kernel::ForOp loop) {
    return loop.getConstantTripCount() != 1 && !loop.getIndex().use_empty();
  };
  auto declares = [](Operation &op) {
    if (auto loop = dyn_cast<kernel::ForOp>(op))
      return loop.getConstantTripCount() == 1 ||
             (loop.getMapping() != kernel::Mapping::sequential &&
              loop.getMapping() != kernel::Mapping::unroll);
    return !isa<kernel::StoreOp, kernel::YieldOp>(op) &&
           !matchPattern(&op, m_Constant());
  };
  kernel::ForOp inner = nest.back();
  return llvm::none_of(nest, isUsed) &&
         llvm::none_of(inner.getBody().front(), declares);
}

LogicalResult emitShared(kernel::ForOp outer, KernelEmitter &emitter) {
  SmallVector<kernel::ForOp> nest = collectNest(outer);
  Block &body = nest.back().getBody().front();
  if (outer.getMapping() == kernel::Mapping::block) {
    // The outermost loops: each block is one iteration of them.
    declareIndices(nest, "block()", emitter);
    return emitter.emitBlock(body);
  }
  Workers workers = workersOf(outer);
  if (!outer.getConstantTripCount())
    return emitStrided(outer, workers, emitter);
  int64_t iterations = countIterations(nest);
  const bool isBlock =
      iterations == workers.count && !isLast(outer) && !declaresNothing(nest);
  emitter.names.pushScope();
  std::string iteration = workers.number;
  if (iterations > workers.count) {
    if (nest.size() == 1) {
      emitter.names.popScope();
      return emitStrided(outer, workers, emitter);
    }
    iteration = "iteration"; // Reserved, so never hidden.
    emitter.out.open("for (" + emitter.getIndexSyntax().type + " iteration = " +
                     workers.number + "; iteration < " + Twine(iterations) +
                     "; iteration += " + Twine(workers.count) + ")");
  } else if (iterations == 1) {
    emitter.out.open("if (" + Twine(workers.number) + " == 0)");
  } else if (iterations < workers.count) {
    emitter.out.open("if (" + Twine(workers.number) + " < " +
                     Twine(iterations) + ")");
  } else if (isBlock) {
    emitter.out.open();
  }
  declareIndices(nest, iteration, emitter);
  LogicalResult result = emitter.emitBlock(body);
  if (iterations != workers.count || isBlock)
    emitter.out.close("", /*elide=*/iterations != workers.count);
  emitter.names.popScope();
  return result;
}

static LogicalResult emitBarrier(kernel::BarrierOp op, KernelEmitter &emitter) {
  emitter.out.line("sync_" + stringifyScope(op.getScope()) + "();");
  return success();
}

static LogicalResult emitCombine(kernel::CombineOp op, KernelEmitter &emitter) {
  std::string function = "reduce_" + stringifyCombiner(op.getCombiner()).str();
  if (op.getScope() == kernel::Scope::block)
    function = emitter.reduction + "." + function;
  Expr value = call(function, {emitter.use(op.getValue())});
  // Behind nothing but that, and under no condition: all threads must come.
  auto store = dyn_cast<kernel::StoreOp>(op->getNextNode());
  if (store && store.getValue() == op.getResult() && op->hasOneUse() &&
      !store.getMask() && kernel::isOfThread(store.getMemRefType())) {
    emitter.bind(op, value);
    return success();
  }
  Expr name = emitter.declare(op, roleName(op, emitter), "total");
  emitter.out.line("const " + valueTypeName(op.getType()) + " " + name.text +
                   " = " + value.text + ";");
  return success();
}

/// The word and its arguments: an access of a thread to several elements.
template <class Op>
static LogicalResult emitRow(Op op, KernelEmitter &emitter) {
  Expr row = emitter.use(op.getRow()),
       at = address(op.getMemref(), op.getMap(), op.getIndices(), emitter);
  if (op.getNumber())
    row.text += "[" + emitter.use(op.getNumber()).text + "]";
  bool loads = std::is_same_v<Op, kernel::LoadRowOp>;
  emitter.out.line(
      (loads ? call("load_row", {row, at}) : call("store_row", {at, row}))
          .text +
      ";");
  return success();
}

/// `copy_async<4>(&tile[0][k][j * 4], &x(i, j * 4), i < 8);`
static LogicalResult emitCopy(kernel::CopyAsyncOp op, KernelEmitter &emitter) {
  SmallVector<Expr> args = {
      address(op.getTo(), op.getToMap(), op.getToIndices(), emitter),
      address(op.getFrom(), op.getMap(), op.getIndices(), emitter)};
  if (op.getMask())
    args.push_back(emitter.use(op.getMask()));
  std::string name = "copy_async";
  if (op.getElements() > 1)
    name += "<" + std::to_string(op.getElements()) + ">";
  emitter.out.line(call(name, args).text + ";");
  return success();
}

/// `add_matrices<40, 1, 136>(a, &x[i_warp * 64][k], &w[k][j_warp * 64]);`
static LogicalResult emitMatrices(kernel::AddMatricesOp op,
                                  KernelEmitter &emitter) {
  const std::string name = fmt::format(
      "add_matrices<{}, {}, {}{}>", op.getRow(), op.getColumn(), op.getTerm(),
      op.getColumnsFirst() ? ", Sums::columns_first" : "");
  const Expr arguments[] = {
      emitter.use(op.getSums()),
      address(op.getRows(), op.getRowsMap(), op.getRowsIndices(), emitter),
      address(op.getColumns(), op.getColumnsMap(), op.getColumnsIndices(),
              emitter)};
  emitter.out.line(call(name, arguments).text + ";");
  return success();
}

static LogicalResult emitCommit(kernel::CommitCopiesOp op,
                                KernelEmitter &emitter) {
  emitter.out.line("commit_copies();");
  return success();
}

static LogicalResult emitWait(kernel::WaitCopiesOp op, KernelEmitter &emitter) {
  emitter.out.line("wait_copies<" + std::to_string(op.getMost()) + ">();");
  return success();
}

/// What a block does of a routine of the library.
static LogicalResult emitCall(kernel::CallOp op, KernelEmitter &emitter) {
  if (library::isDeclared(op.getCallee()))
    return emitBlockFunction(op, emitter);
  const library::Routine &routine = *library::find(op.getCallee());
  const library::Call call = describeCall(op);
  const library::DeviceForm &form = *routine.getDeviceForm(call);
  const library::Grid grid = form.getGrid(call, getTargetInfo(op));
  std::string text = fmt::format("{}<{}", form.symbol.str(), grid.threads);
  for (int64_t constant : grid.constants)
    text += fmt::format(", {}", constant);
  text += ">(" + emitter.use(op.getBlock()).text;
  SmallVector<Value> memory(op.getInputs());
  llvm::append_range(memory, op.getOutputs());
  if (op.getWorkspace())
    memory.push_back(op.getWorkspace());
  for (Value value : memory)
    text += ", " + emitter.use(value).text + ".data";
  for (const library::Argument &argument : routine.cpu.getArguments(call))
    text += fmt::format(", /*{}=*/{}", argument.name, argument.text);
  emitter.out.line(text + ");");
  return success();
}

void addThreadPatterns(PatternSet &patterns) {
  patterns.statement<kernel::BarrierOp>(emitBarrier);
  patterns.statement<kernel::CallOp>(emitCall);
  patterns.statement<kernel::LoadRowOp>(emitRow<kernel::LoadRowOp>);
  patterns.statement<kernel::StoreRowOp>(emitRow<kernel::StoreRowOp>);
  patterns.statement<kernel::CombineOp>(emitCombine);
  patterns.statement<kernel::AddMatricesOp>(emitMatrices);
  patterns.statement<kernel::CopyAsyncOp>(emitCopy);
  patterns.statement<kernel::CommitCopiesOp>(emitCommit);
  patterns.statement<kernel::WaitCopiesOp>(emitWait);
}

} // namespace fusec::codegen
