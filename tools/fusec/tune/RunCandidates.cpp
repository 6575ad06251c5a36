// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/io/Compare.h"
#include "compiler/io/ElementValue.h"
#include "runtime/fast_run/RecordText.h"
#include "tools/fusec/Executable.h"
#include "tools/fusec/TestData.h"
#include "tools/fusec/tune/GpuRuns.h"
#include "tools/fusec/tune/TimeCandidates.h"

#include <chrono>
#include <csignal>
#include <sys/resource.h>
#include <unistd.h>

namespace fusec::tool {

using fast_run::Timing;
using Clock = std::chrono::steady_clock;

/// Bytes of all arrays that candidates take turns with, at most.
static constexpr uint64_t kMostBytes = uint64_t(1) << 29;
static constexpr uint64_t kMostSets = 64;
/// How long a run that counts takes at least, by repetition, and how often the
/// kernel then runs at most.
static constexpr std::chrono::microseconds kLeastTime(200);
static constexpr uint64_t kMostRepetitions = 1000;
/// For how long a GPU runs before it is measured: until then its clocks rise.
static constexpr uint64_t kGpuWarmUp = uint64_t(200) * 1000000000;
/// The part of its runs, one in so many, of which another process may take the
/// processor from.
static constexpr unsigned kDisturbed = 4;

static uint64_t toPicoseconds(Clock::duration time) {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(time).count() *
         1000;
}

/// How often this process lost a processor that it wanted to keep.
static long countSwitches() {
  rusage usage = {};
  ::getrusage(RUSAGE_SELF, &usage);
  return usage.ru_nivcsw;
}

namespace {
/// The arrays of one run, and as the runtime takes them.
struct Arrays {
  std::vector<io::Tensor> inputs, outputs;
  std::vector<fusec_tensor> in, out;
};

/// The candidates of a library in this process.
class CandidateRunner : public fast_run::Runner {
public:
  CandidateRunner(const TimingOptions &options, const Candidates &candidates,
                  int output)
      : options(options), candidates(candidates), output(output),
        timings(candidates.timings), sessions(timings.size()) {}

  /// All of it; an error is about the library as a whole.
  llvm::Error measure();

  uint64_t run(size_t candidate, std::string &failure) override;
  bool wasDisturbed() override;

private:
  llvm::Error load();
  llvm::Error openGpu();
  llvm::Error makeArrays();
  llvm::Error placeArrays();
  llvm::Error fillInputs(Arrays &arrays);
  void say(llvm::StringRef kind, const llvm::Twine &text);
  /// What a session takes to run a candidate.
  std::vector<fusec_choice> getChoices(const Timing &timing) const;
  /// A GPU that has failed does nothing more for this process, which ends.
  void endAfter(const std::string &failure);
  void warmUp();
  /// The one that is run where it does not matter which.
  std::optional<size_t> findAnyFit() const;
  /// Runs a candidate once on a set of arrays.
  std::string runOn(size_t candidate, Arrays &arrays);
  /// Why the results of a candidate are not those of the naive one.
  std::string check(size_t candidate);
  void setRepetitions();
  void misbehave(size_t candidate);
  bool isPlanted(size_t candidate) const;

  const TimingOptions &options;
  const Candidates &candidates;
  int output;
  std::vector<Timing> timings;
  fusec_model *model = nullptr;
  fusec_thread_pool *pool = nullptr;
  std::unique_ptr<GpuRuns> gpu; ///< null: candidates run on the CPU
  std::vector<fusec_session *> sessions;
  std::vector<Arrays> sets;
  size_t next = 0; ///< of the sets
  std::vector<io::Tensor> expected;
  uint64_t repetitions = 1;
  unsigned runs = 0, disturbed = 0;
};
} // namespace

void CandidateRunner::say(llvm::StringRef kind, const llvm::Twine &text) {
  std::string line = (kind + text + "\n").str();
  for (llvm::StringRef rest = line; !rest.empty();) {
    ssize_t written = ::write(output, rest.data(), rest.size());
    if (written <= 0)
      _exit(1); // nobody listens
    rest = rest.drop_front(written);
  }
}

static llvm::Error failure(const llvm::Twine &what) {
  return llvm::createStringError(what + ": " + fusec_last_error(nullptr));
}

llvm::Error CandidateRunner::load() {
  const BuiltModel &built = candidates.built;
  void *library = nullptr; // until the process ends
  auto opened = openLibrary(built, library);
  if (!opened)
    return opened.takeError();
  const fusec_model_desc *desc = *opened;
  std::string weights = built.folder + "/weights.bin";
  fusec_model_options none = {};
  if (fusec_model_create(desc, desc->weights_bytes ? weights.c_str() : nullptr,
                         &none, &model))
    return failure("its model cannot be made");
  if (fusec_thread_pool_create(options.threads, &pool))
    return failure("there are no threads");
  return options.gpu ? openGpu() : llvm::Error::success();
}

llvm::Error CandidateRunner::openGpu() {
  fusec_device *device = nullptr; // until the process ends
  const DeviceTools &tools = getDeviceTools(*options.gpu->platform);
  if (tools.open(&device))
    return failure("there is no GPU");
  gpu = std::make_unique<GpuRuns>(*device);
  return gpu->load(tools, candidates.built.getImage(*options.gpu));
}

/// Bytes of the last cache, of which there is always one.
static uint64_t getLastCache() {
  long bytes = ::sysconf(_SC_LEVEL3_CACHE_SIZE);
  if (bytes <= 0)
    bytes = ::sysconf(_SC_LEVEL2_CACHE_SIZE);
  return bytes > 0 ? bytes : uint64_t(1) << 25;
}

/// Integers may be positions in other arrays: they stay within the shortest
/// extent above one.
llvm::Error CandidateRunner::fillInputs(Arrays &arrays) {
  const fusec_model_desc &desc = *fusec_model_descriptor(model);
  std::vector<ref::Port> ports = portsOf(desc.inputs, desc.num_inputs);
  auto inputs = ref::makeInputs(ports, {}, /*seed=*/0);
  if (!inputs)
    return inputs.takeError();
  arrays.inputs = std::move(*inputs);
  int64_t extent = 8;
  for (const ref::Port &port : ports)
    for (int64_t dim : port.spec.shape)
      if (dim > 1)
        extent = std::min(extent, dim);
  for (io::Tensor &tensor : arrays.inputs) {
    if (tensor.type != io::ElementType::I32 &&
        tensor.type != io::ElementType::I64)
      continue;
    std::vector<int64_t> values = io::toInts(tensor);
    for (int64_t &value : values)
      value %= extent;
    tensor = io::fromInts(tensor.type, tensor.shape, values);
  }
  for (const ref::Port &port : portsOf(desc.outputs, desc.num_outputs))
    arrays.outputs.push_back(
        io::Tensor::zeros(port.spec.type, port.spec.shape));
  return llvm::Error::success();
}

llvm::Error CandidateRunner::makeArrays() {
  if (llvm::Error error = fillInputs(sets.emplace_back()))
    return error;
  uint64_t bytes = 1;
  for (const auto &list : {sets.front().inputs, sets.front().outputs})
    for (const io::Tensor &tensor : list)
      bytes += tensor.bytes.size();
  const uint64_t cache =
      options.gpu ? uint64_t(options.gpu->lastCache) : getLastCache();
  uint64_t count =
      std::min({2 * cache / bytes + 2, kMostBytes / bytes + 1, kMostSets});
  sets.resize(count, Arrays(sets.front()));
  for (Arrays &arrays : sets) {
    arrays.in = describe(arrays.inputs);
    arrays.out = describe(arrays.outputs);
  }
  return gpu ? placeArrays() : llvm::Error::success();
}

/// All arrays lie on the GPU, so that a run copies none.
llvm::Error CandidateRunner::placeArrays() {
  for (Arrays &arrays : sets)
    for (std::vector<fusec_tensor> *tensors : {&arrays.in, &arrays.out})
      if (llvm::Error error = gpu->place(*tensors))
        return error;
  return llvm::Error::success();
}

bool CandidateRunner::isPlanted(size_t candidate) const {
  if (options.plant == Plant::allWrong)
    return !timings[candidate].naive;
  for (size_t i = 0; i < timings.size(); ++i)
    if (!timings[i].isDefault && !timings[i].naive)
      return i == candidate;
  return false;
}

/// What a candidate does that is planted.
void CandidateRunner::misbehave(size_t candidate) {
  if (options.plant == Plant::none || !isPlanted(candidate))
    return;
  if (options.plant == Plant::crash)
    std::raise(SIGSEGV);
  while (options.plant == Plant::hang)
    ::pause();
}

std::vector<fusec_choice>
CandidateRunner::getChoices(const Timing &timing) const {
  if (!candidates.group.isChoice())
    return {{nullptr, timing.name.c_str()}};
  const fusec_model_desc &desc = *fusec_model_descriptor(model);
  const uint64_t key = std::stoull(candidates.group.key, nullptr, 16);
  std::vector<fusec_choice> choices;
  for (const fusec_group_desc &group :
       llvm::ArrayRef(desc.groups, desc.num_groups))
    if ((group.key == key) != timing.naive)
      choices.push_back({group.name, timing.name.c_str()});
  return choices;
}

std::string CandidateRunner::runOn(size_t candidate, Arrays &arrays) {
  misbehave(candidate);
  fusec_session *&session = sessions[candidate];
  if (!session) {
    std::vector<fusec_choice> choices = getChoices(timings[candidate]);
    fusec_session_options with = {};
    with.pool = pool;
    with.choices = choices.data();
    with.num_choices = uint32_t(choices.size());
    if (gpu)
      gpu->addTo(with);
    if (fusec_session_create(model, &with, &session))
      return std::string("it has no session: ") + fusec_last_error(nullptr);
  }
  if (fusec_session_run(session, arrays.in.data(), arrays.in.size(),
                        arrays.out.data(), arrays.out.size()))
    return std::string("it does not run: ") + fusec_last_error(session);
  return "";
}

std::string CandidateRunner::check(size_t candidate) {
  Arrays &arrays = sets.front();
  // What is never written shows: nothing computes such elements.
  constexpr char kPoison = 0x7f;
  for (auto [tensor, place] : llvm::zip_equal(arrays.outputs, arrays.out)) {
    std::fill(tensor.bytes.begin(), tensor.bytes.end(), kPoison);
    if (llvm::Error error =
            gpu ? gpu->upload(tensor, place) : llvm::Error::success())
      return llvm::toString(std::move(error));
  }
  say(messages::kBegins, timings[candidate].name);
  std::string problem = runOn(candidate, arrays);
  if (gpu && problem.empty())
    for (auto [tensor, place] : llvm::zip_equal(arrays.outputs, arrays.out))
      if (llvm::Error error = gpu->download(place, tensor))
        problem = llvm::toString(std::move(error));
  endAfter(problem);
  if (!problem.empty() || timings[candidate].naive)
    return problem;
  const bool isWrong =
      options.plant == Plant::wrong || options.plant == Plant::allWrong;
  if (isWrong && isPlanted(candidate))
    for (char &byte : arrays.outputs.front().bytes)
      byte ^= 0x40;
  // What is to be compared may have another precision than the naive one.
  io::OpClass opClass = io::OpClass::Network;
  for (const Timing &timing : timings)
    opClass = lowerClass(opClass, timing.name);
  for (auto [number, result] : llvm::enumerate(arrays.outputs)) {
    // Integers have no row of this class, and must match exactly.
    auto comparison = io::compare(result, expected[number],
                                  io::getTolerance(result.type, opClass));
    if (!comparison)
      return llvm::toString(comparison.takeError());
    if (!comparison->passed())
      return "its results are not those of the naive kernel: " +
             comparison->describe();
  }
  return "";
}

uint64_t CandidateRunner::run(size_t candidate, std::string &failure) {
  say(messages::kBegins, timings[candidate].name);
  uint64_t total = 0;
  const long before = countSwitches();
  if (gpu)
    (void)gpu->takeTime();
  for (uint64_t i = 0; i < repetitions && failure.empty(); ++i) {
    Arrays &arrays = sets[next++ % sets.size()];
    const Clock::time_point begin = Clock::now();
    failure = runOn(candidate, arrays);
    total += gpu ? gpu->takeTime() : toPicoseconds(Clock::now() - begin);
  }
  if (gpu)
    gpu->watchClocks();
  endAfter(failure);
  ++runs;
  disturbed += countSwitches() != before;
  return total / repetitions;
}

void CandidateRunner::endAfter(const std::string &failure) {
  if (!gpu || failure.empty())
    return;
  say(messages::kFailed, failure);
  ::_exit(0);
}

bool CandidateRunner::wasDisturbed() {
  // Events do not tell time that others had on the processor of the host.
  const bool was = gpu ? gpu->haveClocksMoved() : disturbed * kDisturbed > runs;
  runs = disturbed = 0;
  return was;
}

std::optional<size_t> CandidateRunner::findAnyFit() const {
  const bool isNaiveLeft = !isAnyFit(timings);
  for (size_t i = 0; i < timings.size(); ++i)
    if (timings[i].failure.empty() && timings[i].naive == isNaiveLeft)
      return i;
  return std::nullopt;
}

/// Repeats what is over too soon for a clock.
void CandidateRunner::setRepetitions() {
  if (std::optional<size_t> candidate = findAnyFit()) {
    std::string problem;
    (void)run(*candidate, problem);
    uint64_t time = run(*candidate, problem) + 1;
    repetitions = std::clamp<uint64_t>(toPicoseconds(kLeastTime) / time, 1,
                                       kMostRepetitions);
  }
}

void CandidateRunner::warmUp() {
  std::optional<size_t> candidate = findAnyFit();
  std::string problem;
  for (uint64_t spent = 0; candidate && spent < kGpuWarmUp;)
    spent += run(*candidate, problem) * repetitions + 1;
}

llvm::Error CandidateRunner::measure() {
  if (llvm::Error error = load())
    return error;
  if (llvm::Error error = makeArrays())
    return error;
  // The naive one says what is right.
  const auto naive =
      llvm::find_if(timings, [](const Timing &timing) { return timing.naive; });
  const size_t number = naive - timings.begin();
  const Clock::time_point begin = Clock::now();
  if (std::string problem = check(number); !problem.empty())
    return llvm::createStringError(problem);
  say(messages::kNaive, llvm::Twine(toPicoseconds(Clock::now() - begin)));
  expected = sets.front().outputs;
  for (size_t i = 0; i < timings.size(); ++i)
    if (timings[i].failure.empty() && !timings[i].naive)
      timings[i].failure = check(i);
  if (!isNaiveTimed(options, candidates.group, timings)) {
    timings.erase(timings.begin() + number);
    sessions.erase(sessions.begin() + number);
  }
  setRepetitions();
  if (gpu)
    warmUp();
  fast_run::profile(*this, options.profile, timings);
  fast_run::Record record;
  record.key = candidates.group.key;
  record.timings = timings;
  if (gpu)
    record.clocks = gpu->describeClocks();
  say(messages::kResult, fast_run::print(record));
  return llvm::Error::success();
}

void runCandidates(const TimingOptions &options, const Candidates &candidates,
                   int output) {
  CandidateRunner runner(options, candidates, output);
  if (llvm::Error error = runner.measure()) {
    std::string text =
        std::string(messages::kError) + llvm::toString(std::move(error)) + "\n";
    (void)!::write(output, text.data(), text.size());
  }
}

} // namespace fusec::tool
