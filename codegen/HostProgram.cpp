// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The file of the host program: what it runs, plan, descriptor.
#include "codegen/Emitters.h"
#include "codegen/HostRun.h"
#include "llvm/ADT/StringExtras.h"
#include <set>

using namespace mlir;

namespace fusec::codegen {

/// A C string literal.
static std::string quoted(StringRef text) {
  std::string result = "\"";
  for (unsigned char c : text) {
    if (c == '"' || c == '\\')
      result += std::string("\\") + char(c);
    else if (c >= 0x20 && c < 0x7f && c != '?')
      result += char(c);
    else // Three octal digits never run into what follows.
      result += fmt::format("\\{:03o}", c);
  }
  return result + "\"";
}

namespace {
class HostEmitter {
public:
  explicit HostEmitter(const ModelInfo &model) : model(model) {}
  FailureOr<std::string> run();

private:
  void includeStandard();
  void emitPlan();
  void emitTensors(StringRef which, ArrayRef<TensorInfo> tensors);
  void emitVariants();
  void emitDescriptor();

  const ModelInfo &model;
  SourceWriter out;
  Names names;
};
} // namespace

void HostEmitter::emitPlan() {
  out.open("int32_t plan(const int64_t *, fusec_plan *plan)");
  out.line("plan->arena_bytes = {};", model.arenaBytes);
  out.line("plan->workspace_bytes = 0;");
  unsigned next = 0;
  for (const TensorInfo &output : model.outputs)
    for (auto [axis, extent] : llvm::enumerate(output.type.getShape()))
      out.line("plan->output_dims[{}] = {};{}", next++, extent,
               axis ? "" : " // " + output.identifier);
  out.line("return 0;");
  out.close();
}

void HostEmitter::emitTensors(StringRef which, ArrayRef<TensorInfo> tensors) {
  for (const TensorInfo &tensor : tensors) {
    out.raw();
    // A rank of 0 still needs an array to point to.
    ArrayRef<int64_t> dims = tensor.type.getShape();
    out.line("const int64_t {}_dims_{}[] = {{{}}};", which.drop_back(),
             tensor.identifier,
             dims.empty() ? "0" : fmt::format("{}", fmt::join(dims, ", ")));
  }
  if (tensors.empty())
    return;
  out.line("const fusec_tensor_desc " + which + "[] = {");
  for (const TensorInfo &tensor : tensors) {
    Type element = tensor.type.getElementType();
    out.indented("{{{}, {}_dims_{}, {}, {}, {}, FUSEC_TENSOR_CONTIGUOUS, -1, "
                 "0}},",
                 quoted(tensor.name), which.drop_back(), tensor.identifier,
                 tensor.type.getRank(), abiTypeName(element),
                 getTypeInfo(element)->storageBytes());
  }
  out.raw("};");
}

void HostEmitter::emitVariants() {
  for (const GroupInfo &group : model.groups) {
    out.raw();
    out.line("const fusec_variant_desc {}_variants[] = {{", group.identifier);
    for (const VariantInfo &variant : group.variants) {
      out.indented(
          "{{{}, nullptr, 0, {}, {}FUSEC_VARIANT_REPRODUCIBLE, {}::{}}},",
          quoted(variant.name), variant.workspaceBytes,
          variant.name == "naive" ? "FUSEC_VARIANT_NAIVE | " : "",
          model.identifier, variant.function);
    }
    out.raw("};");
  }
  if (model.groups.empty())
    return;
  out.raw();
  out.line("const fusec_group_desc groups[] = {");
  for (const GroupInfo &group : model.groups)
    out.indented("{{{}, {}_variants, {}, 0}},", quoted(group.identifier),
                 group.identifier, group.variants.size());
  out.raw("};");
  out.raw();
  out.line("const fusec_launch_desc launches[] = {");
  for (const LaunchInfo &launch : model.launches)
    out.indented("{{{}, {}, 0}},", quoted(launch.identifier), launch.group);
  out.raw("};");
}

void HostEmitter::emitDescriptor() {
  auto list = [](StringRef name, size_t count) {
    return count ? name.str() : std::string("nullptr");
  };
  bool kernels = !model.groups.empty();
  out.raw();
  out.line("const fusec_model_desc descriptor = {");
  out.indented("FUSEC_ABI_VERSION,");
  out.indented("sizeof(fusec_model_desc),");
  out.indented(quoted(model.identifier) + ",");
  out.indented(list("inputs", model.inputs.size()) + ",");
  out.indented(list("outputs", model.outputs.size()) + ",");
  out.indented(list("groups", model.groups.size()) + ",");
  out.indented(list("launches", model.launches.size()) + ",");
  const std::pair<std::string, StringRef> rows[] = {
      {"nullptr,", "symbols"},
      {fmt::format("{},", model.inputs.size()), "inputs"},
      {fmt::format("{},", model.outputs.size()), "outputs"},
      {fmt::format("{},", model.groups.size()), "groups"},
      {kernels ? "num_launches," : "0,", "launches"},
      {"0,", "symbols"},
      {kernels ? model.identifier + "::num_kernels," : "0,", "kernels"},
      {fmt::format("{},", model.weightsBytes), "bytes of weights.bin"},
      {fmt::format("{:#x}u,", model.weightsId), "its id"}};
  size_t width = 0;
  for (const auto &[value, comment] : rows)
    width = std::max(width, value.size());
  for (const auto &[value, comment] : rows)
    out.indented("{:<{}} // {}", value, width, comment);
  if (kernels)
    out.indented("{{FUSEC_BASELINE_TABLE({0}), FUSEC_AVX2_TABLE({0}), "
                 "FUSEC_AVX512_TABLE({0})}},",
                 model.identifier);
  else
    out.indented("{nullptr, nullptr, nullptr},");
  out.indented("plan,");
  out.indented("run,");
  out.raw("};");
}

/// The headers of the standard library that `run` needs.
void HostEmitter::includeStandard() {
  std::set<std::string> headers;
  func::FuncOp(model.main).walk([&](Operation *op) {
    if (isa<kernel::CopyOp>(op))
      headers.insert("cstring");
    if (isa<kernel::RepeatOp>(op) && op->getNumResults())
      headers.insert("utility");
    if (auto fill = dyn_cast<kernel::FillOp>(op)) {
      headers.insert(isFilledByBytes(fill) ? "cstring" : "algorithm");
      auto number = dyn_cast<FloatAttr>(fill.getValue());
      if (number && !number.getValue().isFinite())
        headers.insert("limits");
    }
  });
  if (!headers.empty())
    out.raw();
  for (const std::string &header : headers)
    out.raw("#include <" + header + ">");
}

FailureOr<std::string> HostEmitter::run() {
  out.comment("Emitted by fusec. This file may be used under any terms.");
  out.comment("The host program of `" + model.identifier +
              "` and its descriptor.");
  out.raw("#include \"" + model.identifier + ".h\"");
  if (!model.groups.empty())
    out.raw("#include \"" + model.identifier + "_kernels.h\"");
  out.raw();
  out.raw("#include \"fusec/host.h\"");
  std::set<StringRef> headers;
  for (const CallInfo &call : model.calls)
    headers.insert(call.routine->cpu.header);
  for (StringRef header : headers)
    out.raw("#include \"" + header + "\"");
  includeStandard();
  out.raw();
  // Several models can share a translation unit.
  out.raw("namespace " + model.identifier + " {");
  out.raw("namespace {");
  out.raw();
  if (!model.launches.empty()) {
    std::string text = "enum launch_index : uint32_t { ";
    for (const LaunchInfo &launch : model.launches) {
      names.declare(launch.identifier, "launch");
      text += launch.identifier + ", ";
    }
    out.line(text + "num_launches };");
  }
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
  LogicalResult result = emitRun(model, out, names);
  out.raw();
  emitPlan();
  emitTensors("inputs", model.inputs);
  emitTensors("outputs", model.outputs);
  emitVariants();
  emitDescriptor();
  out.raw();
  out.raw("} // namespace");
  out.raw("} // namespace " + model.identifier);
  out.raw();
  out.open("extern \"C\" const fusec_model_desc *fusec_" + model.identifier +
           "_query(uint32_t abi_version)");
  out.line("return abi_version == FUSEC_ABI_VERSION ? &{}::descriptor : "
           "nullptr;",
           model.identifier);
  out.close();
  if (failed(result))
    return failure();
  return out.text();
}

FailureOr<std::string> emitHostProgram(const ModelInfo &model) {
  return HostEmitter(model).run();
}

} // namespace fusec::codegen
