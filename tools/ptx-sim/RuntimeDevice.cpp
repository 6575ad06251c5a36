// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/ptx-sim/RuntimeDevice.h"

#include "fusec/runtime.h"
#include "tools/ptx-sim/Module.h"

#include <algorithm>
#include <fmt/format.h>
#include <set>

using namespace fusec::ptx;

namespace {

uint64_t addressOf(const void *memory) {
  return reinterpret_cast<uintptr_t>(memory);
}

/// Streams are numbers; 0 is the one without a name.
Stream streamOf(void *stream) {
  return static_cast<Stream>(reinterpret_cast<uintptr_t>(stream));
}

std::vector<std::vector<uint8_t>> takeArguments(const void *const *arguments,
                                                uint32_t count) {
  std::vector<std::vector<uint8_t>> values;
  for (uint32_t i = 0; i < count; ++i) {
    auto *bytes = static_cast<const uint8_t *>(arguments[i]);
    values.emplace_back(bytes, bytes + sizeof(void *));
  }
  return values;
}

} // namespace

RuntimeDevice::RuntimeDevice(uint32_t architecture) {
  table.self = this;
  table.name = "the simulator";
  table.architecture = architecture;
  table.images = 1u << FUSEC_IMAGE_PTX;
  table.driver = "";
  fillTable();
  fillGraphs();
}

int32_t RuntimeDevice::guard(void *self,
                             const std::function<void(RuntimeDevice &)> &body) {
  auto &device = *static_cast<RuntimeDevice *>(self);
  try {
    body(device);
    return FUSEC_OK;
  } catch (const Error &error) {
    device.error = error.what();
    return error.kind == Error::Unsupported ? FUSEC_UNSUPPORTED
                                            : FUSEC_DEVICE_ERROR;
  } catch (const std::exception &error) {
    device.error = error.what();
    return FUSEC_OUT_OF_MEMORY;
  }
}

void RuntimeDevice::fillTable() {
  table.last_error = [](void *self) {
    return static_cast<RuntimeDevice *>(self)->error.c_str();
  };
  table.allocate = [](void *self, uint64_t bytes, void **memory) {
    return guard(self, [&](RuntimeDevice &sim) {
      *memory = reinterpret_cast<void *>(sim.device.allocate(bytes));
    });
  };
  table.release = [](void *self, void *memory) {
    guard(self,
          [&](RuntimeDevice &sim) { sim.device.free(addressOf(memory)); });
  };
  table.holds = [](void *self, const void *memory) {
    auto &sim = *static_cast<RuntimeDevice *>(self);
    return int32_t(sim.device.holds(addressOf(memory)));
  };
  table.create_stream = [](void *self, void **stream) {
    return guard(self, [&](RuntimeDevice &sim) {
      *stream = reinterpret_cast<void *>(uintptr_t(sim.device.createStream()));
    });
  };
  table.destroy_stream = [](void *, void *) {};
  table.synchronize = [](void *self, void *stream) {
    return guard(self, [&](RuntimeDevice &sim) {
      sim.device.synchronize(streamOf(stream));
    });
  };
  table.copy = [](void *self, void *stream, void *to, const void *from,
                  uint64_t bytes, uint32_t kind) {
    return guard(self, [&](RuntimeDevice &sim) {
      Stream number = streamOf(stream);
      if (kind == FUSEC_COPY_TO_DEVICE)
        sim.device.copyIn(addressOf(to), from, bytes, number);
      else if (kind == FUSEC_COPY_TO_HOST)
        sim.device.copyOut(to, addressOf(from), bytes, number);
      else
        sim.device.copy(addressOf(to), addressOf(from), bytes, number);
    });
  };
  table.fill = [](void *self, void *stream, void *to, const void *value,
                  uint32_t valueBytes, uint64_t count) {
    return guard(self, [&](RuntimeDevice &sim) {
      sim.device.fill(addressOf(to), value, valueBytes, count,
                      streamOf(stream));
    });
  };
  table.load_module = [](void *self, const fusec_device_image *image,
                         void **module) {
    return guard(self, [&](RuntimeDevice &sim) {
      *module = &sim.device.load("the kernels' PTX",
                                 static_cast<const char *>(image->data));
    });
  };
  // Modules live as long as the simulator, which counts what they did.
  table.unload_module = [](void *, void *) {};
  table.find_kernel = [](void *self, void *module, const char *symbol,
                         void **kernel) {
    return guard(self, [&](RuntimeDevice &sim) {
      auto *of = static_cast<Module *>(module);
      auto found = of->functions.find(symbol);
      if (found == of->functions.end() || !found->second.isEntry)
        throw Error(Error::BadInput,
                    fmt::format("the PTX has no kernel {}", symbol));
      sim.kernels.push_back({of, symbol});
      *kernel = &sim.kernels.back();
    });
  };
  table.launch = [](void *self, void *stream, void *kernel, uint32_t grid,
                    uint32_t block, uint32_t sharedBytes,
                    const void *const *arguments, uint32_t numArguments) {
    return guard(self, [&](RuntimeDevice &sim) {
      const Kernel &launched = *static_cast<Kernel *>(kernel);
      LaunchConfig config;
      config.kernel = launched.name;
      config.grid.x = grid;
      config.block.x = block;
      config.dynamicShared = sharedBytes;
      config.stream = streamOf(stream);
      config.direction = sim.direction;
      sim.device.launch(*launched.module, config,
                        takeArguments(arguments, numArguments));
    });
  };
  table.create_event = [](void *self, void **event) {
    return guard(
        self, [&](RuntimeDevice &sim) { *event = &sim.events.emplace_back(); });
  };
  table.destroy_event = [](void *, void *) {};
  table.record = [](void *, void *, void *event) {
    *static_cast<Clock::time_point *>(event) = Clock::now();
    return int32_t(FUSEC_OK);
  };
  table.elapsed = [](void *, void *begin, void *end, double *milliseconds) {
    *milliseconds = std::chrono::duration<double, std::milli>(
                        *static_cast<Clock::time_point *>(end) -
                        *static_cast<Clock::time_point *>(begin))
                        .count();
    return int32_t(FUSEC_OK);
  };
  table.create_mark = [](void *self, const volatile uint32_t **mark) {
    return guard(
        self, [&](RuntimeDevice &sim) { *mark = &sim.marks.emplace_back(0); });
  };
  table.destroy_mark = [](void *, const volatile uint32_t *) {};
  // All is done when the call is back.
  table.set_mark = [](void *, void *, const volatile uint32_t *mark,
                      uint32_t value) {
    *const_cast<volatile uint32_t *>(mark) = value;
    return int32_t(FUSEC_OK);
  };
  table.clocks = [](void *, uint32_t *, uint32_t *) {
    return int32_t(FUSEC_UNSUPPORTED);
  };
}

void RuntimeDevice::fillGraphs() {
  table.make_graph = [](void *self, const fusec_device_node *nodes,
                        uint32_t count, void **graph) {
    return guard(self, [&](RuntimeDevice &sim) {
      Graph &made = sim.graphs.emplace_back();
      for (const fusec_device_node *node = nodes; node != nodes + count; ++node)
        made.nodes.push_back(
            {*node,
             {node->before, node->before + node->num_before},
             takeArguments(node->arguments, node->num_arguments),
             sim.device.createStream()});
      *graph = &made;
    });
  };
  table.update_graph = [](void *self, void *graph, uint32_t number,
                          const fusec_device_node *node) {
    return guard(self, [&](RuntimeDevice &) {
      Node &of = static_cast<Graph *>(graph)->nodes.at(number);
      of.what = *node;
      of.arguments = takeArguments(node->arguments, node->num_arguments);
    });
  };
  table.launch_graph = [](void *self, void *stream, void *graph) {
    int32_t status = FUSEC_OK;
    const int32_t thrown = guard(self, [&](RuntimeDevice &sim) {
      status = sim.launchGraph(streamOf(stream), *static_cast<Graph *>(graph));
    });
    return thrown ? thrown : status;
  };
  table.destroy_graph = [](void *, void *) {};
}

int32_t RuntimeDevice::run(const Node &node) const {
  const fusec_device &with = getSteps();
  const fusec_device_node &what = node.what;
  void *stream = reinterpret_cast<void *>(uintptr_t(node.stream));
  switch (what.kind) {
  case FUSEC_NODE_COPY:
    return with.copy(with.self, stream, what.to, what.from, what.bytes,
                     FUSEC_COPY_ON_DEVICE);
  case FUSEC_NODE_FILL:
    return with.fill(with.self, stream, what.to, &what.value,
                     static_cast<uint32_t>(what.bytes), what.count);
  case FUSEC_NODE_MARK:
    return with.set_mark(with.self, stream, what.mark,
                         static_cast<uint32_t>(what.value));
  }
  std::vector<const void *> arguments;
  for (const std::vector<uint8_t> &argument : node.arguments)
    arguments.push_back(argument.data());
  return with.launch(with.self, stream, what.kernel, what.grid, what.block,
                     what.shared_bytes, arguments.data(),
                     static_cast<uint32_t>(arguments.size()));
}

int32_t RuntimeDevice::launchGraph(Stream stream, const Graph &graph) {
  const std::vector<Node> &nodes = graph.nodes;
  const Event begin = device.record(stream);
  std::vector<Event> ends(nodes.size());
  std::vector<size_t> numAwaited(nodes.size());
  std::vector<std::vector<size_t>> after(nodes.size());
  std::set<size_t> ready;
  for (size_t i = 0; i < nodes.size(); ++i) {
    numAwaited[i] = nodes[i].before.size();
    for (uint32_t before : nodes[i].before)
      after[before].push_back(i);
    if (!numAwaited[i])
      ready.insert(i);
  }
  while (!ready.empty()) {
    const size_t next =
        direction == Direction::Forward ? *ready.begin() : *ready.rbegin();
    ready.erase(next);
    device.wait(nodes[next].stream, begin);
    for (uint32_t before : nodes[next].before)
      device.wait(nodes[next].stream, ends[before]);
    if (const int32_t status = run(nodes[next]))
      return status;
    ends[next] = device.record(nodes[next].stream);
    for (size_t i : after[next])
      if (--numAwaited[i] == 0)
        ready.insert(i);
  }
  for (const Event end : ends)
    device.wait(stream, end);
  return FUSEC_OK;
}
