// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A few PTX instructions as a kernel of one warp: lane i reads element i of
// each input, and writes element i of the output.
#ifndef FUSEC_TEST_PTXSIM_SNIPPET_H
#define FUSEC_TEST_PTXSIM_SNIPPET_H

#include "tools/ptx-sim/Device.h"

#include <cstring>
#include <gtest/gtest.h>

namespace fusec::ptx {

inline std::vector<uint8_t> bytesOf(uint64_t value) {
  std::vector<uint8_t> bytes(8);
  std::memcpy(bytes.data(), &value, 8);
  return bytes;
}

/// Launches a kernel whose parameters are these.
inline void launch(Device &device, Module &module, const LaunchConfig &config,
                   const std::vector<uint64_t> &values) {
  std::vector<std::vector<uint8_t>> arguments;
  for (uint64_t value : values)
    arguments.push_back(bytesOf(value));
  device.launch(module, config, arguments);
}

/// `code` computes %out of the inputs' %in0, %in1, ...; registers of several
/// types are declared (%b, %r, %d, %f, %g, %p), eight of each.
inline std::vector<uint64_t>
compute(const std::string &code, const std::string &outType,
        const std::vector<std::string> &inTypes,
        const std::vector<std::vector<uint64_t>> &inputs) {
  auto sizeOfName = [](const std::string &type) {
    return sizeOf(scalarNamed(type));
  };
  std::string text = ".version 8.0\n.target sm_80\n.address_size 64\n"
                     ".visible .entry k(.param .u64 o";
  for (size_t i = 0; i < inputs.size(); ++i)
    text += ", .param .u64 i" + std::to_string(i);
  text += ")\n{\n.reg .b64 %a<8>; .reg .b64 %at; .reg .u32 %lane;\n.reg .b16 "
          "%b<8>; "
          ".reg .b32 %r<8>; .reg .b64 %d<8>; .reg .f32 %f<8>; .reg .f64 %g<8>; "
          ".reg .pred %p<8>;\nmov.u32 %lane, %tid.x;\n";
  auto at = [&](const std::string &param, const std::string &type) {
    return "ld.param.u64 %at, [" + param + "]; mad.wide.u32 %at, %lane, " +
           std::to_string(sizeOfName(type)) + ", %at;\n";
  };
  for (size_t i = 0; i < inputs.size(); ++i) {
    std::string name = "%in" + std::to_string(i);
    text += ".reg ." + inTypes[i] + " " + name + ";\n" +
            at("i" + std::to_string(i), inTypes[i]) + "ld.global.b" +
            std::to_string(8 * sizeOfName(inTypes[i])) + " " + name +
            ", [%at];\n";
  }
  text += ".reg ." + outType + " %out;\n" + code + "\n" + at("o", outType) +
          "st.global.b" + std::to_string(8 * sizeOfName(outType)) +
          " [%at], %out;\nret;\n}\n";
  Device device;
  Module &module = device.load("snippet.ptx", text);
  uint64_t out = device.allocate(32 * sizeOfName(outType));
  std::vector<uint64_t> arguments = {out};
  size_t lanes = 0;
  for (size_t i = 0; i < inputs.size(); ++i) {
    unsigned size = sizeOfName(inTypes[i]);
    std::vector<uint8_t> data(32 * size);
    lanes = inputs[i].size();
    for (size_t k = 0; k < lanes; ++k)
      std::memcpy(data.data() + k * size, &inputs[i][k], size);
    uint64_t address = device.allocate(data.size());
    device.copyIn(address, data.data(), data.size());
    arguments.push_back(address);
  }
  LaunchConfig config;
  config.kernel = "k";
  config.block.x = 32;
  launch(device, module, config, arguments);
  for (const Finding &finding : device.findings.all())
    ADD_FAILURE() << finding.message;
  std::vector<uint64_t> results(lanes);
  for (size_t k = 0; k < lanes; ++k)
    std::memcpy(&results[k],
                device.peek(out + k * sizeOfName(outType), sizeOfName(outType)),
                sizeOfName(outType));
  return results;
}

template <class T> uint64_t bits(T value) {
  uint64_t result = 0;
  std::memcpy(&result, &value, sizeof value);
  return result;
}

template <class T> T valueOf(uint64_t bits) {
  T value;
  std::memcpy(&value, &bits, sizeof value);
  return value;
}

} // namespace fusec::ptx

#endif // FUSEC_TEST_PTXSIM_SNIPPET_H
