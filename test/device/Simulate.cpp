// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Runs a model for a GPU in the simulator, as it is and with something taken
// away. Requests come as JSON, a line each, and so do the answers; README.md
// has their members.
#include "compiler/io/Compare.h"
#include "fusec/runtime.h"
#include "tools/ptx-sim/Module.h"
#include "tools/ptx-sim/Nvcc.h"
#include "tools/ptx-sim/Nvrtc.h"
#include "tools/ptx-sim/RuntimeDevice.h"

#include <algorithm>
#include <dlfcn.h>
#include <fstream>
#include <iostream>
#include <nlohmann/json.hpp>
#include <regex>
#include <sstream>

using namespace fusec;
using nlohmann::json;

namespace {

std::string readFile(const std::string &path) {
  std::ifstream file(path, std::ios::binary);
  std::stringstream text;
  text << file.rdbuf();
  if (!file)
    throw std::runtime_error(path + ": cannot be read");
  return text.str();
}

/// The PTX of a CUDA file, made once.
const std::string &compileOnce(const json &request) {
  static std::map<std::string, std::string> made;
  auto [place, isNew] = made.try_emplace(request.dump());
  if (isNew)
    place->second = ptx::compileInProcess(request.at("source"),
                                          request.value("arch", "sm_80"),
                                          request.at("includes"));
  return place->second;
}

/// What a block of each kernel of a CUDA file takes.
json measure(const json &request) {
  json answer;
  for (const auto &[symbol, resources] : ptx::measureResources(
           request.at("measure"), request.at("arch"), request.at("includes")))
    answer["kernels"][symbol] = {{"registers", resources.registers},
                                 {"shared_bytes", resources.sharedBytes},
                                 {"local_bytes", resources.localBytes},
                                 {"spill_bytes", resources.spillBytes}};
  return answer;
}

/// The simulator, which takes some kernels from another file, leaves out a
/// fill, or does a step on a stream that nothing orders.
class ChangedDevice : public ptx::RuntimeDevice {
public:
  ChangedDevice(uint32_t architecture, const json &request)
      : RuntimeDevice(architecture), original(get()), table(get()),
        kernels(request.value("kernels", json::object())),
        operands(request.value("operands", json::object())),
        dropped(request.value("drop", -1)),
        unordered(request.value("unorder", -1)) {
    beStrict();
    stopAtFirstFinding();
    if (!kernels.empty()) {
      ptx = compileOnce(request.at("from"));
      fusec_device_image image = {};
      image.data = ptx.c_str();
      image.bytes = ptx.size() + 1;
      image.kind = FUSEC_IMAGE_PTX;
      if (table.load_module(table.self, &image, &module))
        throw std::runtime_error(table.last_error(table.self));
    }
    table.find_kernel = [](void *self, void *module, const char *symbol,
                           void **kernel) {
      ChangedDevice &device = of(self);
      auto other = device.kernels.find(symbol);
      bool isChanged = other != device.kernels.end();
      std::string name = isChanged ? other->get<std::string>() : symbol;
      int32_t status = device.original.find_kernel(
          self, isChanged ? device.module : module, name.c_str(), kernel);
      device.names[*kernel] = symbol;
      return status;
    };
    table.launch = [](void *self, void *stream, void *kernel, uint32_t grid,
                      uint32_t block, uint32_t sharedBytes,
                      const void *const *arguments, uint32_t numArguments) {
      ChangedDevice &device = of(self);
      const std::string &name = device.names[kernel];
      stream = device.step("launch " + name, stream);
      Apart apart(device, stream);
      if (device.operands.contains(name))
        apart.take(device.operands.at(name), arguments, numArguments);
      int32_t status =
          device.original.launch(self, stream, kernel, grid, block, sharedBytes,
                                 apart.getArguments(arguments), numArguments);
      apart.giveBack();
      return status;
    };
    table.fill = [](void *self, void *stream, void *to, const void *value,
                    uint32_t valueBytes, uint64_t count) {
      ChangedDevice &device = of(self);
      bool isDropped = device.dropped == int(device.steps.size());
      stream = device.step("fill", stream);
      return isDropped ? int32_t(FUSEC_OK)
                       : device.original.fill(self, stream, to, value,
                                              valueBytes, count);
    };
    table.copy = [](void *self, void *stream, void *to, const void *from,
                    uint64_t bytes, uint32_t kind) {
      ChangedDevice &device = of(self);
      if (kind == FUSEC_COPY_ON_DEVICE)
        stream = device.step("copy", stream);
      return device.original.copy(self, stream, to, from, bytes, kind);
    };
  }

  const fusec_device &getTable() const { return table; }

  std::vector<std::string> steps; ///< what was done on the device

protected:
  const fusec_device &getSteps() const override { return table; }

private:
  /// The operands of a launch in allocations of their own, so that an access
  /// beside one is found where the next operand lies.
  class Apart {
  public:
    Apart(ChangedDevice &device, void *stream)
        : device(device), stream(stream) {}

    /// `bytes` of each argument; 0: it stays where it is.
    void take(const json &bytes, const void *const *arguments,
              uint32_t numArguments) {
      std::vector<std::pair<char *, char *>> ranges;
      for (uint32_t i = 0; i < numArguments; ++i) {
        places.push_back(*static_cast<char *const *>(arguments[i]));
        if (uint64_t size = bytes.at(i))
          ranges.push_back({places[i], places[i] + size});
      }
      std::sort(ranges.begin(), ranges.end());
      for (auto [begin, end] : ranges) // what overlaps stays together
        if (copies.empty() || begin >= copies.back().end)
          copies.push_back({begin, end, nullptr});
        else
          copies.back().end = std::max(copies.back().end, end);
      for (Copy &copy : copies) {
        void *made = nullptr;
        device.original.allocate(device.original.self, copy.bytes(), &made);
        copy.place = static_cast<char *>(made);
        move(copy.place, copy.begin, copy.bytes());
      }
      for (uint32_t i = 0; i < numArguments; ++i) {
        for (const Copy &copy : copies)
          if (bytes.at(i) != 0 && places[i] >= copy.begin &&
              places[i] < copy.end) {
            places[i] = copy.place + (places[i] - copy.begin);
            break;
          }
      }
      for (char *&place : places)
        pointers.push_back(&place);
    }
    const void *const *getArguments(const void *const *arguments) const {
      return pointers.empty() ? arguments : pointers.data();
    }
    void giveBack() {
      for (const Copy &copy : copies) {
        move(copy.begin, copy.place, copy.bytes());
        device.original.release(device.original.self, copy.place);
      }
    }

  private:
    struct Copy {
      char *begin, *end, *place;
      uint64_t bytes() const { return static_cast<uint64_t>(end - begin); }
    };
    void move(void *to, const void *from, uint64_t bytes) {
      device.original.copy(device.original.self, stream, to, from, bytes,
                           FUSEC_COPY_ON_DEVICE);
    }

    ChangedDevice &device;
    void *stream;
    std::vector<Copy> copies;
    std::vector<char *> places;
    std::vector<const void *> pointers;
  };

  static ChangedDevice &of(void *self) {
    return *static_cast<ChangedDevice *>(static_cast<RuntimeDevice *>(self));
  }

  /// Counts a step; returns the stream that it goes to.
  void *step(const std::string &name, void *stream) {
    if (unordered == int(steps.size()))
      original.create_stream(original.self, &stream);
    steps.push_back(name);
    return stream;
  }

  const fusec_device original;
  fusec_device table;
  json kernels;  ///< symbol -> symbol in `module`
  json operands; ///< symbol -> bytes of each argument
  int dropped, unordered;
  std::string ptx;
  void *module = nullptr;
  std::map<void *, std::string> names;
};

/// A model that was built, its inputs and room for its outputs.
class Subject {
public:
  explicit Subject(const json &request) {
    const std::string library = request.at("library");
    void *opened = ::dlopen(library.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (!opened)
      throw std::runtime_error(::dlerror());
    auto query = reinterpret_cast<fusec_query_fn>(
        ::dlsym(opened, request.at("query").get<std::string>().c_str()));
    desc = query ? query(FUSEC_ABI_VERSION) : nullptr;
    if (!desc || !desc->device)
      throw std::runtime_error(library + ": is no model for a GPU");
    const std::string weights = request.value("weights", "");
    if (fusec_model_create(desc, weights.empty() ? nullptr : weights.c_str(),
                           nullptr, &model))
      throw std::runtime_error(fusec_last_error(nullptr));
    ptx = compileOnce(request);
    for (const json &file : request.at("inputs"))
      inputs.push_back(readFile(file));
    for (uint32_t i = 0; i < desc->num_outputs; ++i)
      outputs.emplace_back(bytesOf(desc->outputs[i]), '\0');
  }

  json run(const json &request) {
    json answer = {{"findings", json::array()}};
    const bool isFirst = expected.empty();
    std::vector<ptx::Direction> directions = {ptx::Direction::Forward};
    if (!request.value("forward", false))
      directions.push_back(ptx::Direction::Reverse);
    for (ptx::Direction direction : directions) {
      ChangedDevice device(desc->device->architecture, request);
      device.direction = direction;
      std::string error = runOn(device, request.value("offset", 0));
      for (const ptx::Finding &found : device.getFindings().all())
        answer["findings"].push_back({{"kind", found.kind},
                                      {"kernel", found.kernel},
                                      {"line", found.line},
                                      {"message", found.message}});
      if (!error.empty())
        answer["error"] = error;
      if (direction == ptx::Direction::Forward)
        answer["steps"] = device.steps;
      for (const auto &[kernel, counts] : device.getCounts())
        answer["counts"][kernel] = {{"launches", counts.launches},
                                    {"load_bytes", counts.globalLoadBytes},
                                    {"store_bytes", counts.globalStoreBytes},
                                    {"vector_bytes", counts.globalVectorBytes}};
      if (expected.empty())
        expected = outputs;
      if (isFirst && expected != outputs && addsToFloats())
        isExact = false; // blocks add to a sum as they end
      if (isExact ? expected != outputs : !isClose())
        answer["wrong"] = true;
      if (request.contains("save"))
        for (size_t i = 0; i < outputs.size(); ++i)
          std::ofstream(request.at("save").get<std::string>() +
                            std::to_string(i) + ".bin",
                        std::ios::binary)
              << outputs[i];
      if (!answer["findings"].empty() || answer.contains("error") ||
          answer.contains("wrong"))
        break;
    }
    return answer;
  }

private:
  static uint64_t bytesOf(const fusec_tensor_desc &tensor) {
    uint64_t bytes = fusec_dtype_bytes(tensor.dtype);
    for (uint32_t i = 0; i < tensor.rank; ++i)
      bytes *= static_cast<uint64_t>(tensor.dims[i]);
    return bytes;
  }

  static std::vector<fusec_tensor> describe(const fusec_tensor_desc *tensors,
                                            std::vector<std::string> &bytes) {
    std::vector<fusec_tensor> result;
    for (size_t i = 0; i < bytes.size(); ++i)
      result.push_back({bytes[i].data(), bytes[i].size(), tensors[i].dims,
                        tensors[i].rank, tensors[i].dtype});
    return result;
  }

  /// Tensors in memory of the device, so many bytes behind what it aligns.
  static std::vector<fusec_tensor> place(const fusec_device &device,
                                         std::vector<fusec_tensor> tensors,
                                         int offset) {
    for (fusec_tensor &tensor : tensors) {
      void *memory = nullptr;
      device.allocate(device.self, tensor.bytes + offset, &memory);
      void *to = static_cast<char *>(memory) + offset;
      device.copy(device.self, nullptr, to, tensor.data, tensor.bytes,
                  FUSEC_COPY_TO_DEVICE);
      tensor.data = to;
    }
    return tensors;
  }

  bool addsToFloats() const {
    static const std::regex pattern(R"(\b(red|atom)\.[\w.]*add[\w.]*\.b?f)");
    return std::regex_search(ptx, pattern);
  }

  /// Whether the outputs are as close to those expected as sums have to be.
  bool isClose() const {
    for (size_t i = 0; i < outputs.size(); ++i) {
      const fusec_tensor_desc &desc = this->desc->outputs[i];
      auto type = io::elementTypeFromName(fusec_dtype_name(desc.dtype));
      auto take = [&](const std::string &bytes) {
        auto tensor =
            io::Tensor::zeros(*type, {desc.dims, desc.dims + desc.rank});
        std::copy(bytes.begin(), bytes.end(), tensor.bytes.begin());
        return tensor;
      };
      auto comparison =
          io::compare(take(outputs[i]), take(expected[i]),
                      io::getTolerance(*type, io::OpClass::Contraction));
      if (!llvm::cantFail(std::move(comparison)).passed())
        return false;
    }
    return true;
  }

  /// What the runtime says where it fails. With an offset inputs and outputs
  /// lie on the device.
  std::string runOn(ChangedDevice &device, int offset) {
    for (std::string &bytes : outputs)
      bytes.assign(bytes.size(), '\0');
    fusec_device_image image = {};
    image.data = ptx.c_str();
    image.bytes = ptx.size() + 1;
    image.kind = FUSEC_IMAGE_PTX;
    fusec_session_options options = {};
    options.device = &device.getTable();
    options.image = &image;
    fusec_session *session = nullptr;
    if (fusec_session_create(model, &options, &session))
      return fusec_last_error(nullptr);
    auto in = describe(desc->inputs, inputs);
    const auto out = describe(desc->outputs, outputs);
    auto results = out;
    if (offset) {
      in = place(device.getTable(), in, offset);
      results = place(device.getTable(), results, offset);
    }
    std::string error;
    if (fusec_session_run(session, in.data(), static_cast<uint32_t>(in.size()),
                          results.data(),
                          static_cast<uint32_t>(results.size())))
      error = fusec_last_error(session);
    fusec_session_destroy(session);
    for (size_t i = 0; offset && i < out.size(); ++i)
      device.get().copy(device.get().self, nullptr, out[i].data,
                        results[i].data, out[i].bytes, FUSEC_COPY_TO_HOST);
    return error;
  }

  const fusec_model_desc *desc = nullptr;
  fusec_model *model = nullptr;
  std::string ptx;
  std::vector<std::string> inputs, outputs, expected;
  bool isExact = true; ///< whether both orders give the same bits
};

} // namespace

int main() {
  std::unique_ptr<Subject> subject;
  for (std::string line; std::getline(std::cin, line);) {
    json answer;
    try {
      json request = json::parse(line);
      if (request.contains("library"))
        subject = std::make_unique<Subject>(request);
      answer = request.contains("measure") ? measure(request)
                                           : subject->run(request);
    } catch (const std::exception &error) {
      answer = {{"failure", error.what()}};
    }
    std::cout << answer.dump(-1, ' ', false, json::error_handler_t::replace)
              << std::endl;
  }
}
