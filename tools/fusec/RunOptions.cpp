// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/fusec/RunOptions.h"

#include "runtime/src/Cpu.h"
#include "tools/CommandLine.h"
#include "tools/fusec/DataShapes.h"
#include "tools/fusec/Machine.h"
#include "tools/fusec/Steps.h"

#include "llvm/ADT/StringExtras.h"

namespace fusec::tool {

void addFileOption(CLI::App &command, const char *name,
                   std::vector<std::string> &list, const char *help) {
  command.add_option(name, list, help)
      ->type_name("NAME=FILE")
      ->allow_extra_args(false);
}

void addRuns(CLI::App &command, unsigned &runs) {
  command
      .add_option("--runs", runs,
                  "How many runs count, behind those to warm up")
      ->check(atLeastOne())
      ->capture_default_str();
}

void addSteps(CLI::App &command, unsigned &steps, const char *help) {
  command.add_option("--steps", steps, help)
      ->check(atLeastOne())
      ->type_name("N");
}

CLI::Validator notEmpty() {
  return CLI::Validator(
      [](const std::string &text) { return text.empty() ? "is empty" : ""; },
      "");
}

CLI::Validator atLeastOne() {
  return CLI::Validator(
      [](const std::string &text) {
        long long number = 0;
        bool isOne = !llvm::StringRef(text).getAsInteger(10, number) &&
                     number >= 1 && number <= 1000000000;
        return isOne ? "" : "'" + text + "' is not a number of 1 or more";
      },
      "");
}

/// CLI11's own lets NaN through.
static CLI::Validator notNegative() {
  return CLI::Validator(
      [](const std::string &text) {
        double value;
        return llvm::to_float(text, value) && value >= 0
                   ? std::string()
                   : "'" + text + "' is not a number from 0 on";
      },
      "");
}

/// CLI11's own takes -1, and what is too large, for the greatest number there
/// is.
static CLI::Validator seedNumber() {
  return CLI::Validator(
      [](const std::string &text) {
        uint64_t number = 0;
        return llvm::StringRef(text).getAsInteger(10, number)
                   ? "'" + text + "' is not a whole number from 0 to " +
                         std::to_string(UINT64_MAX)
                   : std::string();
      },
      "");
}

void RunOptions::add(CLI::App &command, const char *what) {
  model.addModel(command, what);
  model.addCompile(command, kNative);
  model.addCaches(command);
  addFileOption(command, "--input", inputs, "Read an input from a file");
  command.add_option("--seed", seed, "Seed of the random inputs")
      ->check(seedNumber())
      ->capture_default_str();
  command
      .add_option(
          "--threads", threads,
          "How many threads (default: one per CPU that fusec may use, by its "
          "affinity and its container's quota)")
      ->check(atLeastOne());
}

void CheckedRunOptions::add(CLI::App &command, const char *what) {
  model.takesSeveral = model.entries.takesSeveral = true;
  RunOptions::add(command, what);
  command
      .add_option("--rtol", tolerance.relative,
                  "Relative tolerance (default: the table of tolerances)")
      ->check(notNegative());
  command.add_option("--atol", tolerance.absolute, "Absolute tolerance")
      ->check(notNegative());
  command
      .add_option("--variant", variant,
                  "Use this variant of every group that has it: naive sums one "
                  "element after another, so long sums may differ from the "
                  "default's within rounding")
      ->type_name("NAME");
  std::vector<std::string> devices{kAnyDevice};
  for (const DeviceTools &tools : getDeviceTools())
    devices.push_back(tools.name.str());
  devices.insert(devices.end(), {kCpu, "sim"});
  command
      .add_option("--device", device,
                  "What the kernels run on: a GPU (cuda), the CPU (cpu), a "
                  "simulator of GPUs (sim), which runs them in two orders and "
                  "checks what they do, or the first of these that is there "
                  "and that the model has kernels for (auto, the default)")
      ->check(oneOf(devices));
  command.add_option("--mark-every", markEvery,
                     "Of a GPU: after how many steps it notes how far it has "
                     "come; an error names those since, with 1 the one "
                     "(default: 16)");
}

llvm::Expected<std::unique_ptr<Executable>>
CheckedRunOptions::load(const BuiltModel &built, LaunchTrace *trace,
                        fusec_tuner *tuner, LaunchWatch *watch) const {
  llvm::Expected<SharedPool> pool = makePool(threads);
  if (!pool)
    return pool.takeError();
  return Executable::load(
      built, {*pool, variant, device, weights, trace, tuner, watch, markEvery});
}

void addPlace(llvm::json::OStream &json, const Executable &model) {
  json.attribute("target", model.descriptor().target);
  if (!model.getDevice())
    return;
  json.attribute("device", model.getDevice()->get().name);
  json.attributeArray("findings", [&] {
    for (const std::string &finding : model.listFindings())
      json.value(llvm::json::fixUTF8(finding));
  });
}

void printPlace(const Executable &model, llvm::raw_ostream &os) {
  if (!model.isForGpus())
    return;
  std::string place = model.describePlace();
  os << "kernels for " << model.descriptor().target << " ran on "
     << (model.getDevice() ? place : "the CPU (" + place + ")") << "\n";
}

bool printFindings(const Executable &model, llvm::raw_ostream &os) {
  std::vector<std::string> findings = model.listFindings();
  for (const std::string &finding : findings)
    os << finding << "\n";
  return !findings.empty();
}

fast_run::Backend RunOptions::getBackend() const {
  fast_run::Backend backend = describeBackend();
  backend.isa = rt::isaName(detectIsa());
  backend.threads = threads ? std::to_string(threads) : backend.cores;
  // Who has no compiler is told so when it is needed.
  llvm::Expected<HostCompiler> compiler = findCompiler();
  if (compiler)
    backend.compiler = compiler->version;
  else
    llvm::consumeError(compiler.takeError());
  return backend;
}

ExitCode RunOptions::prepare(CompileOptions &options,
                             llvm::StringRef testData) const {
  if (std::string error = probeThreads(threads); !error.empty())
    return fail(error, kThreadsHint);
  if (!options.hasEntries()) // which leave nothing to the data
    takeShapes(options, inputs, testData);
  if (!model.caches.isNamed())
    return model.caches.read(options);
  fast_run::Backend backend = getBackend();
  return model.caches.read(options, backend.threads, backend.compiler);
}

/// Whether a file has a tensor of the port's shape; of bare elements it says
/// only how many there are.
static bool fits(const ref::Port &port, const ref::PortFile &file) {
  const bool isBare = io::tensorFormatOf(file.path) == io::TensorFormat::Raw;
  auto tensor = io::readTensor(file.path, isBare ? &port.spec : nullptr);
  if (tensor)
    return tensor->shape == port.spec.shape;
  llvm::consumeError(tensor.takeError());
  return !isBare; // what is wrong with others is said when they are read
}

/// An error where a file has the port's shape for another number of steps than
/// `count`.
static llvm::Error checkRows(const ref::Port &port, const ref::PortFile &file,
                             unsigned count) {
  if (io::tensorFormatOf(file.path) == io::TensorFormat::Raw)
    return llvm::Error::success();
  auto tensor = io::readTensor(file.path, nullptr);
  if (!tensor)
    return tensor.takeError();
  llvm::ArrayRef<int64_t> shape(tensor->shape);
  if (shape.empty() || shape.drop_front() != llvm::ArrayRef(port.spec.shape))
    return llvm::Error::success();
  return llvm::createStringError("--input %s=%s has a row for each of %lld "
                                 "steps, and --steps asks for %u; "
                                 "give one for each, or --steps %lld",
                                 port.name.c_str(), file.path.c_str(),
                                 (long long)shape.front(), count,
                                 (long long)shape.front());
}

llvm::Error RunOptions::pickEntry(Executable &model,
                                  llvm::raw_ostream &os) const {
  const size_t count = model.countEntries();
  if (count == 1)
    return llvm::Error::success();
  auto files = ref::resolvePortFiles("--input", inputs, ref::PortKind::Input,
                                     model.inputs());
  if (!files)
    return files.takeError();
  auto fitsAll = [&](llvm::ArrayRef<ref::Port> ports) {
    return llvm::all_of(*files, [&](const ref::PortFile &file) {
      return fits(ports[file.port], file) ||
             (steps && fits(stack(ports, steps)[file.port], file));
    });
  };
  std::string all;
  for (size_t e = 0; e < count; ++e) {
    for (const std::vector<int64_t> &extents : model.listExtents(e)) {
      if (llvm::Error error = model.takeExtents(extents))
        return error;
      if (!fitsAll(model.inputs()))
        continue;
      const std::string entry = model.describeEntry(e);
      const std::string given = model.describeExtents(extents);
      os << "the entry " << entry << ", of " << count
         << (given == entry ? "" : ", padded from " + given) << "\n";
      return llvm::Error::success();
    }
    constexpr size_t kShown = 12;
    if (e < kShown)
      all += (e ? ", " : "") + model.describeEntry(e);
    else if (e == kShown)
      all += " and " + std::to_string(count - kShown) + " more";
  }
  return llvm::createStringError("the files of the inputs fit no entry of the "
                                 "model; its entries are " +
                                 all);
}

std::vector<ref::Port> stack(llvm::ArrayRef<ref::Port> ports, unsigned steps) {
  std::vector<ref::Port> stacked(ports.begin(), ports.end());
  for (ref::Port &port : stacked)
    port.spec.shape.insert(port.spec.shape.begin(), int64_t(steps));
  return stacked;
}

llvm::Expected<std::vector<std::vector<io::Tensor>>>
RunOptions::makeSteps(llvm::ArrayRef<ref::Port> ports, unsigned count) const {
  auto files =
      ref::resolvePortFiles("--input", inputs, ref::PortKind::Input, ports);
  if (!files)
    return files.takeError();
  // What has rows is read as a whole, once.
  std::vector<ref::PortFile> whole;
  std::vector<std::pair<size_t, io::Tensor>> rows;
  for (const ref::PortFile &file : *files) {
    const ref::Port stacked = stack(ports[file.port], count).front();
    if (!steps || !fits(stacked, file)) {
      if (steps && !fits(ports[file.port], file))
        if (llvm::Error error = checkRows(ports[file.port], file, count))
          return error;
      whole.push_back(file);
      continue;
    }
    auto tensor = ref::readPort(stacked, file.path);
    if (!tensor)
      return tensor.takeError();
    rows.emplace_back(file.port, std::move(*tensor));
  }
  std::vector<std::vector<io::Tensor>> all;
  for (unsigned step = 0; step < count; ++step) {
    auto made = ref::makeInputs(ports, whole, seed + step);
    if (!made)
      return made.takeError();
    for (const auto &[port, tensor] : rows) {
      io::Tensor &row = (*made)[port];
      llvm::copy(llvm::ArrayRef<char>(tensor.bytes)
                     .slice(step * row.bytes.size(), row.bytes.size()),
                 row.bytes.begin());
    }
    all.push_back(std::move(*made));
  }
  return all;
}

llvm::Expected<std::vector<io::Tensor>>
RunOptions::makeInputs(llvm::ArrayRef<ref::Port> ports) const {
  auto files =
      ref::resolvePortFiles("--input", inputs, ref::PortKind::Input, ports);
  if (!files)
    return files.takeError();
  return ref::makeInputs(ports, *files, seed);
}

} // namespace fusec::tool
