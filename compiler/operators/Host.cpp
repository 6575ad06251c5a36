// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/operators/Host.h"

#include "dialects/Limits.h"
#include "dialects/TypeInfo.h"
#include "fusec/op_abi.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include <csignal>
#include <cstring>
#include <fcntl.h>
#include <fmt/format.h>
#include <spawn.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

extern char **environ;

namespace json = llvm::json;

namespace fusec::operators {

/// With functions that say what follows from types and parameters.
static constexpr std::chrono::seconds kPatience(5);

std::optional<size_t> byteSize(const TensorType &type) {
  const TypeInfo *info = findElement(type.element);
  if (!info || type.dims.size() > FUSEC_OP_MAX_RANK)
    return std::nullopt;
  __int128 bytes = info->storageBytes();
  for (int64_t extent : type.dims) {
    if (extent < 0 || extent > kMaxTensorBytes)
      return std::nullopt;
    bytes *= extent;
    if (bytes > kMaxTensorBytes)
      return std::nullopt;
  }
  return size_t(bytes);
}

/// The program that is the child: fusec itself, or what lies beside the program
/// that asks.
static std::string findProgram() {
  std::string self = llvm::sys::fs::getMainExecutable(nullptr, nullptr);
  llvm::SmallString<128> program(llvm::sys::path::parent_path(self));
  llvm::sys::path::append(program, "fusec");
  return program.str().str();
}

//===- A child ------------------------------------------------------------===//

class Host::Child {
public:
  /// Errors are of the environment.
  static llvm::Expected<std::unique_ptr<Child>>
  start(const std::string &library, size_t units);
  /// Ends it, with all that it has started.
  ~Child();

  int channel() const { return socket; }
  /// How it has ended by itself, which is known at once, or very soon; empty if
  /// it has not.
  std::string explain();

private:
  Child(pid_t pid, int socket) : pid(pid), socket(socket) {}

  pid_t pid;
  int socket;
  bool hasEnded = false;
};

llvm::Expected<std::unique_ptr<Host::Child>>
Host::Child::start(const std::string &library, size_t units) {
  std::string program = findProgram();
  if (!llvm::sys::fs::can_execute(program))
    return llvm::createStringError(program +
                                   ", which runs operators, is not there");
  int pair[2];
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) != 0)
    return llvm::createStringError("cannot make a socket: " +
                                   llvm::Twine(std::strerror(errno)));
  posix_spawn_file_actions_t actions;
  posix_spawnattr_t attributes;
  posix_spawn_file_actions_init(&actions);
  posix_spawnattr_init(&attributes);
  // What it prints is nobody's, and what it reads is nothing.
  posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_addopen(&actions, 1, "/dev/null", O_WRONLY, 0);
  posix_spawn_file_actions_adddup2(&actions, 1, 2);
  posix_spawn_file_actions_adddup2(&actions, pair[1], kChannelDescriptor);
  // A group of its own: what it starts ends with it.
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP);
  posix_spawnattr_setpgroup(&attributes, 0);
  std::vector<std::string> words = {program, "op", "host", library,
                                    std::to_string(units)};
  std::vector<char *> arguments;
  for (std::string &word : words)
    arguments.push_back(word.data());
  arguments.push_back(nullptr);
  pid_t pid = -1;
  int error = posix_spawn(&pid, program.c_str(), &actions, &attributes,
                          arguments.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  posix_spawnattr_destroy(&attributes);
  close(pair[1]);
  if (error) {
    close(pair[0]);
    return llvm::createStringError("cannot run " + program + ": " +
                                   std::strerror(error));
  }
  return std::unique_ptr<Child>(new Child(pid, pair[0]));
}

Host::Child::~Child() {
  kill(-pid, SIGKILL);
  if (!hasEnded)
    waitpid(pid, nullptr, 0);
  close(socket);
}

std::string Host::Child::explain() {
  int status = 0;
  for (int tries = 0; tries < 20 && !hasEnded; ++tries) {
    hasEnded = waitpid(pid, &status, WNOHANG) != 0;
    if (!hasEnded)
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  if (!hasEnded)
    return "";
  if (WIFSIGNALED(status))
    return fmt::format("crashed ({})", strsignal(WTERMSIG(status)));
  return fmt::format("ended the program (exit code {})", WEXITSTATUS(status));
}

//===- The host -----------------------------------------------------------===//

Host::Host(std::string library, size_t units)
    : library(std::move(library)), units(units) {}
Host::~Host() = default;

llvm::Expected<Message> Host::exchange(unsigned number, const Message &message,
                                       llvm::ArrayRef<size_t> sizes,
                                       Patience patience) {
  std::unique_ptr<Child> &child = children[number];
  Deadline deadline;
  if (patience)
    deadline = std::chrono::steady_clock::now() + *patience;
  if (!child) {
    auto started = Child::start(library, units);
    if (!started)
      return started.takeError();
    child = std::move(*started);
  }
  std::optional<Message> answer;
  if (send(child->channel(), message, deadline))
    answer = receive(child->channel(), sizes, deadline);
  if (!answer) {
    const bool isOver =
        deadline && std::chrono::steady_clock::now() >= *deadline;
    std::string how = child->explain();
    child.reset();
    if (how.empty())
      how = isOver
                ? fmt::format("gave no answer within {} s", patience->count())
                : "closed what it answers by";
    return llvm::createStringError(how);
  }
  if (auto reason = answer->text.getString("failed"))
    return llvm::createStringError(*reason);
  return std::move(*answer);
}

llvm::Expected<Manifest> Host::describe() {
  Message question;
  question.text["ask"] = "describe";
  llvm::Expected<Message> answer = exchange(0, question, {}, kPatience);
  if (!answer)
    return answer.takeError();
  Manifest manifest;
  if (auto least = answer->text.getInteger("least_abi"))
    manifest.leastAbi = *least;
  if (llvm::Error error = checkAbi(manifest.leastAbi))
    return error;
  if (const json::Array *operators = answer->text.getArray("operators"))
    for (const json::Value &item : *operators) {
      auto op = operatorOfJson(item);
      if (!op)
        return op.takeError();
      manifest.operators.push_back(std::move(*op));
    }
  return manifest;
}

/// The question `what` about a call.
static Message makeQuestion(llvm::StringRef what, const Call &call) {
  Message question;
  question.text["ask"] = what;
  question.text["unit"] = call.op->unit;
  question.text["type"] = call.op->type;
  question.text["domain"] = call.op->domain;
  question.text["version"] = call.op->version;
  question.text["device"] = call.device;
  json::Array inputs;
  for (const TensorType &type : call.inputs)
    inputs.push_back(toJson(type));
  question.text["inputs"] = std::move(inputs);
  question.text["parameters"] = toJson(call.parameters);
  json::Array quantized;
  for (const Quantization &input : call.quantized)
    quantized.push_back(toJson(input));
  question.text["quantized"] = std::move(quantized);
  return question;
}

static json::Value toJson(const CallAlgorithm &algorithm) {
  return json::Object{{"name", algorithm.name},
                      {"workspace", algorithm.workspaceBytes}};
}

/// The question by which of `algorithm` a call with such results is run.
static Message makeQuestion(llvm::StringRef what, const Call &call,
                            llvm::ArrayRef<TensorType> types,
                            const CallAlgorithm &algorithm) {
  Message question = makeQuestion(what, call);
  json::Array outputs;
  for (const TensorType &type : types)
    outputs.push_back(toJson(type));
  question.text["outputs"] = std::move(outputs);
  question.text["algorithm"] = toJson(algorithm);
  return question;
}

/// Reads the algorithms of an answer.
static llvm::Error readAlgorithms(const json::Array &list, Answer &answer) {
  for (const json::Value &item : list) {
    const json::Object *object = item.getAsObject();
    CallAlgorithm &one = answer.algorithms.emplace_back();
    one.name = object ? object->getString("name").value_or("").str() : "";
    one.workspaceBytes =
        object ? object->getInteger("workspace").value_or(-1) : -1;
    if (one.workspaceBytes < 0 || one.workspaceBytes > kMaxTensorBytes)
      return llvm::createStringError(
          "asks for more scratch memory than there is");
  }
  return llvm::Error::success();
}

/// How a function of blocks takes the call.
static llvm::Error readGrid(const json::Object &said, Answer &answer) {
  BlockGrid &grid = answer.grid.emplace();
  for (auto [name, member] : {std::pair("blocks", &BlockGrid::blocks),
                              std::pair("threads", &BlockGrid::threads),
                              std::pair("shared", &BlockGrid::sharedBytes)})
    grid.*member = said.getInteger(name).value_or(-1);
  grid.workspaceBytes = answer.algorithms.front().workspaceBytes;
  if (std::optional<std::string> reason = grid.refuse())
    return llvm::createStringError("says that its function of blocks " +
                                   *reason);
  return llvm::Error::success();
}

static llvm::Expected<Answer> readAnswer(const Message &message,
                                         const Operator &op) {
  Answer answer;
  const json::Array *algorithms = message.text.getArray("algorithms");
  if (!algorithms || algorithms->empty())
    return answer;
  if (const json::Array *outputs = message.text.getArray("outputs"))
    for (const json::Value &item : *outputs) {
      auto type = typeOfJson(item);
      if (!type)
        return type.takeError();
      answer.outputs.push_back(std::move(*type));
    }
  if (answer.outputs.size() != op.outputs.size())
    return llvm::createStringError("says nothing of some of its outputs");
  for (auto [output, type] : llvm::zip_equal(op.outputs, answer.outputs))
    if (!byteSize(type))
      return llvm::createStringError(
          fmt::format("says that the output '{}' is {}, which no tensor is",
                      output.name, type.describe()));
  if (llvm::Error error = readAlgorithms(*algorithms, answer))
    return error;
  if (const json::Object *grid = message.text.getObject("grid"))
    if (llvm::Error error = readGrid(*grid, answer))
      return llvm::Expected<Answer>(std::move(error));
  return answer;
}

llvm::Expected<Answer> Host::ask(const Call &call) {
  Message question = makeQuestion("infer", call);
  std::optional<Answer> first;
  for (unsigned number : {0, 1}) {
    llvm::Expected<Message> message = exchange(number, question, {}, kPatience);
    if (!message)
      return message.takeError();
    llvm::Expected<Answer> answer = readAnswer(*message, *call.op);
    if (!answer)
      return answer.takeError();
    if (first && !(*first == *answer))
      return llvm::createStringError(
          "answers the same question in two ways; it may depend on types, "
          "shapes and parameters only");
    first = std::move(*answer);
  }
  return std::move(*first);
}

llvm::Expected<std::vector<std::vector<char>>>
Host::compute(const Call &call, llvm::ArrayRef<TensorType> outputs,
              const CallAlgorithm &algorithm,
              std::vector<std::vector<char>> operands) {
  Message question = makeQuestion("compute", call, outputs, algorithm);
  question.blobs = std::move(operands);
  std::vector<size_t> sizes;
  for (const TensorType &type : outputs)
    sizes.push_back(*byteSize(type));
  llvm::Expected<Message> message = exchange(0, question, sizes, std::nullopt);
  if (!message)
    return message.takeError();
  if (message->blobs.size() != sizes.size())
    return llvm::createStringError("gave no results");
  return std::move(message->blobs);
}

llvm::Expected<std::vector<std::string>>
Host::test(const Call &call, llvm::ArrayRef<TensorType> outputs,
           const TestOptions &options) {
  Message question = makeQuestion("test", call, outputs, options.algorithm);
  question.text["seed"] = int64_t(options.seed);
  if (options.expected)
    question.text["expected"] = toJson(*options.expected);
  llvm::Expected<Message> message = exchange(0, question, {}, options.patience);
  if (!message)
    return message.takeError();
  std::vector<std::string> faults;
  if (const json::Array *list = message->text.getArray("faults"))
    for (const json::Value &fault : *list)
      faults.push_back(fault.getAsString().value_or("").str());
  return faults;
}

} // namespace fusec::operators
