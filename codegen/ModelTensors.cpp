// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "codegen/ModelTensors.h"

#include "codegen/Names.h"
#include "dialects/fuse/Growing.h"
#include "dialects/fuse/Padded.h"
#include "dialects/fuse/State.h"
#include "llvm/ADT/DenseSet.h"

using namespace mlir;

namespace fusec::codegen {

/// The numbers of the arguments that are a state's value and its next one.
static LogicalResult
collectStates(func::FuncOp main,
              SmallVectorImpl<std::pair<unsigned, unsigned>> &states) {
  unsigned numOutputs =
      main->getAttrOfType<IntegerAttr>("fuse.outputs").getInt();
  unsigned numInputs = main.getNumArguments() - numOutputs;
  llvm::DenseSet<int64_t> taken;
  for (unsigned input = 0; input < numInputs; ++input) {
    auto output = main.getArgAttrOfType<IntegerAttr>(input, fuse::kStateAttr);
    if (!output)
      continue;
    int64_t number = output.getInt();
    if (number < 0 || number >= numOutputs || !taken.insert(number).second ||
        main.getArgument(numInputs + number).getType() !=
            main.getArgument(input).getType())
      return main.emitOpError("argument ")
             << input << " has " << fuse::kStateAttr << " = " << number
             << ", which is not the number of an output of the same type that "
                "is no other one's";
    states.emplace_back(input, numInputs + number);
  }
  return success();
}

/// The bytes of `number` as an element of `type`.
static uint64_t bitsOf(double number, Type type) {
  if (auto floats = dyn_cast<FloatType>(type)) {
    APFloat value(number);
    bool losesInfo = false;
    value.convert(floats.getFloatSemantics(), APFloat::rmNearestTiesToEven,
                  &losesInfo);
    return value.bitcastToAPInt().getZExtValue();
  }
  return static_cast<uint64_t>(static_cast<int64_t>(number));
}

/// What fuse.padded says of an argument of `type`.
static FailureOr<std::vector<PaddingInfo>>
collectPadding(func::FuncOp main, unsigned argument, MemRefType type,
               ArrayRef<ExtentInfo> extents) {
  std::vector<PaddingInfo> rows;
  auto list = main.getArgAttrOfType<ArrayAttr>(argument, fuse::kPaddedAttr);
  if (!list)
    return rows;
  for (Attribute attr : list) {
    auto row = dyn_cast<DictionaryAttr>(attr);
    auto get = [&](StringRef key) {
      auto number = row ? row.getAs<IntegerAttr>(key) : IntegerAttr();
      return number ? number.getInt() : int64_t(-1);
    };
    const int64_t symbol = get("symbol"), axis = get("axis"),
                  inner = get("inner");
    if (symbol < 0 || symbol >= int64_t(extents.size()) || axis < 0 ||
        axis >= type.getRank() || inner < 1 || extents[symbol].extent < 1 ||
        type.getDimSize(axis) % (inner * extents[symbol].extent))
      return main.emitOpError("argument ")
             << argument << " has a row of " << fuse::kPaddedAttr
             << " that names no symbol, or no dimension that has its extent "
                "as a factor";
    uint64_t behind = inner;
    for (int64_t extent : type.getShape().drop_front(axis + 1))
      behind *= extent;
    auto fill = row.getAs<FloatAttr>("fill");
    rows.push_back(
        {unsigned(symbol), unsigned(axis), behind, bool(fill),
         fill ? bitsOf(fill.getValueAsDouble(), type.getElementType()) : 0});
  }
  return rows;
}

LogicalResult collectTensors(ModelInfo &model) {
  func::FuncOp main = model.main;
  auto count = main->getAttrOfType<IntegerAttr>("fuse.outputs");
  if (!count || count.getInt() < 0 || count.getInt() > main.getNumArguments())
    return main.emitOpError("has a fuse.outputs that is not the number of its "
                            "trailing output arguments");
  unsigned numInputs = main.getNumArguments() - count.getInt();
  SmallVector<std::pair<unsigned, unsigned>> states;
  if (failed(collectStates(main, states)))
    return failure();
  Names inputNames(Names::Reserved::Keywords);
  Names outputNames(Names::Reserved::Keywords);
  // The structs that they are members of.
  inputNames.declare("Inputs", "x");
  outputNames.declare("Outputs", "y");
  std::vector<TensorInfo> all;
  for (BlockArgument argument : main.getArguments()) {
    unsigned number = argument.getArgNumber();
    auto type = dyn_cast<MemRefType>(argument.getType());
    if (!type || !getTypeInfo(type.getElementType()) || !type.hasStaticShape())
      return main.emitOpError("argument ")
             << number << " is " << argument.getType()
             << ", expected a memref of static shape and known element type";
    bool isInput = number < numInputs;
    std::string name;
    if (auto attr = main.getArgAttrOfType<StringAttr>(number, "fuse.name"))
      name = attr.getValue().str();
    std::string fallback = isInput ? "x" + std::to_string(number)
                                   : "y" + std::to_string(number - numInputs);
    if (name.empty())
      name = fallback;
    Names &scope = isInput ? inputNames : outputNames;
    all.push_back({name, scope.declare(name, fallback), type, argument});
    if (auto note = main.getArgAttrOfType<StringAttr>(number, "fuse.note"))
      all.back().note = note.getValue().str();
    auto padding = collectPadding(main, number, type, model.extents);
    if (failed(padding))
      return failure();
    all.back().padding = std::move(*padding);
  }
  llvm::DenseSet<unsigned> taken;
  for (auto [past, present] : states) {
    StateInfo &state = model.states.emplace_back();
    state.past = all[past];
    state.present = all[present];
    auto room = main.getArgAttrOfType<DenseI64ArrayAttr>(past, fuse::kRoomAttr);
    if (room && (room.size() != 2 || room[0] < 0 || room[0] > room[1] ||
                 room[1] > UINT32_MAX ||
                 !all[past].type.getElementType().isInteger(64) ||
                 all[past].type.getNumElements() != 1))
      return main.emitOpError("argument ")
             << past << " has " << fuse::kRoomAttr
             << ", which is not the rows that a run adds to an i64 and those "
                "that there is room for";
    if (room) {
      state.rows = room[0];
      state.room = room[1];
    }
    taken.insert(past);
    taken.insert(present);
  }
  for (const TensorInfo &tensor : all)
    if (unsigned number = tensor.argument.getArgNumber();
        !taken.contains(number))
      (number < numInputs ? model.inputs : model.outputs).push_back(tensor);
  return success();
}

} // namespace fusec::codegen
