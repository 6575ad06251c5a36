// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Routines of the library, and operators of users.
#include "compiler/export/Registry.h"
#include "dialects/library/Declared.h"
#include "passes/graph/ConstantData.h"

using namespace mlir;

namespace fusec {
namespace {

int64_t getInt(fuse::CallOp op, llvm::StringRef name) {
  return op.getParameters().getAs<IntegerAttr>(name).getInt();
}
bool getBool(fuse::CallOp op, llvm::StringRef name) {
  return op.getParameters().getAs<BoolAttr>(name).getValue();
}
llvm::StringRef getText(fuse::CallOp op, llvm::StringRef name) {
  return op.getParameters().getAs<StringAttr>(name).getValue();
}

void writeTopK(fuse::CallOp op, Writer &w) {
  w.node("TopK", {w.name(op.getOperand(0)), w.integers({getInt(op, "k")})},
         op->getResults())
      .integer("axis", getInt(op, "axis"))
      .integer("largest", getBool(op, "largest"));
}

/// Whether some of `indices`, which a choice makes, lie outside of everything:
/// updates there are left out, and ONNX has none.
bool leavesOut(Value indices) {
  auto select = indices.getDefiningOp<fuse::SelectOp>();
  if (!select)
    return false;
  auto isOutside = [](Value value) {
    return fuse::getUniformInteger(value) == INT32_MAX;
  };
  return isOutside(select.getLhs()) || isOutside(select.getRhs());
}

/// Scatters with the attributes that `set` gives the node, along `axis`, or the
/// first dimension, by whose number in each row of `indices` what is left out
/// is known. A row behind all others takes that, and goes again.
void writeScatter(fuse::CallOp op, Writer &w, llvm::StringRef type,
                  int64_t axis, llvm::function_ref<void(NodeHandle)> set) {
  Writer::Names operands = w.names(op->getOperands());
  Value data = op->getOperand(0), indices = op->getOperand(1);
  if (!leavesOut(indices))
    return set(w.node(type, operands, op->getResults()));
  SmallVector<int64_t> pads(2 * shapeOf(data).size(), 0);
  const int64_t extent = shapeOf(data)[axis];
  pads[shapeOf(data).size() + axis] = 1;
  Type element = elementOf(indices);
  operands[0] = w.step("Pad", {operands[0], w.integers(pads),
                               w.scalar(0, elementOf(data))})
                    .output();
  // Numbers from the end mean the same as before.
  std::string isNegative =
      w.step("Less", {operands[1], w.scalar(0, element)}).output();
  std::string outside =
      w.step("Equal", {operands[1], w.scalar(INT32_MAX, element)}).output();
  std::string ends = w.scalar(double(extent), element), last = ends;
  if (type == "ScatterND") {
    int64_t count = shapeOf(indices).back();
    SmallVector<int64_t> all(shapeOf(data).take_front(count)), row(count, 0);
    row[0] = extent;
    ends = w.cast(w.integers(all), element);
    last = w.cast(w.integers(row), element);
  }
  std::string fromEnd = w.step("Add", {operands[1], ends}).output();
  std::string whole =
      w.step("Where", {isNegative, fromEnd, operands[1]}).output();
  operands[1] = w.step("Where", {outside, last, whole}).output();
  NodeHandle padded = w.step(type, operands);
  set(padded);
  w.node("Slice",
         {padded.output(), w.integers({0}), w.integers({extent}),
          w.integers({axis})},
         op->getResults());
}

void writeScatterElements(fuse::CallOp op, Writer &w) {
  int64_t axis = getInt(op, "axis");
  writeScatter(op, w, "ScatterElements", axis, [&](NodeHandle node) {
    node.integer("axis", axis).text("reduction", getText(op, "reduction"));
  });
}

void writeScatterNd(fuse::CallOp op, Writer &w) {
  writeScatter(op, w, "ScatterND", 0, [&](NodeHandle node) {
    node.text("reduction", getText(op, "reduction"));
  });
}

/// ONNX gives as many rows as there are; the routine has so many, and -1 in
/// those that are left.
void writeNonMaxSuppression(fuse::CallOp op, Writer &w) {
  Writer::Names operands = w.names(op->getOperands());
  for (size_t scalar : {2, 3, 4})
    operands[scalar] = w.reshaped(op->getOperand(scalar), {1});
  std::string rows =
      w.step("NonMaxSuppression", operands)
          .flag("center_point_box", getBool(op, "center_point_box"))
          .output();
  ArrayRef<int64_t> shape = shapeOf(op->getResult(0));
  std::string none = w.expand(w.scalar(-1, elementOf(op->getResult(0))), shape);
  std::string more = w.step("Concat", {rows, none}).integer("axis", 0).output();
  w.node("Slice",
         {more, w.integers({0}), w.integers({shape[0]}), w.integers({0})},
         op->getResults());
}

/// Pools regions in the coordinates of the images, so that nothing scales them,
/// by the operator `type` with the attributes that `set` gives it. ONNX has one
/// element type for images and regions.
void poolRegions(fuse::CallOp op, Writer &w, llvm::StringRef type,
                 llvm::function_ref<void(NodeHandle)> set) {
  Writer::Names operands = w.names(op->getOperands());
  Type images = elementOf(op->getOperand(0)),
       regions = elementOf(op->getOperand(1));
  if (images == regions)
    return set(w.node(type, operands, op->getResults()));
  operands[0] = w.cast(operands[0], regions);
  NodeHandle wide = w.step(type, operands);
  set(wide);
  w.node("Cast", {wide.output()}, op->getResults())
      .integer("to", w.codeOf(images));
}

void writeMaxRoiPool(fuse::CallOp op, Writer &w) {
  poolRegions(op, w, "MaxRoiPool", [&](NodeHandle node) {
    node.integers("pooled_shape", shapeOf(op->getResult(0)).drop_front(2))
        .real("spatial_scale", 1);
  });
}

void writeAdaptiveRoiAlign(fuse::CallOp op, Writer &w) {
  ArrayRef<int64_t> out = shapeOf(op->getResult(0));
  poolRegions(op, w, "RoiAlign", [&](NodeHandle node) {
    node.text("mode", getBool(op, "maximum") ? "max" : "avg")
        .text("coordinate_transformation_mode",
              getBool(op, "half_pixel") ? "half_pixel" : "output_half_pixel")
        .integer("output_height", out[2])
        .integer("output_width", out[3])
        .integer("sampling_ratio", 0)
        .real("spatial_scale", 1);
  });
}

/// The name of operand `index`, which is called `name`, as nodes of users'
/// operators read it: a quantised one behind a DequantizeLinear.
std::string writeQuantized(fuse::CallOp op, unsigned index, std::string name,
                           Writer &w) {
  library::Quantization known =
      library::getQuantization(op.getParameters(), index);
  if (!known.isThere())
    return name;
  SmallVector<int64_t> shape;
  if (known.scales.size() > 1)
    shape.push_back(int64_t(known.scales.size()));
  std::string scales =
      shape.empty()
          ? w.scalar(known.scales.front(), Float32Type::get(op.getContext()))
          : w.reals(known.scales);
  std::string zeros = w.cast(w.integers(known.zeroPoints, shape),
                             elementOf(op.getOperand(index)));
  return w.step("DequantizeLinear", {name, scales, zeros})
      .integer("axis", shape.empty() ? 0 : known.axis)
      .output();
}

/// An operator of a user's is a node of its domain, and its parameters are
/// attributes.
LogicalResult writeDeclared(fuse::CallOp op, Writer &w) {
  auto declared = SymbolTable::lookupNearestSymbolFrom<fuse::OperatorOp>(
      op, op.getCalleeAttr());
  auto [domain, type] = op.getCallee().rsplit('.');
  w.import(domain, declared.getVersion());
  Writer::Names operands = w.names(op->getOperands());
  for (auto [index, operand] : llvm::enumerate(op->getOperands()))
    operands[index] = writeQuantized(op, index, operands[index], w);
  NodeHandle node = w.node(type, operands, op->getResults());
  node.domain(domain);
  for (NamedAttribute parameter : op.getParameters()) {
    llvm::StringRef name = parameter.getName();
    if (!declared.getParameters().get(name))
      continue; // its workspace, which fusec asks for
    Attribute value = parameter.getValue();
    if (auto flag = dyn_cast<BoolAttr>(value))
      node.integer(name, flag.getValue());
    else if (auto integer = dyn_cast<IntegerAttr>(value))
      node.integer(name, integer.getInt());
    else if (auto real = dyn_cast<FloatAttr>(value))
      node.real(name, real.getValueAsDouble());
    else if (auto text = dyn_cast<StringAttr>(value))
      node.text(name, text.getValue());
    else if (auto integers = dyn_cast<DenseI64ArrayAttr>(value))
      node.integers(name, integers.asArrayRef());
    else if (auto reals = dyn_cast<DenseF64ArrayAttr>(value))
      node.reals(name, reals.asArrayRef());
    else if (auto texts = dyn_cast<ArrayAttr>(value))
      node.texts(name, llvm::map_to_vector(
                           texts.getAsRange<StringAttr>(),
                           [](StringAttr text) { return text.str(); }));
  }
  return success();
}

/// The same of one whose elements a function computes: its parameters are of
/// the kinds of their defaults.
LogicalResult writeMap(fuse::MapOp op, Writer &w) {
  auto declared = SymbolTable::lookupNearestSymbolFrom<fuse::OperatorOp>(
      op, op.getCalleeAttr());
  auto [domain, type] = op.getCallee().rsplit('.');
  w.import(domain, declared.getVersion());
  NodeHandle node = w.node(type, w.names(op->getOperands()), op->getResults());
  node.domain(domain);
  for (auto [name, number] :
       llvm::zip_equal(declared.getScalarParameters(), op.getParameters())) {
    if (isa<FloatAttr>(declared.getParameters().get(name)))
      node.real(name, number);
    else
      node.integer(name, int64_t(number));
  }
  return success();
}

LogicalResult writeCall(fuse::CallOp op, Writer &w) {
  using RoutineWriter = void (*)(fuse::CallOp, Writer &);
  static const llvm::StringMap<RoutineWriter> kRoutines = {
      {"top_k", writeTopK},
      {"scatter_elements", writeScatterElements},
      {"scatter_nd", writeScatterNd},
      {"non_max_suppression", writeNonMaxSuppression},
      {"max_roi_pool", writeMaxRoiPool},
      {"roi_align", writeAdaptiveRoiAlign}};
  if (fuse::isOperatorName(op.getCallee()))
    return writeDeclared(op, w);
  auto found = kRoutines.find(op.getCallee());
  if (found == kRoutines.end())
    return w.refuse(op, "no operator of ONNX does what the routine '" +
                            op.getCallee() + "' does");
  found->second(op, w);
  return success();
}

} // namespace

void registerExportCalls(ExportRegistry &r) {
  r.add<fuse::CallOp>(writeCall);
  r.add<fuse::MapOp>(writeMap);
}

} // namespace fusec
