// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Pooling, over windows and over all spatial dimensions.
#include "compiler/import/Registry.h"
#include "compiler/import/ops/Window.h"

using namespace mlir;

namespace fusec {
namespace {

Window readPoolWindow(Node &node) {
  return readWindow(node, node.intsAttribute("kernel_shape"),
                    /*mayHangOver=*/true);
}

RankedTensorType pooledType(Node &node, const Window &window) {
  return tensorType(outputShape(node.shape(0)[0], node.shape(0)[1], window),
                    node.elementType(0));
}

void pool(Node &node, fuse::PoolKind kind, const Window &window,
          bool countPad) {
  node.setOutput(0, node.make<fuse::PoolOp>(pooledType(node, window), kind,
                                            node.input(0), window.sizes,
                                            window.strides, window.dilations,
                                            window.low, window.high, countPad));
}

void convertMaxPool(Node &node) {
  node.requireInputs(1, 1);
  requireSpatial(node);
  bool columnMajor = node.flag("storage_order"); // orders the indices only
  Window window = readPoolWindow(node);
  if (!node.wantsOutput(1))
    return pool(node, fuse::PoolKind::max, window, false);
  RankedTensorType type = pooledType(node, window);
  auto op = fuse::MaxPoolIndicesOp::create(
      node.builder, node.loc, type, type.clone(node.builder.getI64Type()),
      node.input(0), window.sizes, window.strides, window.dilations, window.low,
      columnMajor);
  node.setOutput(0, op.getResult());
  node.setOutput(1, op.getIndices());
}

void convertAveragePool(Node &node) {
  node.requireInputs(1, 1);
  requireSpatial(node);
  node.requireFloat(0);
  bool countPad = node.flag("count_include_pad");
  pool(node, fuse::PoolKind::average, readPoolWindow(node), countPad);
}

/// The order of an Lp norm; the first version had it as a float.
int64_t readOrder(Node &node) {
  double p = node.opset() < 2 ? node.floatAttribute("p", 2)
                              : double(node.intAttribute("p", 2));
  if (p < 1 || p > 1e6)
    node.invalid("needs an order p of 1 or more");
  if (p != double(int64_t(p)))
    node.unsupported("has an order p that is no integer");
  return int64_t(p);
}

void lpPool(Node &node, const Window &window, int64_t p) {
  node.setOutput(0, node.make<fuse::LpPoolOp>(pooledType(node, window),
                                              node.input(0), window.sizes,
                                              window.strides, window.dilations,
                                              window.low, uint64_t(p)));
}

void convertLpPool(Node &node) {
  node.requireInputs(1, 1);
  requireSpatial(node);
  node.requireFloat(0);
  int64_t p = readOrder(node);
  lpPool(node, readPoolWindow(node), p);
}

template <fuse::ReductionKind Kind> void convertGlobalPool(Node &node) {
  node.requireInputs(1, 1);
  requireSpatial(node);
  node.requireFloat(0);
  SmallVector<int64_t> dims, shape(node.shape(0));
  for (int64_t d = 2; d < node.rank(0); ++d) {
    dims.push_back(d);
    shape[d] = 1;
  }
  node.setOutput(0, node.reduction(Kind, node.input(0), dims));
}

/// One window that holds all.
void convertGlobalLpPool(Node &node) {
  node.requireInputs(1, 1);
  requireSpatial(node);
  node.requireFloat(0);
  int64_t p = readOrder(node);
  Window window;
  window.sizes = SmallVector<int64_t>(node.shape(0).drop_front(2));
  window.strides.assign(window.sizes.size(), 1);
  window.dilations = window.out = window.strides;
  window.low.assign(window.sizes.size(), 0);
  lpPool(node, window, p);
}

} // namespace

void registerPool(Registry &r) {
  r.add("MaxPool", 1, convertMaxPool);
  r.add("AveragePool", 1, convertAveragePool);
  r.add("LpPool", 1, convertLpPool);
  r.add("GlobalAveragePool", 1, convertGlobalPool<fuse::ReductionKind::mean>);
  r.add("GlobalMaxPool", 1, convertGlobalPool<fuse::ReductionKind::max>);
  r.add("GlobalLpPool", 1, convertGlobalLpPool);
}

} // namespace fusec
