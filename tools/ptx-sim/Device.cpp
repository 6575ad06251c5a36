// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/ptx-sim/Architectures.h"
#include "tools/ptx-sim/Exec.h"

#include <algorithm>
#include <cstring>
#include <fmt/format.h>

using namespace fusec::ptx;

struct Device::Loaded {
  std::unique_ptr<Module> module;
  std::unordered_map<std::string, uint64_t> addressOf;
  std::map<std::string, std::unique_ptr<Program>> programs;
};

Device::Device() : streams(1) {}
Device::~Device() = default;

Module &Device::load(const std::string &path, const std::string &text) {
  auto loaded = std::make_unique<Loaded>();
  loaded->module = parseModule(path, text);
  for (const Variable &variable : loaded->module->variables) {
    if (variable.space == Space::Shared)
      continue;
    if (variable.isExtern)
      throw Error(
          Error::Unsupported,
          fmt::format("{}: {} is defined in another module, which cannot be "
                      "linked",
                      path, variable.name));
    Allocation &place = memory.allocate(variable.size, variable.name,
                                        std::max(16u, variable.align));
    // Without an initial value it is zero.
    std::fill(place.data.begin(), place.data.end(), 0);
    std::copy(variable.initial.begin(), variable.initial.end(),
              place.data.begin());
    place.shadow.defined.resize(variable.size, true);
    place.isReadOnly = variable.space == Space::Const;
    loaded->addressOf[variable.name] = place.base;
  }
  for (const Variable &variable : loaded->module->variables)
    for (const Variable::Fixup &fixup : variable.fixups) {
      auto target = loaded->addressOf.find(fixup.name);
      if (target == loaded->addressOf.end())
        throw Error(
            Error::Unsupported,
            fmt::format("{}: the initial value of {} is the address of {}, "
                        "which is no variable",
                        path, variable.name, fixup.name));
      uint64_t address = target->second + static_cast<uint64_t>(fixup.addend);
      Allocation *place =
          memory.find(loaded->addressOf[variable.name], variable.size);
      std::memcpy(place->data.data() + fixup.offset, &address, 8);
    }
  modules.push_back(std::move(loaded));
  return *modules.back()->module;
}

Program &Device::programOf(Module &module, const std::string &kernel) {
  auto loaded =
      std::find_if(modules.begin(), modules.end(), [&](const auto &one) {
        return one->module.get() == &module;
      });
  if (loaded == modules.end())
    throw Error(Error::BadInput, "the module is not of this device");
  std::unique_ptr<Program> &program = (*loaded)->programs[kernel];
  if (!program)
    program = decodeKernel(module, kernel, (*loaded)->addressOf);
  return *program;
}

uint64_t Device::allocate(uint64_t bytes, const std::string &name) {
  return memory.allocate(bytes, name).base;
}

void Device::free(uint64_t address) { memory.free(address); }

const uint8_t *Device::peek(uint64_t address, uint64_t bytes) {
  Allocation *found = memory.find(address, bytes);
  if (!found)
    throw Error(Error::BadInput, fmt::format("there are no {} bytes at {}",
                                             bytes, memory.describe(address)));
  return found->data.data() + (address - found->base);
}

bool Device::isDefined(uint64_t address, uint64_t bytes) {
  Allocation *found = memory.find(address, bytes);
  return found && found->shadow.defined.allOf(address - found->base, bytes);
}

void Device::join(Known &known, const Known &other) {
  known.resize(std::max(known.size(), other.size()));
  for (size_t i = 0; i < other.size(); ++i)
    if (other[i])
      known[i] = true;
}

size_t Device::begin(Stream stream, const std::string &name) {
  if (stream >= streams.size())
    throw Error(Error::BadInput, fmt::format("there is no stream {}", stream));
  join(streams[stream], host);
  memory.mergeLists(mostLists, [&](Time at) { return workNumber(at); });
  unordered.clear();
  safeTime = time++;
  for (size_t i = 0; i < works.size(); ++i)
    if (i >= streams[stream].size() || !streams[stream][i]) {
      unordered.push_back(&works[i]);
      safeTime = std::min(safeTime, works[i].first - 1);
    }
  return works.size();
}

void Device::end(Stream stream, size_t work) {
  streams[stream].resize(work + 1);
  streams[stream][work] = true;
  unordered.clear();
}

size_t Device::workNumber(Time at) const {
  auto after = std::upper_bound(
      works.begin(), works.end(), at,
      [](Time time, const Work &work) { return time < work.first; });
  return static_cast<size_t>(after - works.begin());
}

std::string Device::workAt(Time at) const {
  const size_t number = workNumber(at);
  return number && at <= works[number - 1].last ? works[number - 1].name
                                                : "earlier work";
}

/// A copy's or fill's access to a range, by a block of its own.
void Device::touch(uint64_t address, uint64_t bytes, bool isWrite,
                   const std::string &name) {
  Allocation *found = memory.find(address, bytes);
  if (!found)
    throw Error(Error::BadInput, fmt::format("{} of {} bytes at {}", name,
                                             bytes, memory.describe(address)));
  uint64_t offset = address - found->base;
  if (isWrite)
    found->shadow.defined.set(offset, bytes, true);
  bool reported = false;
  auto conflictWith = [&](Time at) {
    if (reported || at <= safeTime || isOrdered(at))
      return;
    reported = true;
    findings.add(
        {"launch-race", "", "", 0, name,
         fmt::format("{} {} bytes of {}, which {} accesses, and nothing orders "
                     "the two: order them by stream or event",
                     name, isWrite ? "writes" : "reads", found->name,
                     workAt(at)),
         1});
  };
  auto visit = [&](Cell &cell) {
    conflictWith(cell.writeTime);
    if (isWrite && cell.readTime) {
      conflictWith(cell.readTime);
      if (cell.readBlock == Cell::kList)
        for (const ReadSet &set : found->shadow.listOf(cell))
          conflictWith(set.time);
      found->shadow.dropList(cell);
      cell.readTime = 0;
    }
    if (isWrite) {
      cell.writeTime = time;
      cell.writeBlock = 0;
      cell.writeThread = 0;
      cell.writeInst = 0;
      cell.flags &= Cell::Split;
    } else if (cell.readTime <= safeTime) {
      found->shadow.dropList(cell);
      cell.setReaders({time, 0, 1, 1, false});
    } else {
      if (cell.readBlock != Cell::kList)
        found->shadow.makeList(cell);
      found->shadow.listOf(cell).push_back({time, 0, 1, 1, false});
      cell.readTime = time;
    }
  };
  for (uint64_t at = offset; at < offset + bytes;) {
    bool whole = (at & 3) == 0 && at + 4 <= offset + bytes;
    Cell &word = found->shadow.word(at);
    if (!whole && !(word.flags & Cell::Split))
      found->shadow.split(at);
    if (word.flags & Cell::Split) {
      visit(found->shadow.byte(at));
      ++at;
    } else {
      visit(word);
      at += 4;
    }
  }
}

void Device::copyIn(uint64_t to, const void *from, uint64_t bytes,
                    Stream stream) {
  size_t work = begin(stream, "a copy to the device");
  touch(to, bytes, true, "a copy to the device");
  std::memcpy(const_cast<uint8_t *>(peek(to, bytes)), from, bytes);
  works.push_back({time, time, "a copy to the device"});
  ++time;
  end(stream, work);
  synchronize(stream);
}

void Device::copyOut(void *to, uint64_t from, uint64_t bytes, Stream stream) {
  size_t work = begin(stream, "a copy to the host");
  touch(from, bytes, false, "a copy to the host");
  if (!isDefined(from, bytes))
    findings.add(
        {"uninitialised", "", "", 0, "a copy to the host",
         fmt::format("a copy to the host reads bytes of {} that nobody wrote",
                     memory.find(from, bytes)->name),
         1});
  std::memcpy(to, peek(from, bytes), bytes);
  works.push_back({time, time, "a copy to the host"});
  ++time;
  end(stream, work);
  synchronize(stream);
}

void Device::copy(uint64_t to, uint64_t from, uint64_t bytes, Stream stream) {
  size_t work = begin(stream, "a copy");
  touch(from, bytes, false, "a copy");
  touch(to, bytes, true, "a copy");
  Allocation *source = memory.find(from, bytes),
             *target = memory.find(to, bytes);
  std::memmove(target->data.data() + (to - target->base),
               source->data.data() + (from - source->base), bytes);
  for (uint64_t i = 0; i < bytes; ++i)
    if (!source->shadow.defined.allOf(from - source->base + i, 1))
      target->shadow.defined.set(to - target->base + i, 1, false);
  works.push_back({time, time, "a copy"});
  ++time;
  end(stream, work);
}

void Device::fill(uint64_t to, const void *value, uint32_t valueBytes,
                  uint64_t count, Stream stream) {
  size_t work = begin(stream, "a fill");
  touch(to, valueBytes * count, true, "a fill");
  auto *place = const_cast<uint8_t *>(peek(to, valueBytes * count));
  for (uint64_t i = 0; i < count; ++i)
    std::memcpy(place + i * valueBytes, value, valueBytes);
  works.push_back({time, time, "a fill"});
  ++time;
  end(stream, work);
}

Stream Device::createStream() {
  streams.emplace_back();
  return static_cast<Stream>(streams.size() - 1);
}

Event Device::record(Stream stream) {
  events.push_back(streams.at(stream));
  return static_cast<Event>(events.size() - 1);
}

void Device::wait(Stream stream, Event event) {
  join(streams.at(stream), events.at(event));
}

void Device::synchronize(Stream stream) { join(host, streams.at(stream)); }

void Device::synchronize() {
  for (const Known &known : streams)
    join(host, known);
}

/// A block has only so many threads, and those that its kernel is made for.
static void checkBlock(const Module &module, const Program &program,
                       const LaunchConfig &config) {
  const Dim3 &block = config.block;
  if (!block.count() || !config.grid.count() || block.count() > 1024 ||
      block.z > 64)
    throw Error(
        Error::BadInput,
        fmt::format("a block of {}x{}x{} threads cannot be launched: there are "
                    "1 to 1024 in a block (64 in z), and at least one block",
                    block.x, block.y, block.z));
  const Function &function = *program.entry->function;
  auto refuse = [&](const std::string &why) {
    throw Error(Error::BadInput,
                fmt::format("{}:{}: {} {}", module.path, function.line,
                            config.kernel, why));
  };
  uint64_t most = 1;
  for (uint64_t extent : function.maxBlock)
    most *= extent;
  if (!function.maxBlock.empty() && block.count() > most)
    refuse(fmt::format("is made for blocks of at most {} threads (.maxntid, "
                       "__launch_bounds__), not {}: launch at most {} (--block)"
                       ", or compile it for more",
                       most, block.count(), most));
  if (function.requiredBlock.empty())
    return;
  std::vector<uint64_t> required = function.requiredBlock;
  required.resize(3, 1);
  if (required != std::vector<uint64_t>{block.x, block.y, block.z})
    refuse(fmt::format("is made for blocks of {}x{}x{} threads (.reqntid), not "
                       "{}x{}x{}: launch it so (--block), or compile it for "
                       "others",
                       required[0], required[1], required[2], block.x, block.y,
                       block.z));
}

/// A block has only so much shared memory.
static void checkShared(const Module &module, const Program &program,
                        const LaunchConfig &config) {
  const uint64_t given = config.dynamicShared;
  const uint64_t most = findArchitecture(module.target)->sharedBytes;
  const std::string kernel = fmt::format(
      "{}:{}: {}", module.path, program.entry->function->line, config.kernel);
  if (program.staticBytes > kMostStaticShared)
    throw Error(
        Error::BadInput,
        fmt::format("{} declares {} bytes of static shared memory, of which a "
                    "block has at most {}: declare the largest array as extern "
                    "__shared__ and give its bytes at the launch (--shared), "
                    "at most {} in all on {}",
                    kernel, program.staticBytes, kMostStaticShared, most,
                    module.target));
  if (program.staticBytes + given > most)
    throw Error(
        Error::BadInput,
        fmt::format(
            "{} needs {} bytes of shared memory, {} static and {} given "
            "at the launch; a block of {} has at most {}: give at most "
            "{} at the launch (--shared), or compile for an "
            "architecture that has more",
            kernel, program.staticBytes + given, program.staticBytes, given,
            module.target, most, most - program.staticBytes));
}

void Device::launch(Module &module, const LaunchConfig &config,
                    const std::vector<std::vector<uint8_t>> &arguments) {
  Program &program = programOf(module, config.kernel);
  const auto &params = program.entry->function->params;
  if (arguments.size() != params.size())
    throw Error(Error::BadInput,
                fmt::format("{} takes {} arguments, {} are given",
                            config.kernel, params.size(), arguments.size()));
  std::vector<uint8_t> bytes(program.paramBytes);
  for (size_t i = 0; i < params.size(); ++i) {
    if (arguments[i].size() != params[i].size)
      throw Error(Error::BadInput,
                  fmt::format("argument {} of {} has {} bytes, {} are given",
                              i + 1, config.kernel, params[i].size,
                              arguments[i].size()));
    std::copy(arguments[i].begin(), arguments[i].end(),
              bytes.begin() + program.paramOffsets[i]);
  }
  checkBlock(module, program, config);
  if (config.grid.y > 65535 || config.grid.z > 65535 ||
      config.grid.count() > 0x7fffffff)
    throw Error(
        Error::BadInput,
        fmt::format("a grid of {}x{}x{} blocks cannot be launched: y and z are "
                    "at most 65535",
                    config.grid.x, config.grid.y, config.grid.z));
  checkShared(module, program, config);
  size_t work = begin(config.stream, config.kernel);
  Time first = time;
  Exec exec(*this, program, config, std::move(bytes));
  bool isCooperative = std::any_of(
      program.codes.begin(), program.codes.end(), [](const auto &one) {
        const auto &specials = one.second->specials;
        return std::any_of(
            specials.begin(), specials.end(),
            [](const auto &special) { return special.second == "%envreg2"; });
      });
  if (isCooperative) {
    Allocation &workspace = memory.allocate(1024, "the workspace of the grid");
    std::fill(workspace.data.begin(), workspace.data.end(), 0);
    workspace.shadow.defined.resize(1024, true);
    exec.workspace = workspace.base;
  }
  exec.run();
  works.push_back({first, time++, config.kernel});
  counts[config.kernel].add(exec.counts);
  end(config.stream, work);
}
