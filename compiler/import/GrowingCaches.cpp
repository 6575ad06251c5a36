// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Caches that grow, as the importer builds them: buffers, and how many rows
// they hold.
#include "compiler/import/GraphImporter.h"

#include "dialects/fuse/Growing.h"
#include "dialects/fuse/State.h"
#include "passes/graph/TensorBuilder.h"

using namespace mlir;

namespace fusec {

SmallVector<int64_t> GraphImporter::growthOf(const TensorValue &value) const {
  if (!growth || !value.type)
    return {};
  auto other = growth->otherShapes.find(value.name);
  if (other == growth->otherShapes.end() || !other->second ||
      int64_t(other->second->size()) != value.type.getRank())
    return {};
  SmallVector<int64_t> factors;
  for (auto [full, less] : llvm::zip(value.type.getShape(), *other->second))
    factors.push_back((full - less) / (growth->past - growth->otherPast));
  return factors;
}

Value GraphImporter::takeCache(const TensorValue &past, int64_t axis,
                               int64_t rows) {
  auto argument = cast<BlockArgument>(past.value);
  if (addedRows >= 0 && addedRows != rows)
    throw NodeError{
        ProblemKind::Unsupported,
        "adds " + std::to_string(rows) + " rows to a cache, and another node " +
            std::to_string(addedRows) + " to one; all of a program grow alike",
        "make states of those that grow alike only"};
  addedRows = rows;
  SmallVector<int64_t> shape(past.type.getShape());
  shape[axis] += rows;
  argument.setType(past.type.clone(shape));
  return argument;
}

/// A name that neither an input nor an output of the model has.
static std::string makeName(const onnx::GraphProto &proto, std::string name) {
  auto isTaken = [&](const auto &list) {
    return llvm::any_of(list,
                        [&](const auto &info) { return info.name() == name; });
  };
  while (isTaken(proto.input()) || isTaken(proto.output()))
    name += "_";
  return name;
}

void GraphImporter::addLength(SmallVectorImpl<Attribute> &attributes) {
  const std::string name = makeName(proto, "past_length");
  length = function.getBody().addArgument(
      tensorType({1}, opBuilder.getI64Type()), locate(name));
  attributes.push_back(opBuilder.getDictionaryAttr(
      opBuilder.getNamedAttr("fuse.name", opBuilder.getStringAttr(name))));
}

void GraphImporter::advanceLength(SmallVectorImpl<Value> &results,
                                  SmallVectorImpl<Attribute> &attributes) {
  const std::string name = makeName(proto, "present_length");
  fuse::TensorBuilder b(opBuilder, locate(name));
  const unsigned argument = cast<BlockArgument>(length).getArgNumber();
  function.setArgAttr(argument, fuse::kStateAttr,
                      opBuilder.getI64IntegerAttr(int64_t(results.size())));
  function.setArgAttr(
      argument, fuse::kRoomAttr,
      opBuilder.getDenseI64ArrayAttr({addedRows, growth->past + addedRows}));
  results.push_back(b.add(length, double(addedRows)));
  attributes.push_back(opBuilder.getDictionaryAttr(
      opBuilder.getNamedAttr("fuse.name", opBuilder.getStringAttr(name))));
  (*module)->setAttr(
      fuse::kGrowingAttr,
      opBuilder.getDictionaryAttr(
          {opBuilder.getNamedAttr(
               "symbols", opBuilder.getStrArrayAttr(SmallVector<StringRef>(
                              growth->symbols.begin(), growth->symbols.end()))),
           opBuilder.getNamedAttr("past",
                                  opBuilder.getI64IntegerAttr(growth->past)),
           opBuilder.getNamedAttr("rows",
                                  opBuilder.getI64IntegerAttr(addedRows))}));
}

} // namespace fusec
