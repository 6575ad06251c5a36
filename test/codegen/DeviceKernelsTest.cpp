// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Kernels of a GPU as CUDA source: exactly the golden text, and right when
// ptx-sim runs it, forwards and in reverse.
#include "codegen/Emitters.h"
#include "tools/ptx-sim/Device.h"
#include "tools/ptx-sim/Nvcc.h"

#include "mlir/Parser/Parser.h"

#include <cmath>
#include <cstdlib>
#include <fstream>
#include <gtest/gtest.h>
#include <sstream>

using namespace fusec;
using namespace fusec::codegen;

namespace {

const std::string kInputs = FUSEC_SOURCE_DIR "/test/codegen/Inputs/device/";

std::string read(const std::string &path) {
  std::ifstream file(path);
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

std::vector<EmittedFile> emitDevice() {
  mlir::DialectRegistry registry;
  registry.insert<mlir::arith::ArithDialect, mlir::func::FuncDialect,
                  mlir::math::MathDialect, fuse::FuseDialect,
                  kernel::KernelDialect>();
  mlir::MLIRContext context(registry);
  auto module =
      mlir::parseSourceFile<mlir::ModuleOp>(kInputs + "device.mlir", &context);
  if (!module)
    return {};
  mlir::FailureOr<ModelInfo> model = collectModel(*module);
  if (failed(model))
    return {};
  auto files =
      emitDeviceKernels(*model, getPlatformFiles(*model->target->platform), {});
  return failed(files) ? std::vector<EmittedFile>() : *files;
}

constexpr size_t kRows = 10, kColumns = 300;

class DeviceKernels : public ::testing::TestWithParam<ptx::Direction> {
protected:
  static void SetUpTestSuite() {
    ptxText = new std::string(
        ptx::compileCuda(kInputs + "device_kernels.cu", "sm_80",
                         {kInputs, FUSEC_SOURCE_DIR "/runtime/include"}));
  }
  static void TearDownTestSuite() { delete ptxText; }

  DeviceKernels() {
    for (size_t i = 0; i < kRows * kColumns; ++i)
      x.push_back(static_cast<float>(static_cast<int>(i * 7919 % 61) - 30) /
                  8.0f);
    for (size_t i = 0; i < kColumns; ++i)
      b.push_back(static_cast<float>(static_cast<int>(i % 13) - 6));
  }
  ~DeviceKernels() override {
    for (const ptx::Finding &finding : device.findings.all())
      ADD_FAILURE() << finding.kernel << ":" << finding.line << ": "
                    << finding.message;
  }

  uint64_t place(const std::vector<float> &values) {
    uint64_t address = device.allocate(values.size() * sizeof(float));
    device.copyIn(address, values.data(), values.size() * sizeof(float));
    return address;
  }

  /// What kernel `name` writes: so many elements of T.
  template <class T = float>
  std::vector<T> run(const std::string &name, uint32_t grid, uint32_t block,
                     std::vector<uint64_t> inputs, size_t outputs,
                     uint64_t scratchBytes = 0, uint64_t zeroedBytes = 0) {
    ptx::LaunchConfig config;
    config.kernel = "device_" + name + "_default";
    config.grid.x = grid;
    config.block.x = block;
    config.direction = GetParam();
    uint64_t output = device.allocate(outputs * sizeof(T));
    uint64_t scratch = scratchBytes ? device.allocate(scratchBytes) : 0;
    inputs.insert(inputs.begin(), scratch);
    const std::string zeros(zeroedBytes, '\0');
    if (zeroedBytes)
      device.copyIn(scratch + scratchBytes - zeroedBytes, zeros.data(),
                    zeroedBytes);
    inputs.push_back(output);
    std::vector<std::vector<uint8_t>> arguments;
    for (uint64_t address : inputs) {
      std::vector<uint8_t> bytes(sizeof(address));
      std::memcpy(bytes.data(), &address, sizeof(address));
      arguments.push_back(bytes);
    }
    device.launch(module, config, arguments);
    std::vector<T> result(outputs);
    device.copyOut(result.data(), output, outputs * sizeof(T));
    return result;
  }

  float at(size_t row, size_t column) const {
    return x[row * kColumns + column];
  }

  static std::string *ptxText;
  ptx::Device device;
  ptx::Module &module = device.load("device_kernels.cu", *ptxText);
  std::vector<float> x, b;
};

std::string *DeviceKernels::ptxText;

TEST(DeviceKernelsText, IsTheGoldenOne) {
  std::vector<EmittedFile> files = emitDevice();
  ASSERT_EQ(files.size(), 3u);
  for (const EmittedFile &file : files) {
    // FUSEC_UPDATE=1 writes what is emitted now.
    if (std::getenv("FUSEC_UPDATE"))
      std::ofstream(kInputs + file.path) << file.text;
    EXPECT_EQ(file.text, read(kInputs + file.path)) << file.path;
  }
}

TEST_P(DeviceKernels, TilesOfRows) {
  std::vector<float> y =
      run("bias_relu", 30, 128, {place(x), place(b)}, x.size());
  for (size_t i = 0; i < x.size(); ++i)
    ASSERT_EQ(y[i], std::max(x[i] + b[i % kColumns], 0.0f)) << i;
}

TEST_P(DeviceKernels, AWarpARow) {
  std::vector<float> y = run("softmax", 3, 128, {place(x)}, x.size());
  for (size_t row = 0; row < kRows; ++row) {
    double sum = 0;
    for (size_t j = 0; j < kColumns; ++j)
      sum += std::exp(double(at(row, j)));
    for (size_t j = 0; j < kColumns; ++j)
      ASSERT_NEAR(y[row * kColumns + j], std::exp(double(at(row, j))) / sum,
                  1e-7);
  }
}

TEST_P(DeviceKernels, ABlockARow) {
  std::vector<float> y = run("center", 10, 256, {place(x)}, x.size());
  for (size_t row = 0; row < kRows; ++row) {
    double sum = 0;
    for (size_t j = 0; j < kColumns; ++j)
      sum += at(row, j);
    for (size_t j = 0; j < kColumns; ++j)
      ASSERT_NEAR(y[row * kColumns + j], at(row, j) - sum / kColumns, 1e-6);
  }
}

TEST_P(DeviceKernels, TilesInSharedMemory) {
  std::vector<float> g = run("gram", 1, 64, {place(x)}, kRows * kRows);
  for (size_t i = 0; i < kRows; ++i)
    for (size_t j = 0; j < kRows; ++j) {
      double sum = 0;
      for (size_t k = 0; k < kColumns; ++k)
        sum += double(at(i, k)) * at(j, k);
      ASSERT_NEAR(g[i * kRows + j], sum, 1e-3);
    }
}

TEST_P(DeviceKernels, IntegersWrapInScratchMemory) {
  auto bits = run<int32_t>("wrapped", 1, 320, {place(x)}, x.size(), 12096);
  for (size_t i = 0; i < x.size(); ++i) {
    uint32_t own;
    std::memcpy(&own, &x[x.size() - 1 - i], sizeof(own));
    ASSERT_EQ(static_cast<uint32_t>(bits[i]), own + own) << i;
  }
}

TEST_P(DeviceKernels, BlocksShareRows) {
  std::vector<float> sums = run("sums", 30, 64, {place(x)}, kRows, 168, 40);
  for (size_t row = 0; row < kRows; ++row) {
    double sum = 0;
    for (size_t j = 0; j < kColumns; ++j)
      sum += double(at(row, j));
    ASSERT_NEAR(sums[row], sum, 1e-3) << row;
  }
}

INSTANTIATE_TEST_SUITE_P(Both, DeviceKernels,
                         ::testing::Values(ptx::Direction::Forward,
                                           ptx::Direction::Reverse),
                         [](const auto &info) {
                           return info.param == ptx::Direction::Forward
                                      ? "Forward"
                                      : "Reverse";
                         });

} // namespace
