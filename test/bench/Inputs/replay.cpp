// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// replay FOLDER OUT
//   Reads the data of each model of a pack as `check` does, writes the inputs
//   to OUT/MODEL_<i>.bin, and compares what the simulator computed, as if a GPU
//   had: that must be as expected, and not when an element is changed.
#include "data.h"

#include <cstdio>
#include <cstring>
#include <fstream>

#define MODEL(name, batch)                                                     \
  extern "C" const fusec_model_desc *fusec_##name##_query(uint32_t);
#include "models.inc"
#undef MODEL

static int failures = 0;

static void expect(bool isRight, const char *model, const char *what) {
  failures += !isRight;
  if (!isRight)
    std::printf("%s: %s\n", model, what);
}

static void replay(const fusec_model_desc &model, const std::string &folder,
                   const std::string &out) {
  const Data data =
      readData(folder + "/models/" + model.name + "/data.bin", model);
  for (size_t i = 0; i < data.inputs.size(); ++i)
    std::ofstream(out + "/" + model.name + "_" + std::to_string(i) + ".bin",
                  std::ios::binary)
        .write(data.inputs[i].data(), long(data.inputs[i].size()));
  for (size_t i = 0; i < data.outputs.size(); ++i) {
    const Expected &expected = data.outputs[i];
    const fusec_tensor_desc &tensor = model.outputs[i];
    const uint64_t size = fusec_dtype_bytes(tensor.dtype);
    std::vector<char> result(countElements(tensor) * size);
    for (size_t k = 0; k < expected.places.size(); ++k)
      memcpy(result.data() + expected.places[k] * size,
             expected.simulated.data() + k * size, size);
    Difference found = compare(tensor, result.data(), expected);
    expect(found.text.empty(), model.name, found.text.c_str());
    expect(found.same == expected.places.size() && found.same == found.compared,
           model.name, "has other bits than the simulator's");
    result[expected.places.back() * size + size - 1] ^= 0x40;
    found = compare(tensor, result.data(), expected);
    expect(!found.text.empty(), model.name, "a changed element is not seen");
    expect(found.same + 1 == found.compared, model.name, "nor are its bits");
  }
}

int main(int, char **argv) {
#define MODEL(name, batch)                                                     \
  replay(*fusec_##name##_query(FUSEC_ABI_VERSION), argv[1], argv[2]);
#include "models.inc"
#undef MODEL
  std::printf("%d failures\n", failures);
  return failures != 0;
}
