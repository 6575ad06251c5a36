// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// com.microsoft: GatherBlockQuantized, rows of a table of codes.
#include "compiler/import/Registry.h"
#include "compiler/import/ops/Indices.h"
#include "compiler/import/ops/Requantize.h"

using namespace mlir;

namespace fusec {
namespace {

/// The table in operand 0: [shape] codes of `code`, of which `size` in a row
/// along `axis` share a scale.
struct CodeTable {
  SmallVector<int64_t> shape;
  int64_t axis, size, bits;
  Type code;
  bool isPacked; ///< several to a byte

  int64_t blocks() const { return llvm::divideCeilSigned(shape[axis], size); }
  /// The shape of what there is one of for each block.
  SmallVector<int64_t> blockShape() const {
    SmallVector<int64_t> result(shape);
    result[axis] = blocks();
    return result;
  }
};

CodeTable readTable(Node &node) {
  CodeTable table;
  table.shape = llvm::to_vector(node.shape(0));
  if (table.shape.empty())
    node.invalid("needs a table, has a scalar");
  table.code = node.elementType(0);
  table.bits = node.intAttribute("bits", 4);
  table.axis = node.normalizeAxis(node.intAttribute("quantize_axis", 1),
                                  int64_t(table.shape.size()));
  table.size = node.intAttribute("block_size", 128);
  if (table.size < 16 || !llvm::isPowerOf2_64(table.size))
    node.invalid("has the block_size " + llvm::Twine(table.size) +
                 "; it must be a power of 2, and 16 at least");
  bool isByte = table.code.isUnsignedInteger(8);
  if (!isByte && (!isa<IntegerType>(table.code) ||
                  table.code.getIntOrFloatBitWidth() != 4))
    node.unsupported("has a table of " + typeText(table.code) +
                         "; u8, u4 and i4 are supported",
                     "quantise it to integers");
  if (!isByte) {
    table.bits = 4;
  } else if (table.bits != 2 && table.bits != 4 && table.bits != 8) {
    node.unsupported("has codes of " + llvm::Twine(table.bits) +
                     " bits; 2, 4 and 8 are supported");
  }
  table.isPacked = isByte && table.bits < 8;
  if (table.isPacked) {
    table.shape.back() *= 8 / table.bits;
    table.code = node.builder.getIntegerType(table.bits, /*isSigned=*/false);
  }
  return table;
}

/// Operand `index`, codes of this shape, whose rows begin with bytes of their
/// own where several lie in one.
Value readTableCodes(Node &node, unsigned index, const CodeTable &table,
                     ArrayRef<int64_t> shape) {
  node.requireSameElementType(0, index);
  int64_t perByte = table.isPacked ? 8 / table.bits : 1;
  SmallVector<int64_t> stored(shape);
  stored.back() = llvm::divideCeilSigned(stored.back(), perByte);
  if (node.shape(index) != ArrayRef<int64_t>(stored))
    node.invalid("needs operand " + llvm::Twine(index) + " of shape " +
                 shapeText(stored) + ", has " + shapeText(node.shape(index)));
  if (!table.isPacked)
    return node.input(index);
  Value codes;
  auto type = tensorType(shape, table.code);
  if (shape.back() % perByte == 0)
    codes = node.unpack(index, type);
  else if (const HostTensor *bytes = node.constant(index))
    codes = node.tensor(HostTensor::fromInts(
        type, unpackRows(bytes->ints, shape.back(), table.bits)));
  if (!codes)
    node.unsupported("computes operand " + llvm::Twine(index) +
                     ", codes of few bits; they must be constants");
  return codes;
}

/// A scale or zero point of each block, of shape `own`, over the codes: with
/// whole blocks over [.., blocks, size, ..], else repeated along the axis.
Value layOverTable(Node &node, Value value, const CodeTable &table) {
  auto type = fuse::getTensorType(value);
  if (type.getRank() == 0)
    return value;
  if (table.shape[table.axis] % table.size == 0) {
    SmallVector<int64_t> shape(type.getShape());
    shape.insert(shape.begin() + table.axis + 1, 1);
    return node.reshape(value, shape);
  }
  std::vector<int64_t> picks;
  for (int64_t i = 0; i < table.shape[table.axis]; ++i)
    picks.push_back(i / table.size);
  Value indices = node.tensor(node.hostVector(picks));
  return node.make<fuse::GatherOp>(type.clone(table.shape), value, indices,
                                   uint64_t(table.axis));
}

/// gather((data - zero) scale)
void convertGatherBlockQuantized(Node &node) {
  node.requireInputs(3, 4);
  node.requireFloat(2);
  CodeTable table = readTable(node);
  SmallVector<int64_t> blocks = table.blockShape();
  if (node.shape(2) != ArrayRef<int64_t>(blocks))
    node.invalid("needs scales of shape " + shapeText(blocks) + ", has " +
                 shapeText(node.shape(2)));
  int64_t rank = int64_t(table.shape.size());
  int64_t axis = node.normalizeAxis(node.intAttribute("gather_axis", 0), rank);
  if (node.elementType(0).isUnsignedInteger(8) && axis != 0)
    node.invalid("gathers bytes along axis " + llvm::Twine(axis) + ", not 0");
  Value codes = readTableCodes(node, 0, table, table.shape);
  // Of bytes the middle is 0 by default.
  bool isByte = node.elementType(0).isUnsignedInteger(8);
  Value zero =
      node.hasInput(3)
          ? readTableCodes(node, 3, table, blocks)
          : node.scalar(isByte ? 1 << (table.bits - 1) : 0, table.code);
  Value scale = layOverTable(node, node.input(2), table);
  zero = layOverTable(node, zero, table);
  SmallVector<int64_t> split(table.shape);
  if (table.shape[table.axis] % table.size == 0) {
    split[table.axis] = table.blocks();
    split.insert(split.begin() + table.axis + 1, table.size);
  }
  Type number = node.elementType(2);
  Value rows = node.make<fuse::DequantizeOp>(
      tensorType(split, number), node.reshape(codes, split), scale, zero);
  SmallVector<int64_t> shape(ArrayRef(table.shape).take_front(axis));
  llvm::append_range(shape, node.shape(1));
  llvm::append_range(shape, ArrayRef(table.shape).drop_front(axis + 1));
  Value indices = readIndices(node, table.shape[axis]);
  node.setOutput(0, node.make<fuse::GatherOp>(tensorType(shape, number),
                                              node.reshape(rows, table.shape),
                                              indices, uint64_t(axis)));
}

} // namespace

void registerMicrosoftTables(Registry &r) {
  r.addTo(kMicrosoft, "GatherBlockQuantized", 1, convertGatherBlockQuantized);
}

} // namespace fusec
