// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Builders and accessors of scops and statements, and the names they use.
#include "dialects/sched/SchedOps.h"

#include "dialects/AffineRanges.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"

using namespace mlir;
using namespace fusec;
using namespace fusec::sched;

StringRef fusec::sched::getLocName(Location loc) {
  if (auto name = dyn_cast<NameLoc>(loc))
    return name.getName().getValue();
  if (auto fused = dyn_cast<FusedLoc>(loc))
    for (Location part : fused.getLocations())
      if (StringRef name = getLocName(part); !name.empty())
        return name;
  if (auto call = dyn_cast<CallSiteLoc>(loc))
    return getLocName(call.getCallee());
  return {};
}

std::string fusec::sched::toIdentifier(StringRef text) {
  std::string name;
  for (char c : text)
    name += llvm::isAlnum(c) ? c : '_';
  if (name.empty() || llvm::isDigit(name.front()))
    name.insert(0, "v");
  return name;
}

std::string fusec::sched::getIteratorName(unsigned position) {
  static constexpr StringLiteral letters = "ijklmnopqrstu";
  return position < letters.size() ? letters.substr(position, 1).str()
                                   : "d" + std::to_string(position);
}

std::optional<Difference> fusec::sched::readDifference(AffineExpr expr) {
  std::optional<unsigned> plus, minus, block;
  int64_t constant = 0, length = 0;
  SmallVector<AffineExpr> terms = {expr};
  while (!terms.empty()) {
    AffineExpr term = terms.pop_back_val();
    auto binary = dyn_cast<AffineBinaryOpExpr>(term);
    if (binary && binary.getKind() == AffineExprKind::Add) {
      terms.append({binary.getLHS(), binary.getRHS()});
      continue;
    }
    if (auto number = dyn_cast<AffineConstantExpr>(term)) {
      constant += number.getValue();
      continue;
    }
    auto times = binary && binary.getKind() == AffineExprKind::Mul
                     ? dyn_cast<AffineConstantExpr>(binary.getRHS())
                     : AffineConstantExpr();
    auto dim = dyn_cast<AffineDimExpr>(times ? binary.getLHS() : term);
    const int64_t factor = times ? times.getValue() : 1;
    std::optional<unsigned> &side = factor == 1    ? plus
                                    : factor == -1 ? minus
                                                   : block;
    if (!dim || side)
      return std::nullopt;
    side = dim.getPosition();
    if (factor != 1 && factor != -1)
      length = factor;
  }
  if (!plus || !minus || *plus == *minus || block == plus || block == minus)
    return std::nullopt;
  return Difference{*plus, *minus, constant, block, length};
}

std::optional<std::pair<int64_t, int64_t>>
fusec::sched::getRange(AffineExpr expr, ArrayRef<int64_t> extents) {
  bool isSum = true;
  expr.walk([&](AffineExpr part) {
    isSum &= part.getKind() == AffineExprKind::Add ||
             part.getKind() == AffineExprKind::Mul ||
             isa<AffineConstantExpr, AffineDimExpr>(part);
  });
  if (!isSum ||
      llvm::any_of(extents, [](int64_t extent) { return extent <= 0; }))
    return std::nullopt;
  SmallVector<IndexRange> dims;
  for (int64_t extent : extents)
    dims.push_back({0, extent - 1});
  IndexRange range = rangeOf(expr, dims);
  if (!range.low || !range.high)
    return std::nullopt;
  return std::pair(*range.low, *range.high);
}

SmallVector<std::string> ScopOp::getArrayNames() {
  SmallVector<std::string> names;
  llvm::StringSet<> taken;
  for (BlockArgument argument : getBody().getArguments()) {
    StringRef given = getLocName(argument.getLoc());
    std::string base = given.empty()
                           ? "a" + std::to_string(argument.getArgNumber())
                           : toIdentifier(given);
    std::string name = base;
    for (int64_t suffix = 2; !taken.insert(name).second; ++suffix)
      name = base + "_" + std::to_string(suffix);
    names.push_back(name);
  }
  return names;
}

std::string ScopOp::getArrayName(Value memref) {
  return getArrayNames()[cast<BlockArgument>(memref).getArgNumber()];
}

void ScopOp::getAsmBlockArgumentNames(Region &region,
                                      OpAsmSetValueNameFn setName) {
  SmallVector<std::string> names = getArrayNames();
  for (BlockArgument argument : region.getArguments())
    setName(argument, names[argument.getArgNumber()]);
}

void ScopOp::build(OpBuilder &builder, OperationState &state, StringRef name,
                   ArrayRef<ArrayDecl> inputs, ArrayRef<ArrayDecl> outputs,
                   ArrayRef<ArrayDecl> arrays) {
  state.addAttribute(getSymNameAttrName(state.name),
                     builder.getStringAttr(name));
  state.addAttribute(getNumInputsAttrName(state.name),
                     builder.getI64IntegerAttr(inputs.size()));
  state.addAttribute(getNumOutputsAttrName(state.name),
                     builder.getI64IntegerAttr(outputs.size()));
  Block &block = state.addRegion()->emplaceBlock();
  for (ArrayRef<ArrayDecl> list : {inputs, outputs, arrays})
    for (const ArrayDecl &array : list)
      block.addArgument(
          array.type,
          NameLoc::get(builder.getStringAttr(array.name), array.loc));
}

int64_t StmtOp::getLaneBytes() {
  int64_t most = 0;
  for (Value array : getWrites())
    most = std::max(most, fusec::getLaneBytes(array.getType()));
  return most;
}

SmallVector<std::string> StmtOp::getDimNames() {
  SmallVector<std::string> names;
  for (StringAttr name : getDims().getAsRange<StringAttr>())
    names.push_back(name.str());
  return names;
}

void StmtOp::build(OpBuilder &builder, OperationState &state, StringRef name,
                   ArrayRef<std::string> dims, ArrayRef<int64_t> extents,
                   ArrayRef<int64_t> reduced, ArrayRef<Access> reads,
                   ArrayRef<Access> writes) {
  SmallVector<StringRef> dimNames(dims.begin(), dims.end());
  SmallVector<Attribute> readMaps, paddings, writeMaps;
  Block &block = state.addRegion()->emplaceBlock();
  for (const Access &read : reads) {
    state.addOperands(read.array);
    readMaps.push_back(AffineMapAttr::get(read.map));
    paddings.push_back(read.padding ? Attribute(read.padding)
                                    : builder.getUnitAttr());
    block.addArgument(
        getComputeType(cast<MemRefType>(read.array.getType()).getElementType()),
        state.location);
  }
  for (const Access &write : writes) {
    state.addOperands(write.array);
    writeMaps.push_back(AffineMapAttr::get(write.map));
  }
  Properties &properties = state.getOrAddProperties<Properties>();
  properties.sym_name = builder.getStringAttr(name);
  properties.dims = builder.getStrArrayAttr(dimNames);
  properties.extents = builder.getDenseI64ArrayAttr(extents);
  properties.reduced = builder.getDenseI64ArrayAttr(reduced);
  properties.read_maps = builder.getArrayAttr(readMaps);
  properties.paddings = builder.getArrayAttr(paddings);
  properties.write_maps = builder.getArrayAttr(writeMaps);
  properties.operandSegmentSizes = {int32_t(reads.size()),
                                    int32_t(writes.size())};
}

#define GET_OP_CLASSES
#include "dialects/sched/SchedOps.defs.inc"
