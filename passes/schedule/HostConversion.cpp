// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Functions, groups, constants and results; HostControl.cpp has the loops.
#include "passes/schedule/HostConversion.h"

#include "dialects/TargetInfo.h"
#include "dialects/fuse/ValueLocation.h"
#include "dialects/library/Declared.h"

#include "mlir/IR/AsmState.h"
#include "mlir/IR/DialectResourceBlobManager.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace fusec;
using namespace fusec::sched;

static Value skipReshapes(Value value) {
  while (auto reshape = value.getDefiningOp<fuse::ReshapeOp>())
    value = reshape->getOperand(0);
  return value;
}

bool HostConversion::takesAnyPlace(Value value) {
  Operation *op = value.getDefiningOp();
  if (auto loop = dyn_cast_if_present<fuse::LoopOp>(op))
    return cast<OpResult>(value).getResultNumber() >= loop.getNumCarried();
  return isa_and_present<fuse::CallOp, fuse::ChoiceOp, fuse::GroupOp,
                         fuse::IfOp>(op);
}

bool HostConversion::want(Value value, Value place, Block &block) {
  Value source = skipReshapes(value);
  if (!takesAnyPlace(source) || source.getParentBlock() != &block ||
      !placeOf.try_emplace(source, place).second)
    return false;
  // What it is made of in place has to be there before.
  if (auto call = source.getDefiningOp<fuse::CallOp>())
    if (int64_t operand =
            findReused(call, cast<OpResult>(source).getResultNumber());
        operand >= 0)
      (void)want(call.getOperands()[operand], place, block);
  if (auto choice = source.getDefiningOp<fuse::ChoiceOp>())
    if (Value operand =
            findReused(choice, cast<OpResult>(source).getResultNumber()))
      (void)want(operand, place, block);
  return true;
}

void HostConversion::addArguments() {
  Block &body = func.getBody().front();
  auto returned = cast<func::ReturnOp>(body.getTerminator()).getOperands();
  SmallVector<BlockArgument> inputs(body.getArguments());
  SmallVector<Type> types;
  SmallVector<DictionaryAttr> attrs;
  func.getAllArgAttrs(attrs);
  attrs.resize(inputs.size(), builder.getDictionaryAttr({}));
  for (BlockArgument input : inputs) {
    types.push_back(getMemRefType(input.getType()));
    memory[input] = body.addArgument(types.back(), input.getLoc());
  }
  for (auto [number, value] : llvm::enumerate(returned)) {
    DictionaryAttr resultAttrs = func.getResultAttrDict(number);
    attrs.push_back(resultAttrs ? resultAttrs : builder.getDictionaryAttr({}));
    auto name = attrs.back().getAs<StringAttr>("fuse.name");
    Location loc = name ? Location(NameLoc::get(name)) : value.getLoc();
    types.push_back(getMemRefType(value.getType()));
    outputs.push_back(body.addArgument(types.back(), loc));
    if (want(value, outputs.back(), body))
      direct.insert(number);
  }
  func.setFunctionType(builder.getFunctionType(types, {}));
  func.removeResAttrsAttr();
  func.setAllArgAttrs(attrs);
  func->setAttr("fuse.outputs", builder.getI64IntegerAttr(returned.size()));
}

LogicalResult HostConversion::checkBlock(Block &block) {
  for (Operation &op : block.without_terminator()) {
    if (isa<fuse::ChoiceOp, fuse::IfOp, fuse::LoopOp>(op)) {
      for (Region &region : op.getRegions())
        if (failed(checkBlock(region.front())))
          return failure();
      continue;
    }
    if (!isa<fuse::GroupOp, fuse::CallOp, fuse::GetWeightOp, fuse::ConstantOp,
             fuse::ReshapeOp>(op))
      return op.emitOpError(
          "is outside of a fusion group; run --fuse-aggregate "
          "before --convert-fuse-to-sched");
  }
  return success();
}

LogicalResult HostConversion::run() {
  Block &body = func.getBody().front();
  auto end = dyn_cast<func::ReturnOp>(body.back());
  if (!end)
    return func.emitOpError(
        "needs to end in a return to become a host program");
  for (Type type : func.getFunctionType().getInputs())
    if (!isa<RankedTensorType>(type))
      return func.emitOpError()
             << "takes a " << type << "; a network takes and returns tensors";
  if (failed(checkBlock(body)))
    return failure();
  SmallVector<Operation *> old;
  for (Operation &op : body)
    old.push_back(&op);
  unsigned numInputs = body.getNumArguments();
  addArguments();
  for (Operation *op : ArrayRef(old).drop_back()) {
    builder.setInsertionPoint(op);
    if (failed(convert(*op)))
      return failure();
  }
  builder.setInsertionPoint(end);
  convertReturn(end);
  for (Operation *op : llvm::reverse(old)) {
    op->dropAllUses();
    op->erase();
  }
  body.eraseArguments(0, numInputs);
  return success();
}

LogicalResult HostConversion::convertBlock(Block &block) {
  for (Operation &op : block.without_terminator())
    if (failed(convert(op)))
      return failure();
  return success();
}

/// Whether a tensor has no elements.
static bool isEmpty(Value value) {
  return cast<ShapedType>(value.getType()).getNumElements() == 0;
}

LogicalResult HostConversion::convert(Operation &op) {
  return llvm::TypeSwitch<Operation *, LogicalResult>(&op)
      .Case([&](fuse::GetWeightOp weight) {
        if (!weight.use_empty())
          memory[weight] =
              makeWeight(op.getLoc(), weight.getType(), weight.getWeight());
        return success();
      })
      .Case([&](fuse::ConstantOp constant) {
        // What has no elements needs no memory to be returned.
        bool isNeeded =
            llvm::any_of(constant->getUsers(), [&](Operation *user) {
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
      .Case([&](fuse::CallOp call) { return convertCall(call); })
      .Case([&](fuse::IfOp branch) { return convertIf(branch); })
      .Case([&](fuse::ChoiceOp choice) { return convertChoice(choice); })
      .Case([&](fuse::LoopOp loop) { return convertLoop(loop); });
}

Value HostConversion::makeWeight(Location loc, Type type, StringRef symbol) {
  OpBuilder top(builder);
  // Ahead of the loop, if this is one: pointers to weights are made once.
  if (outermost)
    top.setInsertionPoint(outermost);
  return kernel::WeightOp::create(top, loc, getMemRefType(type), symbol);
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
    for (APInt value : elements.getValues<APInt>()) {
      // A number of 4 or 2 bits takes a byte, with its sign.
      bool isPart = value.getBitWidth() < 8 && value.getBitWidth() > 1 &&
                    !elements.getElementType().isUnsignedInteger();
      append(isPart ? value.sext(8) : value);
    }
  return bytes;
}

Value HostConversion::convertConstant(fuse::ConstantOp constant) {
  Location loc = constant.getLoc();
  StringRef name = getLocName(loc);
  std::string symbol = name.empty() ? "constant" : toIdentifier(name);
  std::vector<char> bytes =
      getBytes(cast<DenseElementsAttr>(constant.getValue()));
  auto blob = HeapAsmResourceBlob::allocate(bytes.size(), /*align=*/64);
  llvm::copy(bytes, blob.getMutableData().begin());
  auto value = DenseResourceElementsAttr::get(constant.getType(), symbol,
                                              std::move(blob));
  OpBuilder top(func);
  auto weight = fuse::WeightOp::create(top, loc, symbol, StringAttr(), value);
  symbols.insert(weight);
  return makeWeight(loc, constant.getType(), weight.getSymName());
}

Value HostConversion::makeBuffer(Value like) {
  return kernel::BufferOp::create(builder, fuse::getValueLocation(like),
                                  getMemRefType(like.getType()), IntegerAttr());
}

Value HostConversion::getResultMemory(Value result) {
  Value place = placeOf.lookup(result);
  if (!place)
    return makeBuffer(result);
  MemRefType type = getMemRefType(result.getType());
  if (place.getType() == type)
    return place;
  return kernel::ViewOp::create(builder, fuse::getValueLocation(result), type,
                                place);
}

void HostConversion::copy(Value value, Value place) {
  kernel::CopyOp::create(builder, value.getLoc(), memory[value], place);
}

/// Whether a reduction reads `input`, which then matters as a weight: what is
/// read once for each result is not stored otherwise.
static bool isReduced(BlockArgument input) {
  return llvm::any_of(input.getUsers(), [](Operation *user) {
    auto stmt = dyn_cast<StmtOp>(user);
    return stmt && stmt.isReduction();
  });
}

LogicalResult HostConversion::convertGroup(fuse::GroupOp group) {
  OpBuilder top(func);
  FailureOr<FormedScop> formed =
      formScop(group, top, options.rounds, options.batchInvariant);
  if (failed(formed))
    return failure();
  symbols.insert(formed->scop);
  SmallVector<Value> operands;
  SmallVector<int64_t> weights;
  for (auto [number, input] : llvm::enumerate(formed->inputs)) {
    operands.push_back(memory[input]);
    if (options.packed && kernel::getWeight(operands.back()) &&
        isReduced(formed->scop.getBody().getArgument(number)))
      weights.push_back(int64_t(number));
  }
  if (!weights.empty())
    formed->scop.setWeights(weights);
  if ((options.ordered || options.batchInvariant) &&
      formed->scop.reducesFloats())
    formed->scop.setOrdered(true);
  for (Value result : group.getResults())
    operands.push_back(memory[result] = getResultMemory(result));
  kernel::LaunchOp::create(builder, group.getLoc(), formed->scop.getSymName(),
                           operands);
  ++numScops;
  numStatements += formed->scop.getBody().front().getOperations().size();
  return success();
}

/// Whether nothing needs `value` once `op`, which reads it in one place, has
/// run.
static bool diesAt(Value value, Operation *op) {
  unsigned reads = 0;
  SmallVector<Value> all{value};
  while (!all.empty())
    for (OpOperand &use : all.pop_back_val().getUses()) {
      Operation *user = use.getOwner();
      if (auto reshape = dyn_cast<fuse::ReshapeOp>(user)) {
        all.push_back(reshape.getResult());
        continue;
      }
      if (user == op) {
        ++reads;
        continue;
      }
      Operation *around = op->getBlock()->findAncestorOpInBlock(*user);
      if (!around || !around->isBeforeInBlock(op))
        return false;
    }
  return reads == 1;
}

int64_t HostConversion::findReused(fuse::CallOp call, unsigned index) {
  for (StringRef kind :
       {library::kMustAliasParameter, library::kMayAliasParameter}) {
    const int64_t operand =
        library::getAliased(call.getParameters(), kind, index);
    if (operand < 0)
      continue;
    Value source = skipReshapes(call.getOperands()[operand]);
    if (takesAnyPlace(source) && source.getParentBlock() == call->getBlock() &&
        diesAt(source, call))
      return operand;
  }
  return -1;
}

/// Whether two are one memory, under whatever shape; a row is its own.
static bool isSameMemory(Value a, Value b) {
  for (Value *value : {&a, &b}) {
    auto view = value->getDefiningOp<kernel::ViewOp>();
    while (view && !view.getIndex()) {
      *value = view.getSource();
      view = value->getDefiningOp<kernel::ViewOp>();
    }
  }
  return a == b;
}

LogicalResult HostConversion::convertCall(fuse::CallOp call) {
  if (call.getParameters().contains(library::kAlgorithmsParameter))
    return call.emitOpError("has several algorithms; run "
                            "--fuse-expand-algorithms before "
                            "--convert-fuse-to-sched");
  SmallVector<Value> inputs, outputs;
  for (Value operand : call.getOperands())
    inputs.push_back(memory[operand]);
  for (auto [number, result] : llvm::enumerate(call.getResults())) {
    const int64_t must = library::getAliased(
        call.getParameters(), library::kMustAliasParameter, number);
    const int64_t reused = findReused(call, number);
    if (reused >= 0 && !placeOf.contains(result)) {
      outputs.push_back(memory[result] = inputs[reused]);
      continue;
    }
    outputs.push_back(memory[result] = getResultMemory(result));
    if (must < 0 || isSameMemory(inputs[must], outputs.back()))
      continue;
    kernel::CopyOp::create(builder, call.getLoc(), inputs[must],
                           outputs.back());
    inputs[must] = outputs.back();
  }
  const TargetInfo &target = getTargetInfo(call);
  DictionaryAttr taken = library::takeForms(call.getParameters(), target);
  auto declared = SymbolTable::lookupNearestSymbolFrom<fuse::OperatorOp>(
      call, call.getCalleeAttr());
  if (declared && declared.isForGpusAlone() && !library::hasDeviceForm(taken))
    return call.emitOpError()
           << "of @" << call.getCallee()
           << " is of an operator without a form for CPUs, and " << target.name
           << " does not launch its kernels";
  library::Call types(ValueRange(inputs).getTypes(),
                      ValueRange(outputs).getTypes(), taken);
  Value workspace;
  if (int64_t bytes = library::find(call.getCallee())->workspaceBytes(types))
    workspace = kernel::BufferOp::create(
        builder, NameLoc::get(builder.getStringAttr("workspace")),
        MemRefType::get({bytes}, builder.getI8Type()), IntegerAttr());
  kernel::CallOp::create(builder, call.getLoc(), call.getCalleeAttr(), taken,
                         inputs, outputs, workspace);
  return success();
}

/// Why a returned value is not computed into its output.
static StringRef explainCopy(Value source, bool isReturnedTwice) {
  if (isa<BlockArgument>(source))
    return "an argument";
  if (isReturnedTwice)
    return "returned twice";
  return source.getDefiningOp<fuse::LoopOp>() ? "carried by a loop"
                                              : "a constant";
}

void HostConversion::convertReturn(func::ReturnOp op) {
  for (auto [number, value] : llvm::enumerate(op.getOperands())) {
    if (direct.contains(number) || isEmpty(value))
      continue;
    Value source = skipReshapes(value);
    if (options.remarks)
      op.emitRemark() << "result " << number << " is copied: it is "
                      << explainCopy(source, takesAnyPlace(source));
    kernel::CopyOp::create(builder, op.getLoc(), memory[value],
                           outputs[number]);
  }
  func::ReturnOp::create(builder, op.getLoc());
}
