// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "codegen/KernelEmitter.h"
#include "codegen/RequestedMemory.h"

#include "codegen/UserOperators.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/TypeUtilities.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include <fmt/ranges.h>

using namespace mlir;

namespace fusec::codegen {

/// Expressions of more operations than this get a name of their own: inside of
/// others, and as the value that a store writes.
static constexpr unsigned kMostInside = 8, kMostStored = 16;

const PatternSet::ExprPattern *PatternSet::findExpression(Operation *op) const {
  auto found = expressions.find(op->getName().getStringRef());
  return found == expressions.end() ? nullptr : &found->second;
}

const PatternSet::StatementPattern *
PatternSet::findStatement(Operation *op) const {
  auto found = statements.find(op->getName().getStringRef());
  return found == statements.end() ? nullptr : &found->second;
}

PatternSet makePatterns() {
  PatternSet patterns;
  addArithPatterns(patterns);
  addMathPatterns(patterns);
  addValuePatterns(patterns);
  addMemoryPatterns(patterns);
  addLoopPatterns(patterns);
  addTermPatterns(patterns);
  addThreadPatterns(patterns);
  return patterns;
}

Expr KernelEmitter::use(Value value) const {
  auto found = texts.find(value);
  return found != texts.end() ? found->second : Expr::name("FUSEC_UNKNOWN");
}

/// Whether `value` is the index of an unrolled loop, or a sum with one: its
/// type is no plain integer.
static bool isUnrolled(Value value) {
  if (!value.getType().isIndex())
    return false;
  if (Operation *op = value.getDefiningOp())
    return isa<kernel::ApplyOp, arith::AddIOp, arith::SubIOp, arith::MulIOp>(
               op) &&
           llvm::any_of(op->getOperands(), isUnrolled);
  auto loop = dyn_cast_if_present<kernel::ForOp>(
      cast<BlockArgument>(value).getOwner()->getParentOp());
  return loop && loop.getMapping() == kernel::Mapping::unroll;
}

Expr KernelEmitter::useAsInteger(Value value) const {
  Expr expr = use(value);
  return isUnrolled(value) ? call(index->type, expr) : expr;
}

std::string KernelEmitter::typeName(Type type) const {
  return type.isIndex() ? index->type.str() : valueTypeName(type);
}

SmallVector<Expr> KernelEmitter::arguments(ValueRange values) const {
  SmallVector<Expr> result;
  bool anyVector = false;
  for (Value value : values) {
    result.push_back(useAsInteger(value));
    anyVector |= isa<VectorType>(value.getType()) && !result.back().splat;
  }
  for (auto [expr, value] : llvm::zip_equal(result, values)) {
    Type scalar = getElementTypeOrSelf(value.getType());
    if (expr.literal && typeName(scalar) == "int64_t") {
      bool splat = expr.splat;
      expr = call("int64_t", expr);
      expr.splat = splat;
    }
    // The first splat becomes the vector that makes the others convert.
    if (expr.splat && !anyVector) {
      expr = asVector(expr);
      anyVector = true;
    } else if (expr.splat && scalar.isInteger(1)) {
      expr = asVector(expr);
    }
  }
  return result;
}

Expr KernelEmitter::affine(
    ValueRange values, unsigned numDims,
    llvm::function_ref<Expr(const AffinePrinter &)> print) const {
  SmallVector<Expr> operands;
  SmallVector<IndexRange> ranges;
  for (Value value : values) {
    Expr expr = use(value);
    // Run-time subscripts: a sum with them has the type of indices.
    if (isa<IntegerType>(value.getType()) &&
        typeName(value.getType()) != index->type)
      expr = call(index->type, expr);
    operands.push_back(std::move(expr));
    ranges.push_back(getRange(value));
  }
  return print(
      AffinePrinter(operands, ranges, numDims,
                    index->isInt ? StringRef() : StringRef(index->type)));
}

Expr KernelEmitter::declare(Value value, StringRef wish, StringRef fallback) {
  StringRef own = nameCounts ? nameCounts->ownName(value) : StringRef();
  Expr name = Expr::name(names.declare(own.empty() ? wish : own, fallback));
  texts[value] = name;
  return name;
}

LogicalResult KernelEmitter::missingPattern(Operation *op) {
  out.line("#error \"fusec cannot print " + op->getName().getStringRef().str() +
           "\"");
  for (Value result : op->getResults())
    texts[result] = Expr::name("FUSEC_UNPRINTED");
  return op->emitOpError("has no form in emitted source; ")
         << "passes before the emitter must rewrite it";
}

LogicalResult KernelEmitter::emitValue(Operation *op, Expr expr,
                                       const FoldPlan &plan) {
  Value result = op->getResult(0);
  bool pure = isMemoryEffectFree(op);
  bool stored =
      result.hasOneUse() && isa<kernel::StoreOp>(*result.user_begin());
  if ((expr.atomic && pure) ||
      (plan.folds(op) &&
       expr.operations <= (stored ? kMostStored : kMostInside))) {
    texts[result] = std::move(expr);
    return success();
  }
  std::string type = typeName(result.getType());
  if (type.empty())
    return op->emitOpError("gives a value of type ")
           << result.getType() << ", which emitted source has no name for";
  // Masks have no scalar that converts to them.
  if (getElementTypeOrSelf(result.getType()).isInteger(1))
    expr = asVector(expr);
  Expr name = declare(result, roleName(op, *this), "value");
  out.line("const " + type + " " + name.text + " = " + expr.text + ";");
  return success();
}

LogicalResult KernelEmitter::emitOp(Operation *op, const FoldPlan &plan) {
  if (const auto *print = patterns.findExpression(op)) {
    if ((op->use_empty() && isMemoryEffectFree(op)) ||
        kernel::isReadWithOthers(op))
      return success();
    std::optional<Expr> expr = (*print)(op, *this);
    if (!expr)
      return missingPattern(op);
    return emitValue(op, std::move(*expr), plan);
  }
  if (const auto *print = patterns.findStatement(op))
    return (*print)(op, *this);
  return missingPattern(op);
}

LogicalResult KernelEmitter::emitBlock(Block &block) {
  FoldPlan plan(block);
  // All of a kernel's errors in one go.
  bool failed = false;
  for (Operation &op : block)
    failed |= mlir::failed(emitOp(&op, plan));
  return failure(failed);
}

static bool isInParallel(Operation *op) {
  for (auto loop = op->getParentOfType<kernel::ForOp>(); loop;
       loop = loop->getParentOfType<kernel::ForOp>())
    if (loop.getMapping() == kernel::Mapping::parallel)
      return true;
  return false;
}

/// Whether the thread that runs `around`, a kernel or a parallel loop, runs an
/// operation for which `test` holds: other threads run the parallel loops of a
/// kernel.
template <class Op>
static bool runs(Operation *around, function_ref<bool(Op)> test) {
  bool isKernel = isa<kernel::FuncOp>(around);
  return around
      ->walk([&](Op op) {
        return test(op) && !(isKernel && isInParallel(op))
                   ? WalkResult::interrupt()
                   : WalkResult::advance();
      })
      .wasInterrupted();
}

void KernelEmitter::declareTiles(Operation *around) {
  if (runs<kernel::AddProductsOp>(around, [](auto) { return true; }))
    out.line("const TileRegisters tile_registers;");
}

void KernelEmitter::finishStreams(Operation *around) {
  if (runs<kernel::StoreOp>(around, [](auto op) { return op.isStreamed(); }))
    out.line("finish_streams();");
}

/// One object for all values of the threads of a block that are combined: it
/// tells its calls apart.
void KernelEmitter::declareReduction(kernel::FuncOp func) {
  reduction.clear();
  kernel::CombineOp combine;
  func.getBody().walk([&](kernel::CombineOp op) {
    if (op.getScope() == kernel::Scope::block)
      combine = op;
  });
  if (!combine)
    return;
  reduction = names.declare("reduction", "reduction");
  int64_t columns = kernel::countColumns(combine);
  if (columns > 1)
    out.line("ColumnReduction<{}, {}> {};", columns,
             *func.getThreads() / columns, reduction);
  else
    out.line("BlockReduction<{}> {};", *func.getThreads(), reduction);
}

/// What codes of 8 bits are looked up in: one array for all equal tables.
void KernelEmitter::declareTables(kernel::FuncOp func) {
  tables.clear();
  func.walk([&](kernel::LookUpOp op) {
    DenseI32ArrayAttr table = op.getTableAttr();
    if (tables.contains(table))
      return;
    std::string name = names.declare("table", "table");
    tables[table] = Expr::name(name);
    const bool isSigned = llvm::any_of(table.asArrayRef(),
                                       [](int32_t entry) { return entry < 0; });
    out.line("static constexpr {} {}[256] = {{{}}};",
             isSigned ? "int8_t" : "uint8_t", name,
             fmt::join(table.asArrayRef(), ", "));
  });
}

/// Whether a kernel does nothing with an output but store to it. What threads
/// read that others stored must not be restrict: compilers move such loads in
/// front of barriers.
static bool isOnlyStored(Value output) {
  return llvm::all_of(output.getUsers(), [&](Operation *user) {
    auto effects = dyn_cast<MemoryEffectOpInterface>(user);
    return effects && effects.getEffectOnValue<MemoryEffects::Write>(output) &&
           !effects.getEffectOnValue<MemoryEffects::Read>(output);
  });
}

LogicalResult KernelEmitter::emit(kernel::FuncOp func, StringRef name,
                                  ArrayRef<std::string> parameters) {
  texts.clear();
  rangeOfValue.clear();
  inParallel = false;
  index = func.getNarrowIndices() ? &kNarrowIndices : &kWideIndices;
  nameCounts.emplace(func.getBody());
  names.pushScope();
  bool usesContext = false;
  func.walk([&](Operation *op) {
    auto loop = dyn_cast<kernel::ForOp>(op);
    usesContext |= isa<kernel::WorkspaceOp>(op) ||
                   (loop && loop.getMapping() == kernel::Mapping::parallel);
  });
  std::string header = syntax.functionQualifier.str() + "void ";
  if (func.getThreads())
    header += fmt::format("{}({}) ", syntax.launchBounds, *func.getThreads());
  header += name.str() + "(" + syntax.contextType.str();
  if (usesContext)
    header += syntax.contextName;
  // All variants share one signature, whatever they read.
  std::vector<std::string> views;
  for (const std::string &parameter : parameters) {
    [[maybe_unused]] std::string name = names.declare(parameter, "array");
    assert(name == parameter && "parameters have names of their own");
  }
  for (auto [number, argument, parameter] :
       llvm::enumerate(func.getArguments(), parameters)) {
    auto type = cast<MemRefType>(argument.getType());
    bool isInput = int64_t(number) < func.getNumInputs();
    header += isInput ? ", const " : ", ";
    header += storageTypeName(type) + " *";
    bool isRestrict = !func.getThreads() || (isInput ? !mayBeWritten(argument)
                                                     : isOnlyStored(argument));
    if (isRestrict)
      header += syntax.restrictKeyword;
    texts[argument] = Expr::name(parameter);
    if (argument.use_empty())
      continue;
    std::string data = names.declare(parameter, "array", "_data");
    header += (isRestrict ? " " : "") + data;
    views.push_back("const " + viewTypeName(type, isInput, *index) + " " +
                    parameter + "{" + data + "};");
  }
  out.open(header + ")");
  for (const std::string &view : views)
    out.line(view);
  declareReduction(func);
  declareTables(func);
  if (failed(declareRequested(func, *this)))
    return failure();
  declareTiles(func);
  LogicalResult result = emitBlock(func.getBody().front());
  finishStreams(func);
  out.close();
  names.popScope();
  return result;
}

} // namespace fusec::codegen
