// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/compress/Prune.h"

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

namespace fusec::compress {

PruneLoss prune(llvm::MutableArrayRef<float> values, const MatrixView &view,
                const BlockShape &block, double sparsity) {
  const int64_t across = view.terms / block.terms,
                count = view.channels / block.channels * across;
  auto forEach = [&](int64_t number, auto visit) {
    const int64_t channel = number / across * block.channels,
                  term = number % across * block.terms;
    for (int64_t i = 0; i < block.channels; ++i)
      for (int64_t j = 0; j < block.terms; ++j)
        visit(values[view.index(channel + i, term + j)]);
  };
  std::vector<std::pair<double, int64_t>> sizes;
  sizes.reserve(count);
  double all = 0, gone = 0;
  for (int64_t number = 0; number < count; ++number) {
    double squares = 0;
    forEach(number,
            [&](float value) { squares += double(value) * double(value); });
    sizes.emplace_back(squares, number);
    all += squares;
  }
  // 0.8 of 10 are 8, although the product of the doubles need not be.
  constexpr double kRounding = 1e-9;
  const int64_t zeros =
      std::min(count, int64_t(std::floor(sparsity * count + kRounding)));
  std::sort(sizes.begin(), sizes.end());
  PruneLoss loss;
  constexpr int64_t kSteps = 64;
  int64_t next = 0;
  for (int64_t step = 0; step <= kSteps; ++step) {
    for (; next < count * step / kSteps; ++next)
      gone += sizes[next].first;
    loss.errors.push_back(all > 0 ? std::sqrt(gone / all) : 0);
  }
  gone = 0;
  sizes.resize(zeros);
  for (auto [squares, number] : sizes) {
    gone += squares;
    forEach(number, [](float &value) { value = 0; });
  }
  loss.error = all > 0 ? std::sqrt(gone / all) : 0;
  return loss;
}

} // namespace fusec::compress
