// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/operators/OperatorSet.h"

#include "compiler/io/MappedFile.h"
#include "dialects/words/TestLine.h"
#include "fusec/op_abi.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include <fmt/format.h>

namespace fusec::operators {

bool isFunctionFile(llvm::StringRef path) { return path.ends_with(".onnx"); }
bool isBodyFile(llvm::StringRef path) { return path.ends_with(".fop"); }

llvm::Expected<std::vector<std::string>>
expandFolders(llvm::ArrayRef<std::string> paths) {
  namespace fs = llvm::sys::fs;
  std::vector<std::string> files;
  for (const std::string &path : paths) {
    if (!fs::is_directory(path)) {
      files.push_back(path);
      continue;
    }
    std::vector<std::string> own;
    std::error_code error;
    for (fs::directory_iterator it(path, error), end; !error && it != end;
         it.increment(error))
      if (llvm::StringRef file = it->path();
          file.ends_with(".so") || isFunctionFile(file) || isBodyFile(file))
        own.push_back(file.str());
    if (error)
      return io::fileError(path, error.message());
    llvm::sort(own);
    llvm::append_range(files, own);
  }
  return files;
}

bool isReservedDomain(llvm::StringRef domain) {
  return domain.empty() || domain == "ai.onnx" ||
         domain.starts_with("ai.onnx.") || domain == "com.microsoft" ||
         domain.starts_with("com.microsoft.") ||
         domain.starts_with("com.ms.internal.");
}

//===- Bodies -------------------------------------------------------------===//

/// An input or output as libraries declare them.
static Operand describeTensor(const fop::Tensor &tensor,
                              const fop::Definition &definition) {
  Operand operand;
  operand.name = tensor.name;
  if (io::elementTypeFromName(tensor.type))
    operand.types.push_back(tensor.type);
  for (const fop::TypeSet &set : definition.typeSets)
    if (set.name == tensor.type)
      for (io::ElementType type : set.types)
        operand.types.push_back(io::getInfo(type).name.str());
  operand.leastRank = operand.mostRank = tensor.dims.size();
  for (const fop::Dim &dim : tensor.dims)
    if (dim.isGroup) {
      --operand.leastRank;
      operand.mostRank = FUSEC_OP_MAX_RANK;
    }
  return operand;
}

static Value describeDefault(const fop::Param &param) {
  if (param.value)
    return std::visit([](const auto &held) { return Value(held); },
                      *param.value);
  switch (param.kind) {
  case fop::ParamKind::Flag:
    return false;
  case fop::ParamKind::Integer:
    return int64_t(0);
  case fop::ParamKind::Number:
    return 0.0;
  case fop::ParamKind::Integers:
    return std::vector<int64_t>();
  case fop::ParamKind::Numbers:
    return std::vector<double>();
  }
  llvm_unreachable("covers all kinds");
}

Operator describeBody(const fop::Definition &definition) {
  Operator op;
  op.domain = definition.domain;
  op.type = definition.type;
  op.version = definition.version;
  for (const fop::Tensor &tensor : definition.inputs)
    op.inputs.push_back(describeTensor(tensor, definition));
  for (const fop::Tensor &tensor : definition.outputs)
    op.outputs.push_back(describeTensor(tensor, definition));
  for (const fop::Param &param : definition.params)
    op.parameters.push_back({param.name, describeDefault(param)});
  op.gradient = definition.gradient;
  if (!op.gradient.empty() && !llvm::StringRef(op.gradient).contains('.'))
    op.gradient = op.domain + "." + op.gradient;
  return op;
}

fop::ParamValue toParam(const Value &value) {
  return std::visit(
      [](const auto &held) -> fop::ParamValue {
        using T = std::decay_t<decltype(held)>;
        if constexpr (std::is_constructible_v<fop::ParamValue, T>)
          return held;
        else
          llvm_unreachable("text is no parameter of a body");
      },
      value);
}

Manifest describeBodies(const fop::Library &bodies) {
  Manifest manifest;
  manifest.library = kBodiesLibrary.str();
  for (const fop::File &file : bodies.getFiles()) {
    manifest.units.push_back(fmt::format("{}.fop", manifest.units.size()));
    manifest.sources[manifest.units.back()] = file.text;
  }
  manifest.hash = hashOf(manifest);
  return manifest;
}

llvm::Error OperatorSet::addBodies(llvm::StringRef path) {
  if (llvm::Error error = bodies.add(path))
    return error;
  return addDefinitions();
}

llvm::Error OperatorSet::addBodies(llvm::StringRef path, std::string text) {
  if (llvm::Error error = bodies.add(path, std::move(text)))
    return error;
  return addDefinitions();
}

llvm::Error OperatorSet::addDefinitions() {
  const fop::File &file = bodies.getFiles().back();
  for (const fop::Definition &definition : file.definitions) {
    Body body{describeBody(definition), &definition};
    if (isReservedDomain(definition.domain))
      return fop::errorAt(file, {definition.place,
                                 "'" + definition.name() +
                                     "' is in a domain of ONNX's own; give it "
                                     "another"});
    if (llvm::Error error =
            addName(fmt::format("{}:{}:{}", file.path, definition.place.line,
                                definition.place.column),
                    body.op, /*isBody=*/true))
      return error;
    definitions.push_back(std::move(body));
  }
  return llvm::Error::success();
}

//===- The set ------------------------------------------------------------===//

void OperatorSet::forEach(
    llvm::function_ref<void(const Found &, llvm::StringRef)> visit) const {
  for (const Library &library : libraries)
    for (const Operator &op : library.manifest.operators)
      if (!paired.count(&op))
        visit({&op, const_cast<Library *>(&library)}, library.path);
  for (const Body &body : definitions)
    visit({&body.op, body.library, body.definition, &bodies, body.kernels},
          bodies.fileOf(*body.definition).path);
}

/// Why `kernels`, which a library has, are none of the operator that is text:
/// "takes 2 inputs, and its text 3".
static std::string refuseKernels(const Operator &body,
                                 const Operator &kernels) {
  if (kernels.scalar)
    return "computes elements by a function, and there is text of it, too";
  for (auto [mine, others, what] :
       {std::tuple(&kernels.inputs, &body.inputs, "inputs"),
        std::tuple(&kernels.outputs, &body.outputs, "outputs")})
    if (mine->size() != others->size())
      return fmt::format("has {} {}, and its text {}", mine->size(), what,
                         others->size());
  for (const Operand &input : kernels.inputs)
    if (input.isQuantized)
      return "takes the input '" + input.name +
             "' quantised, which its text does not";
  for (const Parameter &parameter : kernels.parameters) {
    const auto other = llvm::find_if(body.parameters, [&](const auto &one) {
      return one.name == parameter.name;
    });
    if (other == body.parameters.end())
      return "has the parameter '" + parameter.name +
             "', which its text does not have";
    if (other->value.index() != parameter.value.index())
      return fmt::format("has {} as parameter '{}', and its text {}",
                         getWords(parameter.value).str(), parameter.name,
                         getWords(other->value).str());
  }
  if (kernels.parameters.size() != body.parameters.size())
    return fmt::format("has {} parameters, and its text {}",
                       kernels.parameters.size(), body.parameters.size());
  return "";
}

llvm::Error OperatorSet::pairKernels() {
  for (Body &body : definitions)
    for (Library &library : libraries)
      for (const Operator &op : library.manifest.operators) {
        if (op.name() != body.op.name() || op.version != body.op.version)
          continue;
        if (std::string reason = refuseKernels(body.op, op); !reason.empty()) {
          const fop::Place &place = body.definition->place;
          return io::fileError(
              library.path,
              fmt::format("has kernels of {}, {}:{}:{}, and {}", op.name(),
                          bodies.fileOf(*body.definition).path, place.line,
                          place.column, reason));
        }
        paired.insert(&op);
        body.kernels = &op;
        body.library = &library;
      }
  return llvm::Error::success();
}

llvm::Error OperatorSet::addName(llvm::StringRef where, const Operator &op,
                                 bool isBody) {
  auto [owner, isNew] =
      owners.try_emplace({op.name(), op.version, isBody}, where.str());
  if (isNew)
    return llvm::Error::success();
  return io::fileError(where,
                       fmt::format("declares {} version {}, and so does "
                                   "{}; name one of the two",
                                   op.name(), op.version, owner->second));
}

/// Refuses two functions of elements that have one name, as kernels of one file
/// may call both.
static llvm::Error checkFunctions(const std::deque<Library> &libraries) {
  // By name: the text, and the library.
  std::map<std::string, std::pair<std::string, std::string>> known;
  for (const auto &[path, manifest, host, answers] : libraries)
    for (const Operator &op : manifest.operators) {
      if (!op.scalar)
        continue;
      const std::string &text = manifest.sources.at(op.scalar->file);
      auto [owner, isNew] =
          known.try_emplace(op.scalar->name, std::pair(text, path));
      if (!isNew && owner->second.first != text)
        return io::fileError(
            path,
            fmt::format("has the function {} of {}, and {} has another "
                        "one; rename one of the two",
                        op.scalar->name, op.name(), owner->second.second));
    }
  return llvm::Error::success();
}

/// Refuses two functions of blocks that have one name: kernels of one file
/// include the headers of both.
static llvm::Error checkBlocks(const std::deque<Library> &libraries) {
  std::map<std::string, std::pair<std::string, std::string>> known;
  for (const auto &[path, manifest, host, answers] : libraries)
    for (const Operator &op : manifest.operators) {
      if (!op.block)
        continue;
      const std::pair<std::string, std::string> where(path, op.block->file);
      auto [owner, isNew] = known.try_emplace(op.block->name, where);
      if (!isNew && owner->second != where)
        return io::fileError(
            path, fmt::format("has the function {} of {} in {}, and {} of {} "
                              "has another one; rename one of the two",
                              op.block->name, op.name(), op.block->file,
                              owner->second.second, owner->second.first));
    }
  return llvm::Error::success();
}

llvm::Expected<std::unique_ptr<OperatorSet>>
OperatorSet::open(llvm::ArrayRef<std::string> paths) {
  auto set = std::make_unique<OperatorSet>();
  for (const std::string &path : paths) {
    if (isFunctionFile(path))
      continue;
    if (isBodyFile(path)) {
      if (llvm::Error error = set->addBodies(path))
        return error;
      continue;
    }
    llvm::Expected<Manifest> manifest = readLibrary(path);
    if (!manifest)
      return manifest.takeError();
    for (const std::string &body : manifest->bodies)
      if (llvm::Error error =
              set->addBodies(path + ":" + body, manifest->sources[body]))
        return error;
    if (!manifest->bodies.empty())
      continue;
    for (const Operator &op : manifest->operators) {
      if (isReservedDomain(op.domain))
        return io::fileError(path, "declares " + op.name() +
                                       ", in a domain of ONNX's own; give it "
                                       "another with fusec op build --domain");
      if (llvm::Error error = set->addName(path, op, /*isBody=*/false))
        return error;
    }
    for (const Library &other : set->libraries)
      if (other.manifest.library == manifest->library)
        return io::fileError(path, "is called '" + manifest->library +
                                       "', and so is " + other.path +
                                       "; rename one of the two, and build it "
                                       "again");
    auto host = std::make_unique<Host>(path, manifest->units.size());
    set->libraries.push_back({path, std::move(*manifest), std::move(host), {}});
  }
  if (llvm::Error error = checkFunctions(set->libraries))
    return error;
  if (llvm::Error error = checkBlocks(set->libraries))
    return error;
  if (llvm::Error error = set->bodies.resolve())
    return error;
  if (llvm::Error error = set->pairKernels())
    return error;
  return set;
}

std::optional<Found> OperatorSet::find(llvm::StringRef domain,
                                       llvm::StringRef type, int64_t opset) {
  std::optional<Found> best;
  forEach([&](const Found &known, llvm::StringRef) {
    const Operator &op = *known.op;
    if (domain == op.domain && type == op.type && op.version <= opset &&
        (!best || best->op->version < op.version))
      best = known;
  });
  return best;
}

std::optional<int64_t> OperatorSet::findFirst(llvm::StringRef domain,
                                              llvm::StringRef type) const {
  std::optional<int64_t> first;
  forEach([&](const Found &known, llvm::StringRef) {
    const Operator &op = *known.op;
    if (domain == op.domain && type == op.type &&
        (!first || op.version < *first))
      first = op.version;
  });
  return first;
}

std::vector<std::string> OperatorSet::getDomains() const {
  std::set<std::string> all;
  forEach([&](const Found &known, llvm::StringRef) {
    all.insert(known.op->domain);
  });
  return {all.begin(), all.end()};
}

std::vector<std::string> OperatorSet::getTypes(llvm::StringRef domain) const {
  std::set<std::string> all;
  forEach([&](const Found &known, llvm::StringRef) {
    if (domain == known.op->domain)
      all.insert(known.op->type);
  });
  return {all.begin(), all.end()};
}

bool OperatorSet::takeQuantized() const {
  bool any = false;
  forEach([&](const Found &known, llvm::StringRef) {
    any |= llvm::any_of(known.op->inputs,
                        [](const Operand &input) { return input.isQuantized; });
  });
  return any;
}

llvm::Expected<Answer> OperatorSet::ask(const Found &found, const Call &call) {
  std::string question =
      fmt::format("{} {} {}", found.op->name(), found.op->version, call.device);
  llvm::raw_string_ostream os(question);
  for (const TensorType &type : call.inputs)
    os << " " << type.describe();
  os << toJson(call.parameters);
  for (const Quantization &input : call.quantized)
    os << toJson(input);
  auto known = found.library->answers.find(question);
  if (known != found.library->answers.end())
    return known->second;
  llvm::Expected<Answer> answer = found.library->host->ask(call);
  if (answer)
    found.library->answers[question] = *answer;
  return answer;
}

std::string describeTest(const Found &found, const Call &call) {
  TestLine line(found.op->name());
  for (const TensorType &type : call.inputs)
    line.addInput(type.element, type.dims);
  for (auto [declared, given] :
       llvm::zip(found.op->parameters, call.parameters))
    if (declared.value != given.value)
      line.addParameter(
          given.name,
          std::visit([](const auto &held) { return TestLine::write(held); },
                     given.value));
  for (auto [input, known] : llvm::zip(found.op->inputs, call.quantized))
    if (known.isThere())
      line.addQuantized(input.name, known.scales, known.zeroPoints, known.axis);
  return fmt::format("fusec op test {} {}", found.library->path, line.text());
}

} // namespace fusec::operators
