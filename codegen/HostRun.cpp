// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "codegen/HostRun.h"

#include "codegen/Aliases.h"
#include "codegen/KernelEmitter.h"
#include "codegen/TargetSyntax.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace fusec::codegen {

namespace {
class RunEmitter {
public:
  RunEmitter(const ModelInfo &model, SourceWriter &out, Names &names)
      : model(model), out(out), names(names) {
    for (const WeightInfo &info : model.weights)
      weightInfos[fuse::WeightOp(info.op).getSymName()] = &info;
  }
  LogicalResult run();

private:
  /// Whether the host program may read and write a memref itself.
  bool isInReach(Value value) const {
    return !model.isForDevice() || kernel::isOnHost(value.getType());
  }

  /// What a memref is in the source.
  struct Pointer {
    std::string name;
    bool isConst = false;
  };

  LogicalResult emitBlock(Block &block);
  LogicalResult emit(Operation &op);
  LogicalResult emitRepeat(kernel::RepeatOp op);
  LogicalResult emitBranch(kernel::BranchOp op);
  LogicalResult emitCall(kernel::CallOp op);
  void emitOperator(kernel::CallOp op, const CallInfo &info);
  LogicalResult emitChoice(const ChoiceInfo &choice, unsigned number);
  void emitWeight(kernel::WeightOp op);
  void emitBuffer(kernel::BufferOp op);
  void emitSetIndex(kernel::SetIndexOp op);
  void emitView(kernel::ViewOp op);
  void emitFill(kernel::FillOp op);
  void emitCopy(kernel::CopyOp op);
  LogicalResult checkOnHost(Operation *op, ValueRange values);
  void emitLaunch(kernel::LaunchOp op);
  /// Declares a pointer that is `call`, for example "input(run, 0)"; the type
  /// is filled in.
  void declarePointer(Value value, StringRef wish, bool isConst,
                      const Twine &call);
  StringRef name(Value value) { return pointers[value].name; }

  const ModelInfo &model;
  SourceWriter &out;
  Names &names;
  llvm::DenseMap<Value, Pointer> pointers;
  llvm::DenseMap<Value, std::string> indices;
  llvm::StringMap<const WeightInfo *> weightInfos; ///< by symbol
  llvm::StringMap<std::string> weightPointers;     ///< by identifier
  unsigned launch = 0, call = 0;
};
} // namespace

static std::string elementTypeName(Value value) {
  return storageTypeName(cast<MemRefType>(value.getType()));
}

void RunEmitter::declarePointer(Value value, StringRef wish, bool isConst,
                                const Twine &call) {
  std::string name = names.declare(wish, "buffer");
  std::string type = elementTypeName(value), text = call.str();
  text.insert(text.find('('), "<" + type + ">");
  out.line("{}{} *{} = {};", isConst ? "const " : "", type, name, text);
  pointers[value] = {name, isConst};
}

void RunEmitter::emitWeight(kernel::WeightOp op) {
  // A weight that is read in several places is one pointer.
  const WeightInfo &info = *weightInfos.at(op.getWeight());
  const bool isOnHost = kernel::isOnHost(op.getType());
  auto [known, isNew] =
      weightPointers.try_emplace((isOnHost ? "host " : "") + info.identifier);
  if (isNew) {
    declarePointer(op, info.identifier, true,
                   Twine(isOnHost ? "host_weight" : "weight") + "(run, " +
                       Twine(info.offset) + ")");
    known->second = name(op).str();
  }
  pointers[op] = {known->second, true};
}

void RunEmitter::emitBuffer(kernel::BufferOp op) {
  declarePointer(
      op, firstName(op.getLoc()), false,
      Twine(kernel::isOnHost(op.getType()) ? "host_arena" : "arena") +
          "(run, " + Twine(*op.getOffset()) + ")");
}

void RunEmitter::emitView(kernel::ViewOp op) {
  Pointer source = pointers.lookup(op.getSource());
  if (!op.getIndex()) {
    pointers[op] = source;
    return;
  }
  // x + i * 4, x + (16 - i * 4)
  std::string index = indices.lookup(op.getIndex()), offset = index;
  if (int64_t stride = op.getStride(); std::abs(stride) != 1)
    offset += fmt::format(" * {}", std::abs(stride));
  if (op.getStride() < 0)
    offset = fmt::format("({} - {})", op.getStart(), offset);
  else if (op.getStart())
    offset = fmt::format("{} + {}", op.getStart(), offset);
  std::string variable = names.declare(firstName(op.getLoc()), "row");
  out.line("{}{} *{} = {} + {};", source.isConst ? "const " : "",
           elementTypeName(op), variable, source.name, offset);
  pointers[op] = {variable, source.isConst};
}

void RunEmitter::emitLaunch(kernel::LaunchOp op) {
  const LaunchInfo &info = model.launches[launch++];
  std::string text =
      fmt::format("launch<{}::{}_fn>(run, {}", model.files,
                  model.groups[info.group].identifier, info.identifier);
  for (Value operand : op.getOperands())
    text += ", " + name(operand).str();
  out.line(text + ");");
}

/// What the host program would read or write in memory that it cannot reach.
LogicalResult RunEmitter::checkOnHost(Operation *op, ValueRange values) {
  for (Value value : values)
    if (value && !isInReach(value))
      return op->emitOpError()
             << "reads or writes " << value.getType()
             << ", memory of the device, on the host; run --model-partition "
                "before emission";
  return success();
}

/// Memory in braces, as an argument.
static std::string listPointers(ArrayRef<std::string> names) {
  return "{" + llvm::join(names, ", ") + "}";
}

/// An operator of a user's, which may fail.
void RunEmitter::emitOperator(kernel::CallOp op, const CallInfo &info) {
  auto getNames = [&](ValueRange values) {
    SmallVector<std::string> all;
    for (Value value : values)
      all.push_back(name(value).str());
    return listPointers(all);
  };
  out.open(fmt::format(
      "if (const int32_t fusec_failed = fusec::{}(run, {}, {}, {}, {}, "
      "{}, {}))",
      info.launchesKernels ? "launch_op" : "call_op", info.identifier,
      info.site, getNames(op.getInputs()), getNames(op.getOutputs()),
      op.getWorkspace() ? name(op.getWorkspace()).str() : "nullptr",
      info.workspaceBytes));
  out.line("return fusec_failed;");
  out.close("", /*elide=*/true);
}

LogicalResult RunEmitter::emitCall(kernel::CallOp op) {
  const CallInfo &info = model.calls[call++];
  if (info.declared) {
    emitOperator(op, info);
    return info.launchesKernels ? success()
                                : checkOnHost(op, op->getOperands());
  }
  const library::CpuForm &form = info.routine->cpu;
  out.open("call(run, " + info.identifier + ", [&]");
  std::string text = form.symbol.str() + "(run->kernel_ctx";
  for (Value operand : op->getOperands())
    text += ", " + name(operand).str();
  for (const library::Argument &argument : form.getArguments(describeCall(op)))
    text += fmt::format(", /*{}=*/{}", argument.name, argument.text);
  out.line(text + ");");
  out.close(");");
  return checkOnHost(op, op->getOperands());
}

LogicalResult RunEmitter::emitRepeat(kernel::RepeatOp op) {
  names.pushScope();
  std::string index = names.declare("i", "i");
  indices[op.getIndex()] = index;
  SmallVector<std::string> conditions;
  if (op.getTrips())
    conditions.push_back(fmt::format("{} < {}", index, *op.getTrips()));
  if (op.getCount())
    conditions.push_back(index + " < *" + name(op.getCount()).str());
  if (op.getCondition())
    conditions.push_back("*" + name(op.getCondition()).str());
  std::string condition = llvm::join(conditions, " && ");
  bool counts = op.getTrips() || op.getCount() || !op.getIndex().use_empty();
  out.open(counts ? "for (int64_t " + index + " = 0; " + condition + "; ++" +
                        index + ")"
                  : "while (" + condition + ")");
  OperandRange swaps = op.getSwaps();
  for (unsigned i = 0; i < op.getNumResults(); ++i) {
    pointers[op.getNow(i)] = pointers.lookup(swaps[2 * i]);
    pointers[op.getNext(i)] = pointers.lookup(swaps[2 * i + 1]);
    pointers[op.getResult(i)] = pointers.lookup(swaps[2 * i]);
  }
  LogicalResult result = emitBlock(op.getBody().front());
  for (unsigned i = 0; i < op.getNumResults(); ++i)
    out.line("std::swap({}, {});", name(swaps[2 * i]), name(swaps[2 * i + 1]));
  out.close();
  names.popScope();
  if (failed(checkOnHost(op, {op.getCount(), op.getCondition()})))
    return failure();
  return result;
}

bool isFilledByBytes(kernel::FillOp op) {
  APInt bits = op.getBits();
  return bits.getBitWidth() <= 8 || bits.isSplat(8);
}

/// The value in C++, of the element type or converted to it without loss.
static std::string fillText(kernel::FillOp op) {
  Type type = op.getValue().getType();
  APInt bits = op.getBits();
  if (type.isUnsignedInteger())
    return fmt::format("{}u", bits.getZExtValue());
  if (type.isInteger())
    return integerLiteral(bits).text;
  std::string name = storageTypeName(type);
  if (bits.getBitWidth() < 32)
    return fmt::format("{}{{{}}}", name, bits.getZExtValue());
  APFloat number = cast<FloatAttr>(op.getValue()).getValue();
  if (number.isFinite())
    return floatLiteral(number).text;
  return fmt::format("{}std::numeric_limits<{}>::{}()",
                     number.isNegative() ? "-" : "", name,
                     number.isNaN() ? "quiet_NaN" : "infinity");
}

void RunEmitter::emitFill(kernel::FillOp op) {
  std::string target = name(op.getTarget()).str();
  auto type = cast<MemRefType>(op.getTarget().getType());
  if (!isInReach(op.getTarget())) {
    out.line("fill_device(run, {}, {}, {});", target, type.getNumElements(),
             fillText(op));
    return;
  }
  if (isFilledByBytes(op)) {
    uint64_t byte = op.getBits().zextOrTrunc(8).getZExtValue();
    out.line("std::memset({}, {}, {});", target, byte, byteSize(type));
    return;
  }
  out.line("std::fill_n({}, {}, {});", target, type.getNumElements(),
           fillText(op));
}

void RunEmitter::emitCopy(kernel::CopyOp op) {
  const bool toReach = isInReach(op.getTarget()),
             fromReach = isInReach(op.getSource());
  const bool isWithin = isWithinAlias(model, op);
  if (isWithin)
    out.open(fmt::format("if ({} != {})", name(op.getTarget()).str(),
                         name(op.getSource()).str()));
  out.line("{}({}, {}, {});",
           toReach && fromReach ? "std::memcpy"
           : toReach            ? "copy_to_host"
           : fromReach          ? "copy_to_device"
                                : "copy_on_device",
           (toReach && fromReach ? "" : "run, ") + name(op.getTarget()).str(),
           name(op.getSource()),
           byteSize(cast<MemRefType>(op.getSource().getType())));
  if (isWithin)
    out.close("", /*elide=*/true);
}

void RunEmitter::emitSetIndex(kernel::SetIndexOp op) {
  const std::string index = indices.lookup(op.getIndex());
  if (isInReach(op.getTarget()))
    out.line("*{} = {};", name(op.getTarget()), index);
  else
    out.line("fill_device(run, {}, 1, {});", name(op.getTarget()), index);
}

LogicalResult RunEmitter::emitBranch(kernel::BranchOp op) {
  out.open("if (*" + name(op.getCondition()) + ")");
  names.pushScope();
  LogicalResult result = emitBlock(op.getThenBody().front());
  names.popScope();
  out.elseBlock();
  names.pushScope();
  if (failed(emitBlock(op.getElseBody().front())))
    result = failure();
  names.popScope();
  out.close();
  if (failed(checkOnHost(op, op.getCondition())))
    return failure();
  return result;
}

/// The alternatives from that number on, of which the last needs no question.
LogicalResult RunEmitter::emitChoice(const ChoiceInfo &choice,
                                     unsigned number) {
  const AlternativeInfo &alternative = choice.alternatives[number];
  bool isLast = number + 1 == choice.alternatives.size();
  if (!isLast)
    out.open(fmt::format("if (run->selection[{}] == {})", choice.identifier,
                         alternative.identifier));
  kernel::ChoiceOp op = choice.op;
  names.pushScope();
  LogicalResult result = emitBlock(op.getAlternatives()[number].front());
  names.popScope();
  if (isLast)
    return result;
  out.elseBlock();
  if (failed(emitChoice(choice, number + 1)))
    result = failure();
  out.close();
  return result;
}

LogicalResult RunEmitter::emit(Operation &op) {
  bool known =
      llvm::TypeSwitch<Operation *, bool>(&op)
          .Case(
              [&](kernel::WeightOp weight) { return emitWeight(weight), true; })
          .Case(
              [&](kernel::BufferOp buffer) { return emitBuffer(buffer), true; })
          .Case([&](kernel::ViewOp view) { return emitView(view), true; })
          .Case([&](kernel::CopyOp copy) { return emitCopy(copy), true; })
          .Case([&](kernel::FillOp fill) { return emitFill(fill), true; })
          .Case([&](kernel::SetIndexOp set) { return emitSetIndex(set), true; })
          .Case([&](kernel::LaunchOp op) { return emitLaunch(op), true; })
          .Case([&](func::ReturnOp) {
            out.line(model.isForDevice() ? "return finish_run(run);"
                                         : "return 0;");
            return true;
          })
          .Case([&](kernel::EndOp) { return true; })
          .Default(false);
  if (known)
    return success();
  if (auto call = dyn_cast<kernel::CallOp>(op))
    return emitCall(call);
  if (auto repeat = dyn_cast<kernel::RepeatOp>(op))
    return emitRepeat(repeat);
  if (auto branch = dyn_cast<kernel::BranchOp>(op))
    return emitBranch(branch);
  for (const ChoiceInfo &choice : model.choices)
    if (choice.op == &op)
      return emitChoice(choice, 0);
  out.line("#error \"fusec cannot print " + op.getName().getStringRef() + "\"");
  return op.emitOpError("has no form in the host program; expected only "
                        "kernel.weight, buffer, view, copy, fill, launch, "
                        "call, repeat, branch and choice");
}

LogicalResult RunEmitter::emitBlock(Block &block) {
  bool failed = false;
  for (Operation &op : block)
    failed |= mlir::failed(emit(op));
  return failure(failed);
}

LogicalResult RunEmitter::run() {
  bool usesRun =
      !model.groups.empty() || !model.calls.empty() || model.isForDevice();
  for (BlockArgument argument : func::FuncOp(model.main).getArguments())
    usesRun |= !argument.use_empty();
  out.open(std::string("int32_t run(const fusec_run_ctx *") +
           (usesRun ? "run" : "") + ")");
  if (usesRun)
    out.line("using namespace fusec;");
  auto declare = [&](const TensorInfo &tensor, bool isInput, size_t number) {
    if (!tensor.argument.use_empty())
      declarePointer(tensor.argument, tensor.identifier, isInput,
                     Twine(isInput ? "input" : "output") + "(run, " +
                         Twine(number) + ")");
  };
  for (auto [number, input] : llvm::enumerate(model.inputs))
    declare(input, true, number);
  for (auto [number, state] : llvm::enumerate(model.states))
    declare(state.past, true, model.inputs.size() + number);
  for (auto [number, output] : llvm::enumerate(model.outputs))
    declare(output, false, number);
  for (auto [number, state] : llvm::enumerate(model.states))
    declare(state.present, false, model.outputs.size() + number);
  // Pointers first, then what happens, as far as the order allows.
  bool failed = false, inPointers = true;
  for (Operation &op : func::FuncOp(model.main).getBody().front()) {
    bool isPointer =
        isa<kernel::WeightOp, kernel::BufferOp, kernel::ViewOp>(op);
    if (inPointers && !isPointer && !isa<func::ReturnOp>(op))
      out.raw();
    inPointers &= isPointer;
    failed |= mlir::failed(emit(op));
  }
  out.close();
  return failure(failed);
}

LogicalResult emitRun(const ModelInfo &model, SourceWriter &out, Names &names) {
  return RunEmitter(model, out, names).run();
}

void collectStandardHeaders(const ModelInfo &model,
                            std::set<std::string> &headers) {
  func::FuncOp(model.main).walk([&](Operation *op) {
    auto isInReach = [&](Value value) {
      return !model.isForDevice() || kernel::isOnHost(value.getType());
    };
    if (auto copy = dyn_cast<kernel::CopyOp>(op);
        copy && isInReach(copy.getSource()) && isInReach(copy.getTarget()))
      headers.insert("cstring");
    if (isa<kernel::RepeatOp>(op) && op->getNumResults())
      headers.insert("utility");
    if (auto fill = dyn_cast<kernel::FillOp>(op)) {
      if (isInReach(fill.getTarget()))
        headers.insert(isFilledByBytes(fill) ? "cstring" : "algorithm");
      auto number = dyn_cast<FloatAttr>(fill.getValue());
      if (number && !number.getValue().isFinite())
        headers.insert("limits");
    }
  });
}

} // namespace fusec::codegen
