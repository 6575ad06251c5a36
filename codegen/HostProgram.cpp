// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The file of the host programs for a target, one for each entry: what it runs,
// plan, descriptor.
#include "codegen/DescriptorRows.h"
#include "codegen/Emitters.h"
#include "codegen/HostRun.h"
#include "codegen/UserOperators.h"
#include "llvm/ADT/StringExtras.h"
#include <set>

using namespace mlir;

namespace fusec::codegen {

namespace {
/// The host program of an entry.
class HostEmitter {
public:
  HostEmitter(const ModelInfo &model, SourceWriter &out)
      : model(model), out(out) {}
  LogicalResult run();

private:
  void emitIndices();
  void emitChoiceNumbers();
  void emitPlan();
  void emitDims(StringRef kind, const TensorInfo &tensor);
  void emitTensors(StringRef which, ArrayRef<TensorInfo> tensors);
  void emitStates();
  std::string emitAlternatives(const ChoiceInfo &choice);
  void emitGroups();
  void emitDescriptor();

  const ModelInfo &model;
  SourceWriter &out;
  Names names;
};
} // namespace

void HostEmitter::emitPlan() {
  // Only some alternatives may need more memory than there is anyway.
  SmallVector<std::pair<std::string, uint64_t>> larger;
  for (const ChoiceInfo &choice : model.choices)
    for (const AlternativeInfo &alternative : choice.alternatives)
      if (alternative.arenaBytes > model.arenaBytes)
        larger.emplace_back(fmt::format("selection[{}] == {}",
                                        choice.identifier,
                                        alternative.identifier),
                            alternative.arenaBytes);
  out.open(std::string("int32_t plan(const int64_t *, const uint32_t *") +
           (larger.empty() ? "" : "selection") + ", fusec_plan *plan)");
  out.line("plan->arena_bytes = {};", model.arenaBytes);
  for (const auto &[condition, bytes] : larger) {
    out.open(
        fmt::format("if ({} && plan->arena_bytes < {})", condition, bytes));
    out.line("plan->arena_bytes = {};", bytes);
    out.close("", /*elide=*/true);
  }
  out.line("plan->workspace_bytes = 0;");
  if (model.hostArenaBytes)
    out.line("plan->host_arena_bytes = {};", model.hostArenaBytes);
  unsigned next = 0;
  for (const TensorInfo &output : model.outputs)
    for (auto [axis, extent] : llvm::enumerate(output.type.getShape()))
      out.line("plan->output_dims[{}] = {};{}", next++, extent,
               axis ? "" : " // " + output.identifier);
  out.line("return 0;");
  out.close();
}

void HostEmitter::emitDims(StringRef kind, const TensorInfo &tensor) {
  out.raw();
  // A rank of 0 still needs an array to point to.
  ArrayRef<int64_t> dims = tensor.type.getShape();
  out.line("const int64_t {}[] = {{{}}};", nameDims(kind, tensor),
           dims.empty() ? "0" : fmt::format("{}", fmt::join(dims, ", ")));
}

void HostEmitter::emitTensors(StringRef which, ArrayRef<TensorInfo> tensors) {
  const StringRef kind = which.drop_back();
  for (const TensorInfo &tensor : tensors)
    emitDims(kind, tensor);
  if (tensors.empty())
    return;
  out.line("const fusec_tensor_desc " + which + "[] = {");
  for (const TensorInfo &tensor : tensors)
    out.indented(describeTensor(kind, tensor) + ",");
  out.raw("};");
}

void HostEmitter::emitStates() {
  if (model.states.empty())
    return;
  for (const StateInfo &state : model.states)
    emitDims("state", state.past);
  out.line("const fusec_state_desc states[] = {");
  for (const StateInfo &state : model.states)
    out.indented(row({{"tensor", describeTensor("state", state.past)},
                      {"output", quoted(state.present.name)},
                      {"in_place", state.isInPlace ? "1" : "0"},
                      {"rows", std::to_string(state.rows)},
                      {"room", std::to_string(state.room)},
                      {"reserved", "0"}}));
  out.raw("};");
}

/// The variants of a choice: lists of launches. Returns where their
/// list is.
std::string HostEmitter::emitAlternatives(const ChoiceInfo &choice) {
  out.raw();
  SmallVector<std::string> lists;
  for (const AlternativeInfo &alternative : choice.alternatives) {
    lists.push_back(
        names.declare(alternative.identifier, "choice", "_launches"));
    SmallVector<std::string> steps;
    for (unsigned launch : alternative.launches)
      steps.push_back(std::to_string(launch));
    for (unsigned call : alternative.calls)
      steps.push_back("FUSEC_CALL | " + std::to_string(call));
    out.line("const uint32_t {}[] = {{{}}};", lists.back(),
             llvm::join(steps, ", "));
  }
  std::string table =
      names.declare(choice.identifier, "choice", "_alternatives");
  openVariants(table, out);
  kernel::ChoiceOp op = choice.op;
  for (auto [number, alternative, list] :
       llvm::enumerate(choice.alternatives, lists))
    out.indented(alternativeRow(alternative, list, op.isReproducible(number)));
  out.raw("};");
  std::string result = names.declare(choice.identifier, "choice", "_list");
  emitList(result, table,
           names.declare(choice.identifier, "choice", "_selectors"),
           listSelectors(choice, *model.target), out);
  return "&" + result;
}

void HostEmitter::emitGroups() {
  SmallVector<std::string> tables;
  for (const ChoiceInfo &choice : model.choices)
    tables.push_back(emitAlternatives(choice));
  if (model.groups.empty() && model.choices.empty())
    return;
  auto emitGroup = [&](StringRef name, const std::string &variants,
                       StringRef key) {
    out.indented(row({{"name", quoted(name)},
                      {"variants", variants},
                      {"key", hexNumber(key)}}));
  };
  out.raw();
  out.line("const fusec_group_desc groups[] = {");
  for (const GroupInfo &group : model.groups)
    emitGroup(group.identifier, "nullptr", group.key);
  for (auto [choice, table] : llvm::zip(model.choices, tables))
    emitGroup(choice.identifier, table, choice.key);
  out.raw("};");
  // Choices may be between calls.
  if (model.launches.empty())
    return;
  out.raw();
  out.line("const fusec_launch_desc launches[] = {");
  for (const LaunchInfo &launch : model.launches)
    out.indented(row({{"name", quoted(launch.identifier)},
                      {"group", std::to_string(launch.group)},
                      {"reserved", "0"}}));
  out.raw("};");
}

void HostEmitter::emitDescriptor() {
  auto list = [](StringRef name, size_t count) {
    return count ? name.str() : std::string("nullptr");
  };
  bool kernels = !model.groups.empty();
  const size_t numPadding = countPadding(model);
  out.raw();
  if (!model.extents.empty()) {
    SmallVector<std::string> symbols, extents;
    for (const ExtentInfo &info : model.extents) {
      symbols.push_back(quoted(info.name));
      extents.push_back(std::to_string(info.extent));
    }
    out.line("const char *const symbols[] = {{{}}};",
             llvm::join(symbols, ", "));
    out.line("const int64_t extents[] = {{{}}};", llvm::join(extents, ", "));
    emitPadding(model, out);
    out.raw();
  }
  if (!model.others.empty()) {
    std::string others;
    for (const std::string &other : model.others)
      others += (others.empty() ? "&::" : ", &::") + other + "::descriptor";
    out.line("const fusec_model_desc *const others[] = {" + others + "};");
    out.raw();
  }
  if (!model.isFirst()) { // the first one refers to it
    out.raw("} // namespace");
    out.raw();
    out.line("extern const fusec_model_desc descriptor;");
  }
  out.line("const fusec_model_desc descriptor = {");
  std::string tables;
  if (kernels && !model.isForDevice()) {
    for (StringRef isa : model.getIsas()) {
      tables += tables.empty() ? "" : ", ";
      tables += isa.empty() ? "nullptr"
                            : "FUSEC_" + isa.upper() + "_TABLE(" +
                                  model.identifier + ")";
    }
  }
  tables = "{" + tables + "}";
  const std::pair<StringRef, std::string> fields[] = {
      {"abi_version", "FUSEC_ABI_VERSION"},
      {"struct_bytes", "sizeof(fusec_model_desc)"},
      {"name", quoted(model.interface)},
      {"inputs", list("inputs", model.inputs.size())},
      {"outputs", list("outputs", model.outputs.size())},
      {"groups", list("groups", model.groups.size() + model.choices.size())},
      {"launches", list("launches", model.launches.size())},
      {"symbols", list("symbols", model.extents.size())},
      {"num_inputs", std::to_string(model.inputs.size())},
      {"num_outputs", std::to_string(model.outputs.size())},
      {"num_groups",
       std::to_string(model.groups.size() + model.choices.size())},
      {"num_launches", kernels ? "num_launches" : "0"},
      {"num_symbols", std::to_string(model.extents.size())},
      {"num_kernels", std::to_string(model.groups.size())},
      {"algorithms", std::to_string(model.algorithms)},
      {"num_others", std::to_string(model.others.size())},
      {"weights_bytes", std::to_string(model.weightsBytes)},
      {"weights_id",
       "0x" + llvm::utohexstr(model.weightsId, /*LowerCase=*/true) + "u"},
      {"weights_structure",
       "0x" + llvm::utohexstr(model.structure, /*LowerCase=*/true) + "u"},
      {"kernels", tables},
      {"plan", "plan"},
      {"run", "run"},
      {"device", model.isForDevice() ? "&device_descriptor" : "nullptr"},
      {"target", quoted(model.getTargetName())},
      {"others", list("others", model.others.size())},
      {"weights", model.isFirst() && model.weightsBytes
                      ? "FUSEC_WEIGHTS(" + model.identifier + ")"
                      : "nullptr"},
      {"extents", list("extents", model.extents.size())},
      {"states", list("states", model.states.size())},
      {"num_states", std::to_string(model.states.size())},
      {"num_padding", std::to_string(numPadding)},
      {"least", model.isPadded() ? "least" : "nullptr"},
      {"padding", list("padding", numPadding)}};
  for (const auto &[field, value] : fields)
    out.indented("/*" + field.str() + "=*/" + value + ",");
  out.raw("};");
}

/// Where choices stand among the groups, and what they are between.
void HostEmitter::emitChoiceNumbers() {
  std::string text;
  for (const ChoiceInfo &choice : model.choices) {
    names.declare(choice.identifier, "choice");
    text += (text.empty() ? "" : ", ") + choice.identifier;
    if (&choice == &model.choices.front())
      text += fmt::format(" = {}", model.groups.size());
  }
  if (!text.empty())
    out.line("enum choice_index : uint32_t { " + text + " };");
  for (const ChoiceInfo &choice : model.choices) {
    text.clear();
    for (const AlternativeInfo &alternative : choice.alternatives) {
      names.declare(alternative.identifier, "choice");
      text += (text.empty() ? "" : ", ") + alternative.identifier;
    }
    out.line("enum " +
             names.declare(choice.identifier, "choice", "_algorithm") +
             " : uint32_t { " + text + " };");
  }
}

/// The numbers of launches, choices and calls.
void HostEmitter::emitIndices() {
  if (!model.launches.empty()) {
    std::string text = "enum launch_index : uint32_t { ";
    for (const LaunchInfo &launch : model.launches) {
      names.declare(launch.identifier, "launch");
      text += launch.identifier + ", ";
    }
    out.line(text + "num_launches };");
  }
  emitChoiceNumbers();
  if (!model.calls.empty()) {
    std::string text;
    for (const CallInfo &call : model.calls) {
      names.declare(call.identifier, "call");
      text += (text.empty() ? "" : ", ") + call.identifier;
      if (&call == &model.calls.front() && !model.launches.empty())
        text += " = num_launches";
    }
    out.line("enum call_index : uint32_t { " + text + " };");
  }
  if (!model.launches.empty() || !model.calls.empty())
    out.raw();
}

LogicalResult HostEmitter::run() {
  // Several models can share a translation unit.
  out.raw("namespace " + model.identifier + " {");
  out.raw("namespace {");
  out.raw();
  emitIndices();
  emitOperatorSites(model, out);
  LogicalResult result = emitRun(model, out, names);
  out.raw();
  emitPlan();
  emitTensors("inputs", model.inputs);
  emitTensors("outputs", model.outputs);
  emitStates();
  emitGroups();
  if (model.isForDevice())
    emitDevice(model, names, out);
  emitDescriptor();
  out.raw();
  if (model.isFirst())
    out.raw("} // namespace");
  out.raw("} // namespace " + model.identifier);
  return result;
}

/// What the programs of the file include.
static void emitIncludes(ArrayRef<ModelInfo> entries, SourceWriter &out) {
  const ModelInfo &model = entries.front();
  auto hasKernels = [](const ModelInfo &entry) {
    return !entry.groups.empty();
  };
  out.raw("#include \"" + model.interface + ".h\"");
  if (llvm::any_of(entries, hasKernels))
    out.raw("#include \"" + model.files + "_kernels.h\"");
  out.raw();
  out.raw("#include \"" + getPlatformFiles(*model.target->platform).hostHeader +
          "\"");
  std::set<StringRef> headers;
  std::set<std::string> standard;
  for (const ModelInfo &entry : entries) {
    for (const CallInfo &call : entry.calls)
      headers.insert(call.getHeader());
    collectStandardHeaders(entry, standard);
  }
  for (StringRef header : headers)
    out.raw("#include \"" + header + "\"");
  if (!standard.empty())
    out.raw();
  for (const std::string &header : standard)
    out.raw("#include <" + header + ">");
  out.raw();
}

FailureOr<std::string> emitHostProgram(ArrayRef<ModelInfo> entries) {
  const ModelInfo &model = entries.front();
  SourceWriter out;
  out.comment(kEmittedBy);
  out.comment(entries.size() == 1
                  ? "The host program of `" + model.identifier +
                        "` and its descriptor."
                  : "The host programs of `" + model.identifier +
                        "`, one for each entry, and their descriptors.");
  emitIncludes(entries, out);
  if (model.isForDevice())
    out.line("extern \"C\" const fusec_device_image fusec_{}_kernels_image;",
             model.files);
  for (const std::string &other : model.others)
    out.line("namespace {} {{ extern const fusec_model_desc descriptor; }}",
             other);
  bool hasWeights = model.isFirst() && model.weightsBytes;
  if (hasWeights)
    out.line("extern \"C\" const char fusec_{}_weights[];", model.identifier);
  if (model.isForDevice() || !model.others.empty() || hasWeights)
    out.raw();
  declareOperatorQueries(entries, out);
  bool hasFailed = false;
  for (const ModelInfo &entry : entries) {
    if (&entry != &model)
      out.raw();
    hasFailed |= failed(HostEmitter(entry, out).run());
  }
  if (hasFailed)
    return failure();
  if (!model.isFirst())
    return out.text();
  out.raw();
  out.open("extern \"C\" const fusec_model_desc *fusec_" + model.identifier +
           "_query(uint32_t abi_version)");
  out.line("return abi_version == FUSEC_ABI_VERSION ? &{}::descriptor : "
           "nullptr;",
           model.identifier);
  out.close();
  return out.text();
}

} // namespace fusec::codegen
