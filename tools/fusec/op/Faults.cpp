// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// fusec op test, in the child: each input lies in pages that are only read,
// each result and the scratch memory between bytes that are looked at
// afterwards.
#include "compiler/operators/Channel.h"
#include "dialects/TypeInfo.h"
#include "tools/fusec/op/Library.h"

#include "llvm/Support/MathExtras.h"
#include <csignal>
#include <cstring>
#include <fmt/format.h>
#include <stdexcept>
#include <sys/mman.h>
#include <sys/socket.h>
#include <thread>
#include <unistd.h>

namespace fusec::tool::op {

using operators::byteSize;
using operators::kChannelDescriptor;
using operators::Parameter;
using operators::Quantization;
using operators::TensorType;

namespace {

/// Bytes between bytes that nobody may touch; whoever goes further is stopped.
class Guarded {
public:
  explicit Guarded(size_t bytes)
      : size(bytes), whole(llvm::alignTo(bytes, kAround) + 4 * kAround) {
    void *memory = mmap(nullptr, whole, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED)
      throw std::runtime_error(
          fmt::format("there is no memory for {} bytes", bytes));
    base = static_cast<char *>(memory);
    mprotect(base, kAround, PROT_NONE);
    mprotect(base + whole - kAround, kAround, PROT_NONE);
  }
  Guarded(const Guarded &) = delete;
  ~Guarded() { munmap(base, whole); }

  char *data() { return base + 2 * kAround; }
  size_t bytes() const { return size; }
  void fill(int byte) { std::memset(data(), byte, size); }
  void arm() {
    std::memset(base + kAround, kMark, kAround);
    std::memset(data() + size, kMark, whole - 3 * kAround - size);
  }
  /// "before" or "behind" what was written, or "".
  std::string findDamage() {
    auto isMarked = [](const char *from, size_t count) {
      for (size_t i = 0; i < count; ++i)
        if (from[i] != kMark)
          return false;
      return true;
    };
    if (!isMarked(base + kAround, kAround))
      return "before";
    return isMarked(data() + size, whole - 3 * kAround - size) ? "" : "behind";
  }
  void allowReadsOnly() { mprotect(base, whole, PROT_READ); }
  bool holds(const void *address) const {
    return address >= base && address < base + whole;
  }

private:
  static constexpr size_t kAround = 4096;
  static constexpr char kMark = 0x6B;
  size_t size, whole;
  char *base;
};

/// What to say where an input is written to: the handler of the signal may do
/// little else.
struct ReadOnly {
  const Guarded *memory;
  std::string message;
};
std::vector<ReadOnly> readOnly;

void onFault(int signal, siginfo_t *info, void *) {
  for (const ReadOnly &input : readOnly)
    if (input.memory->holds(info->si_addr)) {
      (void)!::send(kChannelDescriptor, input.message.data(),
                    input.message.size(), MSG_NOSIGNAL);
      _exit(1);
    }
  std::signal(signal, SIG_DFL);
  raise(signal);
}

void watch(const Guarded &input, size_t number) {
  std::string text = llvm::formatv(
      "{{\"faults\":[\"writes to input {0}, which it may only read\"]}",
      number);
  uint64_t header[2] = {text.size(), 0};
  std::string message(reinterpret_cast<const char *>(header), sizeof(header));
  readOnly.push_back({&input, message + text});
  static char stack[64 << 10];
  stack_t own = {};
  own.ss_sp = stack;
  own.ss_size = sizeof(stack);
  sigaltstack(&own, nullptr);
  struct sigaction action = {};
  action.sa_sigaction = onFault;
  action.sa_flags = SA_SIGINFO | SA_ONSTACK;
  sigaction(SIGSEGV, &action, nullptr);
}

/// The caller's threads, new ones for each loop.
void threadedFor(void *self, int64_t n, int64_t grain, fusec_op_range_fn body,
                 void *ctx) {
  const int64_t threads = *static_cast<const unsigned *>(self);
  int64_t step = std::max<int64_t>({grain, (n + threads - 1) / threads, 1});
  std::vector<std::thread> all;
  for (int64_t begin = 0; begin < n; begin += step)
    all.emplace_back(body, ctx, begin, std::min(n, begin + step));
  for (std::thread &thread : all)
    thread.join();
}

class FaultFinder {
public:
  FaultFinder(const fusec_op_desc &op, const TestedForm &tested,
              const TestedForm &expected, const std::vector<TensorType> &inputs,
              const std::vector<TensorType> &outputs,
              const std::vector<Parameter> &parameters,
              const std::vector<Quantization> &quantized)
      : op(op), tested(tested), expected(expected),
        call(inputs, outputs, parameters, quantized) {
    for (const auto *types : {&inputs, &outputs})
      for (const TensorType &type : *types) {
        memory.push_back(std::make_unique<Guarded>(*byteSize(type)));
        call.tensors[memory.size() - 1].data = memory.back()->data();
      }
    numInputs = inputs.size();
    call.call.parallel_for = threadedFor;
  }

  /// Messages call the results that are right `whose`.
  std::vector<std::string> run(uint64_t seed, llvm::StringRef whose);

private:
  using Results = std::vector<std::string>;
  /// A form with its own scratch memory.
  struct Way {
    explicit Way(const TestedForm &tested) : form(*tested.form) {
      if (tested.workspaceBytes)
        workspace = std::make_unique<Guarded>(size_t(tested.workspaceBytes));
    }
    const fusec_op_form &form;
    std::unique_ptr<Guarded> workspace;
  };
  /// Has outputs that are declared so by `kind` lie where inputs do.
  void putInPlace(uint32_t kind);
  /// The results' bytes, computed into memory that held `byte`. Throws.
  Results compute(Way &way, unsigned threads, int byte);
  /// Whether two runs have given the same, as the form says it does.
  bool areSame(const Results &some, const Results &others);
  void compare(const Results &given, const Results &right,
               llvm::StringRef whose);
  const TypeInfo &getType(size_t output) const {
    return *getTypeInfoForOnnx(int(call.tensors[numInputs + output].dtype));
  }
  void add(const std::string &fault) {
    if (std::find(faults.begin(), faults.end(), fault) == faults.end())
      faults.push_back(fault);
  }
  void lookAround(Guarded &guarded, const std::string &what) {
    if (std::string where = guarded.findDamage(); !where.empty())
      add("writes " + where + " " + what);
  }

  const fusec_op_desc &op;
  const TestedForm tested, expected;
  AbiCall call;
  /// By output, the input that it lies where, or null.
  std::vector<Guarded *> before;
  size_t numInputs = 0;
  std::vector<std::unique_ptr<Guarded>> memory;
  std::vector<std::string> faults;
};

} // namespace

void FaultFinder::putInPlace(uint32_t kind) {
  before.resize(memory.size() - numInputs);
  for (size_t i = 0; i < before.size(); ++i) {
    const fusec_op_operand &output = *op.outputs[i];
    if (output.alias != kind)
      continue;
    Guarded &own = *memory[numInputs + i], &input = *memory[output.alias_of];
    if (own.bytes() != input.bytes())
      throw std::runtime_error(
          fmt::format("declares that output {} must lie where input {} does, "
                      "which is of another size",
                      i, output.alias_of));
    before[i] = &input;
    call.tensors[output.alias_of].data = own.data();
  }
}

FaultFinder::Results FaultFinder::compute(Way &way, unsigned threads,
                                          int byte) {
  for (size_t i = numInputs; i < memory.size(); ++i) {
    memory[i]->arm();
    memory[i]->fill(byte);
    if (Guarded *input = before[i - numInputs])
      std::memcpy(memory[i]->data(), input->data(), input->bytes());
  }
  call.call.workspace = nullptr;
  call.call.workspace_bytes = 0;
  if (way.workspace) {
    way.workspace->arm();
    way.workspace->fill(byte);
    call.call.workspace = way.workspace->data();
    call.call.workspace_bytes = way.workspace->bytes();
  }
  call.call.threads = threads;
  call.call.parallel_self = &threads;
  void *state = nullptr;
  if (way.form.create(way.form.self, &call.call, &state))
    throw std::runtime_error(call.failure);
  int32_t status = way.form.compute(way.form.self, state, &call.call);
  way.form.destroy(way.form.self, state);
  if (status)
    throw std::runtime_error(call.failure);
  Results results;
  for (size_t i = numInputs; i < memory.size(); ++i) {
    lookAround(*memory[i], "output " + std::to_string(i - numInputs));
    results.emplace_back(memory[i]->data(), memory[i]->bytes());
  }
  if (way.workspace)
    lookAround(*way.workspace, "its scratch memory");
  return results;
}

bool FaultFinder::areSame(const Results &some, const Results &others) {
  if (isReproducible(*tested.form))
    return some == others;
  for (size_t i = 0; i < some.size(); ++i)
    if (!findDifference(getType(i), some[i], others[i], "").empty())
      return false;
  return true;
}

void FaultFinder::compare(const Results &given, const Results &right,
                          llvm::StringRef whose) {
  for (size_t i = 0; i < given.size(); ++i) {
    std::string fault = findDifference(getType(i), given[i], right[i], whose);
    if (fault.empty())
      continue;
    if (given.size() > 1)
      fault += " of output " + std::to_string(i);
    return add(fault);
  }
}

std::vector<std::string> FaultFinder::run(uint64_t seed,
                                          llvm::StringRef whose) {
  readOnly.clear();
  for (size_t i = 0; i < numInputs; ++i) {
    const TypeInfo &type = *getTypeInfoForOnnx(int(call.tensors[i].dtype));
    fillWithNumbers({memory[i]->data(), memory[i]->bytes()}, type, seed + i);
    memory[i]->allowReadsOnly();
    watch(*memory[i], i);
  }
  putInPlace(FUSEC_OP_MUST_ALIAS);
  Way way(tested);
  const std::string bits =
      isReproducible(*tested.form) ? "other bits" : "other results";
  const Results first = compute(way, 1, 0xA5);
  if (!areSame(compute(way, 1, 0xA5), first))
    add("gives " + bits + " when it runs again");
  else if (!areSame(compute(way, 1, 0x5A), first))
    add("leaves a part of a result as it was, or reads a result or scratch "
        "memory that it has not written");
  for (unsigned threads : {2u, 7u})
    for (int again = 0; again < 2; ++again)
      if (!areSame(compute(way, threads, 0xA5), first))
        add(fmt::format("gives {} on {} threads than on one", bits, threads));
  if (expected.form) {
    Way right(expected);
    compare(first, compute(right, 1, 0xA5), whose);
  }
  for (size_t i = 0; i < before.size(); ++i)
    if (op.outputs[i]->alias == FUSEC_OP_MAY_ALIAS &&
        memory[numInputs + i]->bytes() !=
            memory[op.outputs[i]->alias_of]->bytes())
      return faults; // fusec keeps them apart, too
  putInPlace(FUSEC_OP_MAY_ALIAS);
  if (faults.empty() && !areSame(compute(way, 1, 0xA5), first))
    add("gives " + bits +
        " where results lie where inputs do, which it declares that they may");
  return faults;
}

std::vector<std::string>
findFaults(const fusec_op_desc &op, const TestedForm &tested,
           const TestedForm &expected, llvm::StringRef whose,
           const std::vector<TensorType> &inputs,
           const std::vector<TensorType> &outputs,
           const std::vector<Parameter> &parameters,
           const std::vector<Quantization> &quantized, uint64_t seed) {
  return FaultFinder(op, tested, expected, inputs, outputs, parameters,
                     quantized)
      .run(seed, whose);
}

} // namespace fusec::tool::op
