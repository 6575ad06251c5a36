// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Contractions of a GPU as tiles in shared memory: of prime extents, so that
// each loop has a tail, right in ptx-sim forwards and in reverse, and each
// element of an operand loaded once for a block.
#include "codegen/Emitters.h"
#include "compiler/Driver.h"
#include "tools/ptx-sim/Device.h"
#include "tools/ptx-sim/Nvcc.h"

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <unistd.h>

using namespace fusec;
using namespace fusec::codegen;

namespace {

/// A model of one kernel, compiled.
class Kernel {
public:
  explicit Kernel(const std::string &name) {
    CompileOptions options;
    options.input = FUSEC_SOURCES "/test/pipelines/Inputs/" + name + ".mlir";
    options.until = "model-plan-memory";
    options.verifySchedules = true;
    driver = std::make_unique<Driver>(options);
    if (driver->lower() != kExitFine)
      throw std::runtime_error(
          describe(driver->diagnostics().getProblems().back()));
    mlir::FailureOr<ModelInfo> model = collectModel(driver->module());
    if (failed(model) || model->groups.size() != 1)
      throw std::runtime_error("not one kernel");
    auto files = emitDeviceKernels(
        *model, getPlatformFiles(*model->target->platform), {});
    if (failed(files))
      throw std::runtime_error("not emitted");
    // Tests run beside each other.
    std::filesystem::path folder =
        std::filesystem::path(::testing::TempDir()) /
        ("thread-tiles-" + std::to_string(::getpid()));
    std::filesystem::create_directories(folder);
    for (const EmittedFile &file : *files)
      std::ofstream(folder / file.path) << file.text;
    func = model->groups.front().variants.front().func;
    symbol = model->identifier + "_" +
             model->groups.front().variants.front().function;
    ptxText =
        ptx::compileCuda((folder / files->back().path).string(), "sm_80",
                         {folder.string(), FUSEC_SOURCES "/runtime/include"});
    std::filesystem::remove_all(folder);
  }

  /// What it writes: `outputs` floats.
  std::vector<float> run(ptx::Direction direction,
                         const std::vector<std::vector<float>> &inputs,
                         size_t outputs) {
    ptx::Device device;
    ptx::Module &module = device.load("kernels.cu", ptxText);
    std::vector<uint64_t> addresses = {0};
    for (const std::vector<float> &values : inputs) {
      addresses.push_back(device.allocate(values.size() * sizeof(float)));
      device.copyIn(addresses.back(), values.data(),
                    values.size() * sizeof(float));
    }
    addresses.push_back(device.allocate(outputs * sizeof(float)));
    ptx::LaunchConfig config;
    config.kernel = symbol;
    config.grid.x = countBlocks();
    config.block.x = *func.getThreads();
    config.direction = direction;
    std::vector<std::vector<uint8_t>> arguments;
    for (uint64_t address : addresses) {
      arguments.emplace_back(sizeof(address));
      std::memcpy(arguments.back().data(), &address, sizeof(address));
    }
    device.launch(module, config, arguments);
    for (const ptx::Finding &finding : device.findings.all())
      ADD_FAILURE() << finding.kernel << ":" << finding.line << ": "
                    << finding.message;
    counts = device.counts.at(symbol);
    std::vector<float> result(outputs);
    device.copyOut(result.data(), addresses.back(), outputs * sizeof(float));
    return result;
  }

  uint32_t countBlocks() {
    uint32_t blocks = 1;
    func.walk([&](kernel::ForOp loop) {
      if (loop.getMapping() == kernel::Mapping::block)
        blocks *= *loop.getConstantTripCount();
    });
    return blocks;
  }
  sched::ConfigAttr getConfig() {
    return func->getAttrOfType<sched::ConfigAttr>(kernel::kConfigAttr);
  }

  bool hasInPtx(const std::string &text) const {
    return ptxText.find(text) != std::string::npos;
  }

  ptx::Counts counts;

private:
  std::unique_ptr<Driver> driver;
  kernel::FuncOp func;
  std::string symbol, ptxText;
};

std::vector<float> makeValues(size_t count, int seed) {
  std::vector<float> values;
  for (size_t i = 0; i < count; ++i)
    values.push_back(
        static_cast<float>(static_cast<int>((i * 7919 + seed) % 61) - 30) /
        16.0f);
  return values;
}

size_t countTiles(size_t extent, int64_t tile) {
  return (extent + tile - 1) / tile;
}

class ThreadTiles : public ::testing::TestWithParam<ptx::Direction> {};

TEST_P(ThreadTiles, GemmBiasRelu) {
  const size_t m = 131, k = 257, n = 127;
  Kernel kernel("gemm_bias_relu");
  std::vector<float> x = makeValues(m * k, 1), w = makeValues(k * n, 2),
                     b = makeValues(n, 3);
  std::vector<float> y = kernel.run(GetParam(), {x, w, b}, m * n);
  for (size_t i = 0; i < m; ++i)
    for (size_t j = 0; j < n; ++j) {
      double sum = b[j];
      for (size_t l = 0; l < k; ++l)
        sum += double(x[i * k + l]) * w[l * n + j];
      ASSERT_NEAR(y[i * n + j], std::max(sum, 0.0), 1e-3) << i << " " << j;
    }
  // Each tile of rows loads all columns of w once, and the other way around;
  // each result loads its bias.
  llvm::ArrayRef<int64_t> tile = kernel.getConfig().getTile();
  ASSERT_EQ(tile.size(), 2u);
  ASSERT_FALSE(kernel.getConfig().getPoints().empty());
  EXPECT_LE(kernel.counts.globalLoadBytes,
            4 * (m * k * countTiles(n, tile[1]) +
                 k * n * countTiles(m, tile[0]) + m * n));
  EXPECT_EQ(kernel.counts.globalStoreBytes, 4 * m * n);
}

TEST_P(ThreadTiles, StagesAreCopiedWhileThreadsCompute) {
  const size_t m = 47, k = 301, n = 1024;
  Kernel kernel("gemm_stages");
  std::vector<float> x = makeValues(m * k, 1), w = makeValues(k * n, 2);
  std::vector<float> y = kernel.run(GetParam(), {x, w}, m * n);
  for (size_t i = 0; i < m; ++i)
    for (size_t j = 0; j < n; ++j) {
      double sum = 0;
      for (size_t l = 0; l < k; ++l)
        sum += double(x[i * k + l]) * w[l * n + j];
      ASSERT_NEAR(y[i * n + j], std::max(sum, 0.0), 1e-3) << i << " " << j;
    }
  sched::ConfigAttr config = kernel.getConfig();
  ASSERT_GT(config.getStages(), 1);
  EXPECT_TRUE(kernel.hasInPtx("cp.async.cg.shared.global"));
  EXPECT_TRUE(kernel.hasInPtx("cp.async.ca.shared.global"));
  EXPECT_TRUE(kernel.hasInPtx("cp.async.wait_group"));
  // All threads wait once for each block of the reduction.
  const size_t steps = countTiles(k, config.getDepth());
  EXPECT_EQ(kernel.counts.barriers,
            kernel.countBlocks() * steps * (config.getThreads() / 32));
}

TEST_P(ThreadTiles, ConvBiasRelu) {
  const size_t batch = 2, in = 13, out = 37, height = 17, width = 19;
  Kernel kernel("conv_bias_relu");
  std::vector<float> x = makeValues(batch * in * height * width, 1),
                     w = makeValues(out * in * 9, 2), b = makeValues(out, 3);
  const size_t results = batch * out * height * width;
  std::vector<float> y = kernel.run(GetParam(), {x, w, b}, results);
  for (size_t i = 0; i < results; ++i) {
    const size_t column = i % width, row = i / width % height,
                 channel = i / width / height % out,
                 image = i / width / height / out;
    double sum = b[channel];
    for (size_t c = 0; c < in; ++c)
      for (size_t p = 0; p < 9; ++p) {
        const size_t r = row + p / 3 - 1, s = column + p % 3 - 1;
        if (r < height && s < width)
          sum += double(x[((image * in + c) * height + r) * width + s]) *
                 w[(channel * in + c) * 9 + p];
      }
    ASSERT_NEAR(y[i], std::max(sum, 0.0), 1e-3) << i;
  }
  // Without tiles each multiply-add would load two operands.
  ASSERT_FALSE(kernel.getConfig().getPoints().empty());
  EXPECT_LT(kernel.counts.globalLoadBytes, 2 * 4 * results * in * 9 / 8);
  EXPECT_EQ(kernel.counts.globalStoreBytes, 4 * results);
}

INSTANTIATE_TEST_SUITE_P(Orders, ThreadTiles,
                         ::testing::Values(ptx::Direction::Forward,
                                           ptx::Direction::Reverse),
                         [](const auto &info) {
                           return info.param == ptx::Direction::Forward
                                      ? "Forward"
                                      : "Reverse";
                         });

} // namespace
