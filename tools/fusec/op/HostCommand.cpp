// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// fusec op host: the child process that runs code of users, asked over a socket
// (compiler/operators/Channel.h) until that is closed.
#include "tools/fusec/op/HostCommand.h"

#include "compiler/operators/Channel.h"
#include "tools/fusec/op/Library.h"

#include <csignal>
#include <optional>
#include <poll.h>
#include <stdexcept>
#include <sys/resource.h>
#include <thread>
#include <unistd.h>

namespace json = llvm::json;

namespace fusec::tool::op {

using operators::byteSize;
using operators::kChannelDescriptor;
using operators::Manifest;
using operators::Message;
using operators::nameElement;
using operators::Operator;
using operators::Parameter;
using operators::parametersOfJson;
using operators::Quantization;
using operators::quantizationOfJson;
using operators::receive;
using operators::TensorType;
using operators::toJson;
using operators::typeOfJson;

/// What code of users may take. A sanitizer reserves more than that.
static constexpr rlim_t kMostMemory = rlim_t(4) << 30;

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
static constexpr bool kIsSanitized = true;
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer) ||     \
    __has_feature(memory_sanitizer)
static constexpr bool kIsSanitized = true;
#else
static constexpr bool kIsSanitized = false;
#endif
#else
static constexpr bool kIsSanitized = false;
#endif

static void limitProcess() {
  // A crash is the library's: whoever asked says so.
  for (int signal : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT})
    std::signal(signal, SIG_DFL);
  rlimit none = {0, 0};
  setrlimit(RLIMIT_CORE, &none);
  rlimit memory = {kMostMemory, kMostMemory};
  if (!kIsSanitized)
    setrlimit(RLIMIT_AS, &memory);
}

namespace {

/// A question about a call, as it was sent.
struct Question {
  const fusec_op_desc *op;
  /// The form of its function of elements, or null, and how it is computed
  /// here: by that, where the operator has no other form.
  const fusec_op_form *scalar = nullptr;
  std::vector<const fusec_op_form *> forms;
  std::vector<TensorType> inputs, outputs;
  std::vector<Parameter> parameters;
  std::vector<Quantization> quantized;
  fusec_op_device device = FUSEC_OP_CPU;

  Question(const json::Object &text, const LoadedLibrary &library);

  /// The form that `algorithm` names. Throws.
  TestedForm find(const json::Object *algorithm) const;
};

} // namespace

static std::vector<TensorType> readTypes(const json::Array *list) {
  std::vector<TensorType> all;
  if (!list)
    return all;
  for (const json::Value &item : *list) {
    llvm::Expected<TensorType> type = typeOfJson(item);
    if (!type)
      throw std::runtime_error(llvm::toString(type.takeError()));
    if (!byteSize(*type))
      throw std::runtime_error("was asked about " + type->describe());
    all.push_back(std::move(*type));
  }
  return all;
}

Question::Question(const json::Object &text, const LoadedLibrary &library)
    : op(library.find(unsigned(text.getInteger("unit").value_or(0)),
                      text.getString("domain").value_or(""),
                      text.getString("type").value_or(""),
                      text.getInteger("version").value_or(0))),
      inputs(readTypes(text.getArray("inputs"))),
      outputs(readTypes(text.getArray("outputs"))) {
  if (!op)
    throw std::runtime_error("is not in the library any more; build it again");
  const unsigned unit = unsigned(text.getInteger("unit").value_or(0));
  if (FUSEC_OP_HAS(op, scalar) && op->scalar)
    scalar = library.findScalarForm(unit, *op);
  if (text.getString("device").value_or("") == "cuda")
    device = FUSEC_OP_CUDA;
  forms = library.listCpuForms(unit, *op);
  if (forms.empty() && scalar)
    forms.push_back(scalar);
  llvm::Expected<std::vector<Parameter>> read =
      parametersOfJson(text.get("parameters"));
  if (!read)
    throw std::runtime_error(llvm::toString(read.takeError()));
  parameters = std::move(*read);
  if (const json::Array *list = text.getArray("quantized"))
    for (const json::Value &item : *list) {
      llvm::Expected<Quantization> one = quantizationOfJson(item);
      if (!one)
        throw std::runtime_error(llvm::toString(one.takeError()));
      quantized.push_back(std::move(*one));
    }
  if (quantized.size() > inputs.size())
    throw std::runtime_error("was asked about more inputs than it has");
}

TestedForm Question::find(const json::Object *algorithm) const {
  if (forms.empty())
    throw std::runtime_error("has no .compute for cpu");
  const llvm::StringRef name =
      algorithm ? algorithm->getString("name").value_or("") : "";
  TestedForm found;
  for (const fusec_op_form *form : forms)
    if (!found.form && (name.empty() || name == form->name))
      found.form = form;
  if (!found.form)
    throw std::runtime_error("has no algorithm '" + name.str() + "' for cpu");
  if (algorithm)
    found.workspaceBytes = algorithm->getInteger("workspace").value_or(0);
  return found;
}

static Message describeLibrary(const LoadedLibrary &library) {
  Message answer;
  Manifest manifest = library.describe();
  answer.text["least_abi"] = manifest.leastAbi;
  json::Array operators;
  for (const Operator &op : manifest.operators)
    operators.push_back(toJson(op));
  answer.text["operators"] = std::move(operators);
  return answer;
}

/// Throws what a function said where it returned other than 0.
static void require(int32_t status, const AbiCall &call) {
  if (status)
    throw std::runtime_error(call.failure.empty() ? "failed without a reason"
                                                  : call.failure);
}

/// How the operator's function of blocks takes a call whose results are of
/// types `outputs`; nothing where it does not, or there is none.
static std::optional<json::Object>
askGrid(const Question &question, const std::vector<TensorType> &outputs) {
  const fusec_op_desc &op = *question.op;
  if (question.device != FUSEC_OP_CUDA || !FUSEC_OP_HAS(&op, block) ||
      !op.block)
    return std::nullopt;
  AbiCall call(question.inputs, outputs, question.parameters,
               question.quantized);
  call.call.device = question.device;
  for (fusec_op_tensor &tensor : call.tensors)
    tensor.device = question.device;
  fusec_op_grid grid = {};
  grid.struct_bytes = sizeof(grid);
  require(op.block->grid(op.block->self, &call.call, &grid), call);
  if (!grid.supported)
    return std::nullopt;
  return json::Object{{"blocks", grid.blocks},
                      {"threads", grid.threads},
                      {"shared", grid.shared_bytes}};
}

static Message inferCall(const Question &question) {
  Message answer;
  const fusec_op_desc &op = *question.op;
  AbiCall call(question.inputs, {}, question.parameters, question.quantized);
  call.call.device = question.device;
  for (fusec_op_tensor &tensor : call.tensors)
    tensor.device = question.device;
  uint32_t isSupported = 1;
  require(op.supports(op.self, &call.call, &isSupported), call);
  if (!isSupported)
    return answer;
  std::vector<fusec_op_type> types(op.num_outputs);
  std::vector<fusec_op_type *> pointers;
  std::vector<std::vector<int64_t>> dims(
      op.num_outputs, std::vector<int64_t>(FUSEC_OP_MAX_RANK));
  for (size_t i = 0; i < types.size(); ++i) {
    types[i].struct_bytes = sizeof(fusec_op_type);
    types[i].dtype = FUSEC_OP_F32;
    types[i].dims = dims[i].data();
    pointers.push_back(&types[i]);
  }
  require(op.infer(op.self, &call.call, pointers.data()), call);
  std::vector<TensorType> results;
  json::Array outputs;
  for (size_t i = 0; i < types.size(); ++i) {
    if (types[i].rank > FUSEC_OP_MAX_RANK)
      throw std::runtime_error("gives a result of rank " +
                               std::to_string(types[i].rank) +
                               "; there are 16 dimensions at most");
    dims[i].resize(types[i].rank);
    results.push_back({nameElement(int(types[i].dtype)), dims[i]});
    outputs.push_back(toJson(results.back()));
  }
  answer.text["outputs"] = std::move(outputs);
  json::Array algorithms;
  auto add = [&](const fusec_op_form *form) {
    uint64_t bytes = 0;
    if (form && FUSEC_OP_HAS(form, workspace) && form->workspace)
      require(form->workspace(form->self, &call.call, &bytes), call);
    else
      require(op.workspace(op.self, &call.call, &bytes), call);
    algorithms.push_back(json::Object{
        {"name", form ? form->name : ""},
        {"workspace", int64_t(std::min<uint64_t>(bytes, INT64_MAX))}});
  };
  // On GPUs there is one, which a library of sources in CUDA does not have.
  if (question.device == FUSEC_OP_CUDA)
    add(nullptr);
  else
    for (const fusec_op_form *form : question.forms) {
      uint32_t takesIt = 1;
      if (FUSEC_OP_HAS(form, supports) && form->supports)
        require(form->supports(form->self, &call.call, &takesIt), call);
      if (takesIt)
        add(form);
    }
  answer.text["algorithms"] = std::move(algorithms);
  if (llvm::all_of(results, [](const TensorType &type) {
        return byteSize(type).has_value();
      }))
    if (std::optional<json::Object> grid = askGrid(question, results))
      answer.text["grid"] = std::move(*grid);
  return answer;
}

/// Calls it once, on one thread.
static Message computeCall(const Question &question, Message &asked) {
  Message answer;
  const TestedForm found = question.find(asked.text.getObject("algorithm"));
  const fusec_op_form &form = *found.form;
  AbiCall call(question.inputs, question.outputs, question.parameters,
               question.quantized);
  for (const TensorType &type : question.outputs)
    answer.blobs.emplace_back(*byteSize(type));
  for (size_t i = 0; i < call.tensors.size(); ++i)
    call.tensors[i].data = i < asked.blobs.size()
                               ? asked.blobs[i].data()
                               : answer.blobs[i - asked.blobs.size()].data();
  // What must lie where an input does finds it there.
  for (uint32_t i = 0; i < question.op->num_outputs; ++i) {
    const fusec_op_operand &output = *question.op->outputs[i];
    if (output.alias != FUSEC_OP_MUST_ALIAS)
      continue;
    if (asked.blobs[output.alias_of].size() != answer.blobs[i].size())
      throw std::runtime_error("says that an output lies where an input of "
                               "another size does");
    answer.blobs[i] = asked.blobs[output.alias_of];
    call.tensors[output.alias_of].data = answer.blobs[i].data();
    call.tensors[asked.blobs.size() + i].data = answer.blobs[i].data();
  }
  std::unique_ptr<char, decltype(&std::free)> workspace(
      static_cast<char *>(std::aligned_alloc(
          64, size_t(found.workspaceBytes + 63) / 64 * 64 + 64)),
      std::free);
  call.call.workspace = found.workspaceBytes ? workspace.get() : nullptr;
  call.call.workspace_bytes = uint64_t(found.workspaceBytes);
  void *state = nullptr;
  require(form.create(form.self, &call.call, &state), call);
  int32_t status = form.compute(form.self, state, &call.call);
  form.destroy(form.self, state);
  require(status, call);
  return answer;
}

static Message testCall(const Question &question, const json::Object &text) {
  const TestedForm tested = question.find(text.getObject("algorithm"));
  TestedForm expected;
  std::string whose;
  if (const json::Object *other = text.getObject("expected")) {
    expected = question.find(other);
    whose = expected.form->name;
  }
  const uint64_t seed = uint64_t(text.getInteger("seed").value_or(0));
  std::vector<std::string> found = findFaults(
      *question.op, tested, expected, whose, question.inputs, question.outputs,
      question.parameters, question.quantized, seed);
  if (question.scalar && tested.form != question.scalar && found.empty())
    for (const std::string &fault :
         findFaults(*question.op, {question.scalar}, tested, "compute",
                    question.inputs, question.outputs, question.parameters,
                    question.quantized, seed))
      found.push_back("its function " +
                      std::string(question.op->scalar->function) + " " + fault);
  json::Array faults;
  for (const std::string &fault : found)
    faults.push_back(json::fixUTF8(fault));
  Message answer;
  answer.text["faults"] = std::move(faults);
  return answer;
}

static Message answerTo(std::optional<LoadedLibrary> &library,
                        const std::string &path, size_t units, Message &asked) {
  try {
    if (!library)
      library.emplace(path, units);
    llvm::StringRef what = asked.text.getString("ask").value_or("");
    if (what == "describe")
      return describeLibrary(*library);
    Question question(asked.text, *library);
    if (what == "infer")
      return inferCall(question);
    if (what == "compute")
      return computeCall(question, asked);
    return testCall(question, asked.text);
  } catch (const std::exception &error) {
    Message failure;
    failure.text["failed"] = json::fixUTF8(error.what());
    return failure;
  }
}

/// Ends this process, and what a library has started in it, when nobody is left
/// to answer: also while the library computes.
static void endWithAsker() {
  std::thread([] {
    pollfd channel = {kChannelDescriptor, POLLRDHUP, 0};
    // A look holds the channel open where the library closes it: none is long.
    constexpr int kLook = 200; // milliseconds
    while (::poll(&channel, 1, kLook) <= 0)
      ;
    if (!(channel.revents & (POLLRDHUP | POLLHUP)))
      return; // the library has closed it
    if (::getpgrp() == ::getpid())
      ::kill(0, SIGKILL);
    std::_Exit(kExitFine);
  }).detach();
}

ExitCode hostLibrary(const std::string &path, size_t units) {
  limitProcess();
  endWithAsker();
  std::optional<LoadedLibrary> library; // loaded by the first question
  while (std::optional<Message> asked = receive(kChannelDescriptor)) {
    Message said = answerTo(library, path, units, *asked);
    if (!send(kChannelDescriptor, said))
      break;
  }
  // What the library leaves behind shall not end it otherwise.
  std::_Exit(kExitFine);
}

} // namespace fusec::tool::op
