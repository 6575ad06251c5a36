// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// fuse.pool: the maximum or average of each window.
#include "tools/fusec-ref/Evaluator.h"
#include "tools/fusec-ref/Indexing.h"
#include "tools/fusec-ref/Numbers.h"

#include <limits>

using namespace fusec::fuse;
using fusec::io::OpClass;
using llvm::Error;

namespace fusec::ref {
namespace {

/// What one output position reads: offsets into a slice of the input, and how
/// many elements an average divides by.
struct Window {
  Offsets offsets; // without what lies outside the input
  int64_t divisor;
};

Window windowAt(PoolOp op, llvm::ArrayRef<int64_t> in,
                llvm::ArrayRef<int64_t> at) {
  std::vector<int64_t> strides = rowMajorStrides(in);
  std::vector<Offsets> lines;
  int64_t divisor = 1;
  for (size_t i = 0; i < in.size(); ++i) {
    Offsets offsets;
    int64_t counted = 0;
    int64_t first = at[i] * op.getStrides()[i] - op.getPadLow()[i];
    for (int64_t w = 0; w < op.getSizes()[i]; ++w) {
      int64_t position = first + w * op.getDilations()[i];
      bool inside = position >= 0 && position < in[i];
      if (inside)
        offsets.push_back(position * strides[i]);
      counted +=
          op.getCountPad() ? position < in[i] + op.getPadHigh()[i] : inside;
    }
    lines.push_back(std::move(offsets));
    divisor *= counted;
  }
  return {combine(lines), divisor};
}

template <typename T> T lowest(io::ElementType type) {
  if constexpr (std::is_same_v<T, double>)
    return -INFINITY;
  else if (type == io::ElementType::I8)
    return std::numeric_limits<int8_t>::min();
  else if (type == io::ElementType::I32)
    return std::numeric_limits<int32_t>::min();
  else if (type == io::ElementType::I64)
    return std::numeric_limits<int64_t>::min();
  else
    return 0;
}

template <typename T>
T poolWindow(PoolKind kind, const T *slice, const Window &window, T lowest) {
  T value = kind == PoolKind::max ? lowest : T(0);
  for (int64_t offset : window.offsets)
    value = kind == PoolKind::max ? maximum(value, slice[offset])
                                  : add(value, slice[offset]);
  return kind == PoolKind::max ? value : divide(value, T(window.divisor));
}

template <typename T> Error pool(PoolOp op, Evaluation &e) {
  std::vector<T> values = e.load<T>(0);
  llvm::ArrayRef<int64_t> from(e.operands[0]->shape);
  std::vector<int64_t> shape = e.resultShape();
  size_t count = op.getSizes().size();
  llvm::ArrayRef<int64_t> in = from.take_back(count);
  llvm::ArrayRef<int64_t> out = llvm::ArrayRef<int64_t>(shape).take_back(count);
  int64_t slices = product(from.drop_back(count));
  int64_t inSize = product(in), outSize = product(out);
  std::vector<int64_t> outStrides = rowMajorStrides(out);

  std::vector<T> result(slices * outSize);
  std::vector<int64_t> at(count);
  for (int64_t position = 0; position < outSize; ++position) {
    for (size_t i = 0; i < count; ++i)
      at[i] = position / outStrides[i] % out[i];
    Window window = windowAt(op, in, at);
    for (int64_t slice = 0; slice < slices; ++slice)
      result[slice * outSize + position] =
          poolWindow(op.getKind(), values.data() + slice * inSize, window,
                     lowest<T>(e.resultType()));
  }
  return e.store(result);
}

Error evaluatePool(PoolOp op, Evaluation &e) {
  return e.isFloat() ? pool<double>(op, e) : pool<int64_t>(op, e);
}

} // namespace

void addPooling(Registry &registry) {
  registry.add<PoolOp>(OpClass::Reduction, evaluatePool);
}

} // namespace fusec::ref
