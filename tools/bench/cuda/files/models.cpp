// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "models.h"

#include <algorithm>
#include <stdexcept>

#define MODEL(name, batch)                                                     \
  extern "C" const fusec_model_desc *fusec_##name##_query(uint32_t);           \
  extern "C" const fusec_device_image fusec_##batch##_kernels_image;
#include "models.inc"
#undef MODEL

namespace {

const fusec_model_desc &describe(const Packed &packed) {
  if (const fusec_model_desc *desc = packed.query(FUSEC_ABI_VERSION))
    return *desc;
  throw std::runtime_error("is of another version of fusec");
}

std::vector<fusec_tensor> tensors(const fusec_tensor_desc *descs,
                                  std::vector<std::vector<char>> &arrays) {
  std::vector<fusec_tensor> made;
  for (size_t i = 0; i < arrays.size(); ++i)
    made.push_back({arrays[i].data(),
                    countElements(descs[i]) * fusec_dtype_bytes(descs[i].dtype),
                    descs[i].dims, descs[i].rank, descs[i].dtype});
  return made;
}

} // namespace

const std::vector<Packed> &allModels() {
  static const std::vector<Packed> all = {
#define MODEL(name, batch)                                                     \
  {#name, fusec_##name##_query, &fusec_##batch##_kernels_image},
#include "models.inc"
#undef MODEL
  };
  return all;
}

Loaded::Loaded(const Packed &packed, const std::string &folder)
    : desc(describe(packed)),
      model(&desc,
            (folder + "/models/" + packed.name + "/weights.bin").c_str()),
      data(readData(folder + "/models/" + packed.name + "/data.bin", desc)),
      image(packed.image) {
  for (uint32_t i = 0; i < desc.num_outputs; ++i)
    results.emplace_back(countElements(desc.outputs[i]) *
                             fusec_dtype_bytes(desc.outputs[i].dtype) +
                         1); // a pointer for empty arrays, too
  in = tensors(desc.inputs, data.inputs);
  out = tensors(desc.outputs, results);
  spoil();
}

fusec_session_options Loaded::options(const fusec_device *gpu) const {
  fusec_session_options options = {};
  options.device = gpu;
  options.image = image;
  options.threads = 2;
  return options;
}

int Loaded::run(fusec::Session &session) const {
  return session.run(in.data(), desc.num_inputs, out.data(), desc.num_outputs);
}

Difference Loaded::compare() const {
  Difference all;
  for (uint32_t i = 0; i < desc.num_outputs; ++i) {
    const Difference one =
        ::compare(desc.outputs[i], results[i].data(), data.outputs[i]);
    all.compared += one.compared;
    all.same += one.same;
    if (all.text.empty() && !one.text.empty())
      all.text =
          std::string("output ") + desc.outputs[i].name + ": " + one.text;
  }
  return all;
}

void Loaded::spoil() {
  for (std::vector<char> &result : results)
    std::fill(result.begin(), result.end(), char(0x7f));
}
