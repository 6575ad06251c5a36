// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/fusec/Executable.h"

#include "runtime/src/Target.h"
#include "tools/fusec/Cache.h"
#include "tools/fusec/Command.h"

#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include <chrono>
#include <dlfcn.h>

namespace fusec::tool {

std::vector<ref::Port> portsOf(const fusec_tensor_desc *tensors,
                               uint32_t count) {
  std::vector<ref::Port> ports;
  for (const fusec_tensor_desc &tensor : llvm::ArrayRef(tensors, count)) {
    ref::Port port;
    port.name = tensor.name;
    port.spec.type = static_cast<io::ElementType>(tensor.dtype);
    port.spec.shape.assign(tensor.dims, tensor.dims + tensor.rank);
    ports.push_back(std::move(port));
  }
  return ports;
}

llvm::Error Executable::failure(llvm::StringRef what) const {
  return llvm::createStringError(what + ": " + fusec_last_error(session));
}

/// Throws UsageError where no group has `variant`.
static void checkVariant(const fusec_model_desc &desc,
                         llvm::StringRef variant) {
  llvm::SetVector<llvm::StringRef> names;
  auto add = [&](const fusec_variant_list *list) {
    for (const fusec_variant_desc &known :
         llvm::ArrayRef(list->variants, list->num_variants))
      names.insert(known.name);
  };
  for (auto *table : desc.kernels)
    if (table)
      llvm::for_each(llvm::ArrayRef(table, desc.num_kernels), add);
  if (desc.device)
    llvm::for_each(llvm::ArrayRef(desc.device->variants, desc.num_kernels),
                   add);
  for (const fusec_group_desc &group :
       llvm::ArrayRef(desc.groups, desc.num_groups))
    if (group.variants)
      add(group.variants);
  // A model without groups has every variant of them.
  if (!names.empty() && !names.contains(variant))
    throw UsageError{"--variant " + variant.str() +
                     ": no kernel of the model has that variant; it has " +
                     llvm::join(names, ", ")};
}

llvm::Expected<const fusec_model_desc *> openLibrary(const BuiltModel &built,
                                                     void *&library) {
  llvm::Expected<EmittedModel> emitted = readEmittedModel(built.folder);
  if (!emitted)
    return emitted.takeError();
  library = dlopen(built.library.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!library)
    return llvm::createStringError(built.library +
                                   ": cannot be loaded: " + dlerror());
  std::string symbol = "fusec_" + emitted->name + "_query";
  auto query = reinterpret_cast<fusec_query_fn>(dlsym(library, symbol.c_str()));
  const fusec_model_desc *desc = query ? query(FUSEC_ABI_VERSION) : nullptr;
  if (!desc)
    return llvm::createStringError(
        built.library +
        ": was compiled by another version of fusec; remove it");
  return desc;
}

llvm::Expected<SharedPool> makePool(unsigned threads) {
  fusec_thread_pool *pool = nullptr;
  if (fusec_thread_pool_create(threads, &pool))
    return llvm::createStringError(fusec_last_error(nullptr));
  return SharedPool(pool, fusec_thread_pool_destroy);
}

std::string probeThreads(unsigned threads) {
  llvm::Expected<SharedPool> pool = makePool(threads);
  return pool ? "" : llvm::toString(pool.takeError());
}

/// Throws UnsupportedError where the model calls what only a GPU runs.
static void requireCpuForms(const BuiltModel &built) {
  llvm::Expected<EmittedModel> emitted = readEmittedModel(built.folder);
  if (!emitted)
    return llvm::consumeError(emitted.takeError()); // which was read before
  if (!emitted->cudaAlone.empty())
    throw UnsupportedError{
        built.folder,
        "the operator " + *emitted->cudaAlone.begin() +
            " launches kernels of its own and has no form for CPUs, and the "
            "simulator runs kernels of models alone",
        "add .compute(\"cpu\", ...) to it, or run the model on a GPU"};
}

llvm::Expected<std::unique_ptr<Executable>>
Executable::load(const BuiltModel &built, const LoadOptions &how) {
  std::unique_ptr<Executable> result(new Executable);
  auto opened = openLibrary(built, result->library);
  if (!opened)
    return opened.takeError();
  const fusec_model_desc *desc = *opened, *target = desc;
  auto device = RunDevice::make(how.device.empty() ? kAnyDevice : how.device,
                                *desc, target);
  if (!device)
    return device.takeError();
  if (*device && (*device)->isSimulated())
    requireCpuForms(built);
  if (how.tuner && *device)
    throw UsageError{"--tuning-range: the kernels run on " +
                     std::string((*device)->get().name) +
                     ", and only on CPUs a session finds out which are "
                     "fastest; fusec tune finds out for GPUs"};
  result->device = std::move(*device);
  result->forGpus = rt::findForDevice(*desc, UINT32_MAX) != nullptr;
  if (!how.variant.empty())
    checkVariant(*target, how.variant);
  std::string weights = built.folder + "/weights.bin";
  fusec_model_options modelOptions = {};
  if (fusec_model_create(desc, desc->weights_bytes ? weights.c_str() : nullptr,
                         &modelOptions, &result->model))
    return result->failure(built.folder);
  if (!how.weights.empty() &&
      fusec_model_swap_weights(result->model, how.weights.c_str(), nullptr))
    return result->failure(how.weights);
  fusec_session_options options = {};
  result->pool = how.pool;
  options.pool = result->pool.get();
  options.tuner = how.tuner;
  result->trace = how.trace;
  options.profile = how.trace ? how.trace->hook() : nullptr;
  options.target = target->target;
  options.mark_every = how.markEvery;
  if (result->device) {
    const TargetInfo *row = getTargetInfo(target->target);
    if (!row || !row->platform->isDevice)
      return llvm::createStringError(built.folder + ": is for '" +
                                     target->target +
                                     "', which this fusec has no row for");
    if (llvm::Error error = result->image.load(getDeviceTools(*row->platform),
                                               built.getImage(*row)))
      return error;
    options.device = &result->device->get();
    options.image = &result->image.get();
  }
  fusec_choice choice = {nullptr, how.variant.c_str()};
  if (!how.variant.empty()) {
    options.choices = &choice;
    options.num_choices = 1;
  }
  if (how.watch) {
    uint64_t bytes = 0;
    if (fusec_session_memory(result->model, &options, &bytes))
      return result->failure(built.folder);
    auto arena = WatchedArena::make(bytes, options.device);
    if (!arena)
      return arena.takeError();
    result->arena = std::move(*arena);
    result->arena->describe(options);
    options.profile = how.watch->follow(*result->arena);
  }
  if (llvm::Error error = result->watchOperators(built, *desc, options))
    return error;
  if (fusec_session_create(result->model, &options, &result->session))
    return result->failure(built.folder);
  if (result->operators)
    result->operators->follow(result->session);
  if (how.trace)
    how.trace->follow(result->session);
  for (uint32_t i = 0; i <= desc->num_others; ++i)
    if (const fusec_model_desc &next = rt::getTarget(*desc, i);
        llvm::StringRef(next.target) == target->target)
      result->entries.push_back(&next);
  result->takePorts();
  return result;
}

llvm::Error Executable::watchOperators(const BuiltModel &built,
                                       const fusec_model_desc &desc,
                                       fusec_session_options &options) {
  llvm::Expected<EmittedModel> emitted = readEmittedModel(built.folder);
  if (!emitted)
    return emitted.takeError();
  if (emitted->operatorCalls.empty())
    return llvm::Error::success();
  operators =
      std::make_unique<OperatorWatch>(desc, emitted->operatorCalls, built.ops);
  options.profile = operators->wrap(options.profile);
  return llvm::Error::success();
}

void Executable::takePorts() {
  const fusec_model_desc &desc = descriptor();
  inputPorts = portsOf(desc.inputs, desc.num_inputs);
  outputPorts = portsOf(desc.outputs, desc.num_outputs);
  statePorts.clear();
  for (uint32_t i = 0; i < desc.num_states; ++i)
    llvm::append_range(statePorts, portsOf(&desc.states[i].tensor, 1));
}

std::string Executable::describeExtents(llvm::ArrayRef<int64_t> extents) const {
  std::string text;
  for (auto [number, extent] : llvm::enumerate(extents))
    text += (number ? " " : "") + std::string(entries[0]->symbols[number]) +
            "=" + std::to_string(extent);
  return text;
}

std::string Executable::describeEntry(size_t number) const {
  return describeExtents(listExtents(number).front());
}

std::vector<std::vector<int64_t>> Executable::listExtents(size_t number) const {
  const fusec_model_desc &desc = *entries[number];
  if (!desc.extents)
    return {{}};
  const std::vector<int64_t> own(desc.extents, desc.extents + desc.num_symbols);
  std::vector<std::vector<int64_t>> all{own};
  for (uint32_t s = 0; desc.least && s < desc.num_symbols; ++s)
    for (size_t i = 0, count = all.size(); i < count; ++i)
      for (int64_t extent = own[s] - 1; extent >= desc.least[s]; --extent) {
        all.push_back(all[i]);
        all.back()[s] = extent;
      }
  return all;
}

llvm::Error Executable::takeExtents(llvm::ArrayRef<int64_t> extents) {
  if (!extents.empty() &&
      fusec_session_pick(session, extents.data(), extents.size()))
    return failure("the entry cannot be taken");
  takePorts();
  return llvm::Error::success();
}

llvm::Error Executable::takeEntry(size_t number) {
  return takeExtents(listExtents(number).front());
}

Executable::~Executable() {
  fusec_session_destroy(session);
  fusec_model_destroy(model);
  if (library)
    dlclose(library);
}

std::vector<fusec_tensor> describe(llvm::ArrayRef<io::Tensor> tensors) {
  std::vector<fusec_tensor> result;
  for (const io::Tensor &tensor : tensors)
    result.push_back({const_cast<char *>(tensor.bytes.data()),
                      tensor.bytes.size(), tensor.shape.data(),
                      static_cast<uint32_t>(tensor.shape.size()),
                      static_cast<fusec_dtype>(tensor.type)});
  return result;
}

/// How many milliseconds `work` takes.
static double timed(llvm::function_ref<void()> work) {
  using Clock = std::chrono::steady_clock;
  Clock::time_point start = Clock::now();
  work();
  return std::chrono::duration<double, std::milli>(Clock::now() - start)
      .count();
}

fusec_status Executable::runOnce(std::vector<fusec_tensor> &in,
                                 std::vector<fusec_tensor> &out) {
  if (trace)
    trace->beginRun();
  fusec_status status =
      fusec_session_run(session, in.data(), in.size(), out.data(), out.size());
  if (trace)
    trace->endRun();
  return status;
}

std::string Executable::describePlace() const {
  return device ? device->get().name : isa().str();
}

std::vector<std::string> Executable::listFindings() const {
  if (!device)
    return {};
  std::vector<std::string> all = device->listFindings();
  llvm::append_range(all, differences);
  return all;
}

static std::vector<io::Tensor> makeZeros(llvm::ArrayRef<ref::Port> ports) {
  std::vector<io::Tensor> tensors;
  for (const ref::Port &port : ports)
    tensors.push_back(
        io::Tensor::zeros(port.spec.type, port.spec.shape, port.name));
  return tensors;
}

std::vector<io::Tensor> Executable::makeResults() const {
  return makeZeros(outputPorts);
}

llvm::Expected<std::vector<io::Tensor>> Executable::readStates() const {
  std::vector<io::Tensor> values = makeZeros(statePorts);
  for (auto [value, tensor] : llvm::zip_equal(values, describe(values)))
    if (fusec_session_get_state(session, value.name.c_str(), &tensor))
      return failure("the state cannot be read");
  return values;
}

llvm::Error Executable::resetStates() {
  return fusec_session_reset(session) ? failure("the session cannot be reset")
                                      : llvm::Error::success();
}

llvm::Error Executable::setState(const io::Tensor &value) {
  const fusec_tensor tensor = describe(value).front();
  return fusec_session_set_state(session, value.name.c_str(), &tensor)
             ? failure("the state cannot be set")
             : llvm::Error::success();
}

llvm::Expected<std::string> Executable::saveStates() const {
  uint64_t bytes = 0;
  std::string saved;
  fusec_status status = fusec_session_save(session, nullptr, 0, &bytes);
  saved.resize(bytes);
  if (!status)
    status = fusec_session_save(session, saved.data(), bytes, &bytes);
  if (status)
    return failure("the states cannot be saved");
  return saved;
}

/// Whether what the session takes gives the same bits in whichever order blocks
/// run.
bool Executable::isReproducible() const {
  const fusec_model_desc &desc = descriptor();
  for (uint32_t group = 0; group < desc.num_kernels; ++group) {
    const fusec_variant_list &list = *desc.device->variants[group];
    for (const fusec_variant_desc &variant :
         llvm::ArrayRef(list.variants, list.num_variants))
      if (llvm::StringRef(variant.name) ==
              fusec_session_variant(session, group) &&
          !(variant.attributes & FUSEC_VARIANT_REPRODUCIBLE))
        return false;
  }
  return true;
}

/// The same run once more, from the states that were there `before` it.
llvm::Error Executable::runInReverse(llvm::ArrayRef<io::Tensor> inputs,
                                     llvm::ArrayRef<io::Tensor> forward,
                                     const std::string &before) {
  std::vector<io::Tensor> results = makeResults();
  std::vector<fusec_tensor> in = describe(inputs), out = describe(results);
  llvm::Expected<std::string> states = saveStates();
  if (!states)
    return states.takeError();
  if (fusec_session_restore(session, before.data(), before.size()))
    return failure("the states cannot be restored");
  device->setReverse(true);
  fusec_status status = runOnce(in, out);
  device->setReverse(false);
  if (status)
    return failure("the model does not run in reverse order");
  for (auto [one, other] : llvm::zip_equal(forward, results))
    if (one.bytes != other.bytes && isReproducible())
      differences.push_back("output '" + one.name +
                            "' has other bits where blocks and warps run in "
                            "reverse order");
  llvm::Expected<std::string> reversed = saveStates();
  if (!reversed)
    return reversed.takeError();
  if (*reversed != *states && isReproducible())
    differences.push_back("the states have other bits where blocks and warps "
                          "run in reverse order");
  return llvm::Error::success();
}

llvm::Expected<std::vector<io::Tensor>>
Executable::run(llvm::ArrayRef<io::Tensor> inputs, double *milliseconds) {
  std::vector<io::Tensor> results = makeResults();
  std::vector<fusec_tensor> in = describe(inputs), out = describe(results);
  fusec_status status = FUSEC_OK;
  const bool isSimulated = device && device->isSimulated();
  std::string before;
  if (isSimulated) {
    llvm::Expected<std::string> states = saveStates();
    if (!states)
      return states.takeError();
    before = std::move(*states);
  }
  double time = timed([&] { status = runOnce(in, out); });
  if (status)
    return failure("the model does not run");
  if (milliseconds)
    *milliseconds = time;
  if (isSimulated)
    if (llvm::Error error = runInReverse(inputs, results, before))
      return error;
  return results;
}

RunTimes Executable::time(llvm::ArrayRef<io::Tensor> inputs, unsigned count) {
  std::vector<io::Tensor> results = makeResults();
  std::vector<fusec_tensor> in = describe(inputs), out = describe(results);
  auto once = [&] { return timed([&] { runOnce(in, out); }); };
  constexpr double kWarmUp = 100;
  double spent = 0;
  for (unsigned i = 0; i < count && spent < kWarmUp; ++i)
    spent += once();
  std::vector<double> times;
  for (unsigned i = 0; i < count; ++i)
    times.push_back(once());
  return summarise(std::move(times));
}

} // namespace fusec::tool
