// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The network's function becomes the host program; its groups become scops.
#include "dialects/fuse/FuseOps.h"
#include "passes/schedule/FormStatements.h"
#include "passes/schedule/Passes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/AsmState.h"
#include "mlir/IR/DialectResourceBlobManager.h"
#include "llvm/ADT/TypeSwitch.h"

namespace fusec::sched {
#define GEN_PASS_DEF_CONVERTFUSETOSCHED
#include "passes/schedule/Passes.h.inc"
} // namespace fusec::sched

using namespace mlir;
using namespace fusec;
using namespace fusec::sched;

namespace {
/// Rewrites one function.
class HostConversion {
public:
  HostConversion(func::FuncOp func, SymbolTable &symbols, bool remarks)
      : func(func), symbols(symbols), remarks(remarks), builder(func) {}

  LogicalResult run();
  unsigned numScops = 0, numStatements = 0;

private:
  /// Gives each result an argument, and the group results that are returned
  /// their place in it.
  void addOutputs();
  LogicalResult convert(Operation &op);
  LogicalResult convertGroup(fuse::GroupOp group);
  Value convertConstant(fuse::ConstantOp constant);
  void convertReturn(func::ReturnOp op);
  /// The memory of a group's result.
  Value getResultMemory(Value result);

  func::FuncOp func;
  SymbolTable &symbols;
  bool remarks;
  OpBuilder builder;
  llvm::DenseMap<Value, Value> memory;
  /// Group result -> the output argument that it is computed into.
  llvm::DenseMap<Value, Value> outputOf;
  /// Returned values that need no copy, by result number.
  llvm::DenseSet<unsigned> direct;
};
} // namespace

static Value skipReshapes(Value value) {
  while (auto reshape = value.getDefiningOp<fuse::ReshapeOp>())
    value = reshape->getOperand(0);
  return value;
}

void HostConversion::addOutputs() {
  Block &body = func.getBody().front();
  auto returned = cast<func::ReturnOp>(body.getTerminator()).getOperands();
  unsigned numInputs = body.getNumArguments();
  SmallVector<DictionaryAttr> attrs;
  func.getAllArgAttrs(attrs);
  attrs.resize(numInputs, builder.getDictionaryAttr({}));
  for (auto [number, value] : llvm::enumerate(returned)) {
    DictionaryAttr resultAttrs = func.getResultAttrDict(number);
    attrs.push_back(resultAttrs ? resultAttrs : builder.getDictionaryAttr({}));
    auto name = attrs.back().getAs<StringAttr>("fuse.name");
    Location loc = name ? Location(NameLoc::get(name)) : value.getLoc();
    BlockArgument output =
        body.addArgument(getMemRefType(value.getType()), loc);
    Value source = skipReshapes(value);
    if (source.getDefiningOp<fuse::GroupOp>() &&
        outputOf.try_emplace(source, output).second)
      direct.insert(number);
  }
  for (BlockArgument input : body.getArguments().take_front(numInputs)) {
    input.setType(getMemRefType(input.getType()));
    memory[input] = input;
  }
  func.setFunctionType(builder.getFunctionType(body.getArgumentTypes(), {}));
  func.removeResAttrsAttr();
  func.setAllArgAttrs(attrs);
  func->setAttr("fuse.outputs", builder.getI64IntegerAttr(returned.size()));
}

LogicalResult HostConversion::run() {
  Block &body = func.getBody().front();
  SmallVector<Operation *> old;
  for (Operation &op : body)
    old.push_back(&op);
  if (!isa<func::ReturnOp>(body.back()))
    return func.emitOpError(
        "needs to end in a return to become a host program");
  for (Type type : func.getFunctionType().getInputs())
    if (!isa<RankedTensorType>(type))
      return func.emitOpError()
             << "takes a " << type << "; a network takes and returns tensors";
  for (Operation *op : old)
    if (!isa<fuse::GroupOp, fuse::GetWeightOp, fuse::ConstantOp,
             fuse::ReshapeOp, func::ReturnOp>(op))
      return op->emitOpError(
          "is outside of a fusion group; run --fuse-aggregate "
          "before --convert-fuse-to-sched");
  addOutputs();
  for (Operation *op : old) {
    builder.setInsertionPoint(op);
    if (failed(convert(*op)))
      return failure();
  }
  for (Operation *op : llvm::reverse(old)) {
    op->dropAllUses();
    op->erase();
  }
  return success();
}

/// Whether a tensor, or the memref that it has become, has no elements.
static bool isEmpty(Value value) {
  return cast<ShapedType>(value.getType()).getNumElements() == 0;
}

LogicalResult HostConversion::convert(Operation &op) {
  return llvm::TypeSwitch<Operation *, LogicalResult>(&op)
      .Case([&](fuse::GetWeightOp weight) {
        if (!weight.use_empty())
          memory[weight] = kernel::WeightOp::create(
              builder, op.getLoc(), getMemRefType(weight.getType()),
              weight.getWeight());
        return success();
      })
      .Case([&](fuse::ConstantOp constant) {
        // What has no elements needs no memory to be returned.
        bool isNeeded = llvm::any_of(constant->getUsers(), [&](Operation *user) {
          return !isa<func::ReturnOp>(user) || !isEmpty(constant);
        });
        if (isNeeded)
          memory[constant] = convertConstant(constant);
        return success();
      })
      .Case([&](fuse::ReshapeOp reshape) {
        if (!reshape.use_empty())
          memory[reshape] = kernel::ViewOp::create(
              builder, op.getLoc(), getMemRefType(reshape.getType()),
              memory[reshape->getOperand(0)]);
        return success();
      })
      .Case([&](fuse::GroupOp group) { return convertGroup(group); })
      .Case([&](func::ReturnOp returnOp) {
        convertReturn(returnOp);
        return success();
      });
}

/// The elements' bytes as a weight holds them: storage types, little endian, a
/// byte per boolean.
static std::vector<char> getBytes(DenseElementsAttr elements) {
  std::vector<char> bytes;
  auto append = [&](APInt bits) {
    unsigned count = (bits.getBitWidth() + 7) / 8;
    for (unsigned i = 0; i < count; ++i)
      bytes.push_back(
          static_cast<char>(bits.lshr(8 * i).getZExtValue() & 0xff));
  };
  if (isa<FloatType>(elements.getElementType()))
    for (APFloat value : elements.getValues<APFloat>())
      append(value.bitcastToAPInt());
  else
    for (APInt value : elements.getValues<APInt>())
      append(value);
  return bytes;
}

Value HostConversion::convertConstant(fuse::ConstantOp constant) {
  Location loc = constant.getLoc();
  StringRef name = getLocName(loc);
  std::string symbol = name.empty() ? "constant" : toIdentifier(name);
  std::vector<char> bytes =
      getBytes(cast<DenseElementsAttr>(constant.getValue()));
  auto blob = HeapAsmResourceBlob::allocateAndCopyWithAlign(bytes, 64);
  auto value = DenseResourceElementsAttr::get(constant.getType(), symbol,
                                              std::move(blob));
  OpBuilder top(func);
  auto weight = fuse::WeightOp::create(top, loc, symbol, StringAttr(), value);
  symbols.insert(weight);
  return kernel::WeightOp::create(
      builder, loc, getMemRefType(constant.getType()), weight.getSymName());
}

Value HostConversion::getResultMemory(Value result) {
  MemRefType type = getMemRefType(result.getType());
  Value output = outputOf.lookup(result);
  if (!output)
    return kernel::BufferOp::create(builder, result.getLoc(), type,
                                    IntegerAttr());
  if (output.getType() == type)
    return output;
  return kernel::ViewOp::create(builder, result.getLoc(), type, output);
}

LogicalResult HostConversion::convertGroup(fuse::GroupOp group) {
  OpBuilder top(func);
  FailureOr<FormedScop> formed = formScop(group, top);
  if (failed(formed))
    return failure();
  symbols.insert(formed->scop);
  SmallVector<Value> operands;
  for (Value input : formed->inputs)
    operands.push_back(memory[input]);
  for (Value result : group.getResults())
    operands.push_back(memory[result] = getResultMemory(result));
  kernel::LaunchOp::create(builder, group.getLoc(), formed->scop.getSymName(),
                           operands);
  ++numScops;
  numStatements += formed->scop.getBody().front().getOperations().size();
  return success();
}

void HostConversion::convertReturn(func::ReturnOp op) {
  Block &body = *op->getBlock();
  unsigned numInputs = body.getNumArguments() - op.getNumOperands();
  for (auto [number, value] : llvm::enumerate(op.getOperands())) {
    if (direct.contains(number) || isEmpty(value))
      continue;
    if (remarks) {
      Value source = skipReshapes(value);
      op.emitRemark() << "result " << number << " is copied: it is "
                      << (isa<BlockArgument>(source) ? "an argument"
                          : source.getDefiningOp<fuse::GroupOp>()
                              ? "returned twice"
                              : "a constant");
    }
    kernel::CopyOp::create(builder, op.getLoc(), memory[value],
                           body.getArgument(numInputs + number));
  }
  func::ReturnOp::create(builder, op.getLoc());
}

namespace {
struct ConvertFuseToSched
    : fusec::sched::impl::ConvertFuseToSchedBase<ConvertFuseToSched> {
  using Base::Base;

  void runOnOperation() override {
    SymbolTable symbols(getOperation());
    for (auto func :
         llvm::make_early_inc_range(getOperation().getOps<func::FuncOp>())) {
      bool hasTensors = llvm::any_of(func.getFunctionType().getResults(),
                                     llvm::IsaPred<RankedTensorType>);
      if (func.isExternal() || !hasTensors)
        continue;
      HostConversion conversion(func, symbols, remarks);
      if (failed(conversion.run()))
        return signalPassFailure();
      numScops += conversion.numScops;
      numStatements += conversion.numStatements;
    }
  }
};
} // namespace
