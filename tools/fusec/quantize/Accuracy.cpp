// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/fusec/quantize/Accuracy.h"

#include "compiler/io/ElementValue.h"
#include "tools/fusec/Progress.h"

#include <cmath>
#include <limits>
#include <numeric>

using namespace fusec::quantize;

namespace fusec::tool {

Plan Network::without(llvm::ArrayRef<size_t> products) const {
  PlanOptions narrower = options;
  for (size_t product : products)
    narrower.denyNodes.push_back(plan.products[product].name);
  return makePlan(driver.module(), nodes, narrower);
}

ExitCode SwitchedModel::build(const SharedPool &pool) {
  return buildCopy(network.driver,
                   makeSwitched(network.driver.module(), network.plan,
                                network.codings, network.apply),
                   "the model with a switch for each product", pool, copy);
}

std::vector<size_t> SwitchedModel::all() const {
  std::vector<size_t> numbers(network.plan.products.size());
  std::iota(numbers.begin(), numbers.end(), 0);
  return numbers;
}

llvm::Expected<std::vector<io::Tensor>>
SwitchedModel::run(size_t sample, llvm::ArrayRef<size_t> left) {
  auto ports = copy.model->inputs();
  std::vector<io::Tensor> inputs = samples.read(sample, ports.drop_back());
  const ref::Port &port = ports.back();
  io::Tensor switches =
      io::Tensor::zeros(port.spec.type, port.spec.shape, port.name);
  const size_t numProducts = network.plan.products.size();
  if (left.size() < numProducts) {
    for (size_t product = 0; product < numProducts; ++product)
      switches.bytes[product] = !llvm::is_contained(left, product);
    const Plan plan = network.without(left);
    for (auto [number, site] : llvm::enumerate(network.plan.sites))
      switches.bytes[numProducts + number] = plan.find(site.value) != nullptr;
  }
  inputs.push_back(std::move(switches));
  return copy.model->run(inputs);
}

llvm::Expected<std::vector<double>> SwitchedModel::rank() {
  // Few samples show which products cost much.
  constexpr size_t kMostSamples = 32;
  const std::vector<size_t> every = all();
  std::vector<double> noise(every.size(), 0);
  double signal = 0;
  const size_t count = std::min(countSamples(), kMostSamples);
  for (size_t sample = 0; sample < count; ++sample) {
    reportProgress("ranking the products, " + drawBar(sample, count) + " of " +
                   std::to_string(count) + " samples");
    auto wanted = run(sample, every);
    if (!wanted)
      return wanted.takeError();
    std::vector<std::vector<double>> numbers;
    for (const io::Tensor &output : *wanted) {
      numbers.push_back(io::toDoubles(output));
      for (double number : numbers.back())
        signal += number * number;
    }
    for (size_t product : every) {
      std::vector<size_t> others = every;
      others.erase(others.begin() + ptrdiff_t(product));
      auto outputs = run(sample, others);
      if (!outputs)
        return outputs.takeError();
      for (auto [output, before] : llvm::zip_equal(*outputs, numbers))
        for (auto [one, other] : llvm::zip_equal(io::toDoubles(output), before))
          noise[product] += (one - other) * (one - other);
    }
  }
  for (double &own : noise)
    own = own > 0 ? 10 * std::log10(signal / own)
                  : std::numeric_limits<double>::infinity();
  return noise;
}

llvm::Expected<double> SwitchedModel::measure(Metric &metric,
                                              llvm::ArrayRef<size_t> left) {
  const std::vector<size_t> every = all();
  for (size_t sample = 0; sample < countSamples(); ++sample) {
    auto wanted = run(sample, every);
    if (!wanted)
      return wanted.takeError();
    auto outputs =
        left.size() == every.size() ? std::move(wanted) : run(sample, left);
    if (!outputs)
      return outputs.takeError();
    auto &inF32 = left.size() == every.size() ? outputs : wanted;
    if (llvm::Error error = metric.add(nameOf(sample), *outputs, *inF32))
      return error;
  }
  return metric.finish();
}

llvm::Expected<AccuracyResult> searchAccuracy(SwitchedModel &model,
                                              llvm::ArrayRef<double> costs,
                                              const AccuracyOptions &options) {
  auto metric = Metric::make(options.metric, options.labels, model.outputs());
  // The costliest first.
  std::vector<size_t> order = model.all();
  llvm::sort(order, [&](size_t one, size_t other) {
    return std::pair(costs[one], one) < std::pair(costs[other], other);
  });
  AccuracyResult result;
  result.unit = metric->unit();
  auto before = model.measure(*metric, order);
  if (!before)
    return before.takeError();
  result.before = *before;
  llvm::Error failure = llvm::Error::success();
  auto holdsWith = [&](size_t count) {
    reportProgress("measuring the model with " + std::to_string(count) +
                   " products in f32");
    auto score =
        model.measure(*metric, llvm::ArrayRef(order).take_front(count));
    if (!score) {
      failure = llvm::joinErrors(std::move(failure), score.takeError());
      return false;
    }
    result.after = *score;
    return result.before - *score <= *options.drop;
  };
  // The least number that holds; with all but one there is still a gain.
  size_t low = 0, high = order.size() - 1;
  bool isMet = holdsWith(0);
  if (isMet)
    high = 0;
  else if (!failure && high > 0)
    isMet = holdsWith(high);
  while (!failure && isMet && low + 1 < high) {
    const size_t middle = (low + high) / 2;
    (holdsWith(middle) ? high : low) = middle;
  }
  if (!failure && isMet)
    holdsWith(high); // what it drops by
  if (failure)
    return failure;
  result.isMet = isMet;
  result.left.assign(order.begin(), order.begin() + ptrdiff_t(high));
  return result;
}

} // namespace fusec::tool
