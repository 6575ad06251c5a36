// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The typed interface of a model: <model>.h.
#include "codegen/Emitters.h"
#include "codegen/SourceWriter.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;

namespace fusec::codegen {

/// The struct `name` of spans, and the types of its members in a namespace.
static void emitStruct(StringRef name, StringRef space,
                       ArrayRef<TensorInfo> tensors, bool isConst,
                       SourceWriter &out) {
  out.raw();
  out.raw("struct " + name + " {");
  size_t width = 0;
  SmallVector<std::string> lines;
  for (const TensorInfo &tensor : tensors) {
    std::string line = isConst ? "  fusec::Span<const " : "  fusec::Span<";
    line += storageTypeName(tensor.type.getElementType(), /*qualified=*/true);
    for (int64_t extent : tensor.type.getShape())
      line += ", " + std::to_string(extent);
    line += "> " + tensor.identifier + ";";
    width = std::max(width, line.size());
    lines.push_back(line);
  }
  for (auto [line, tensor] : llvm::zip_equal(lines, tensors)) {
    std::string comment = describeType(tensor.type);
    if (tensor.name != tensor.identifier)
      comment += " `" + commentText(tensor.name, 40) + "`";
    if (!tensor.note.empty())
      comment += "; " + commentText(tensor.note, 80);
    out.raw(fmt::format("{:<{}} // {}", line, width, comment));
  }
  out.raw("};");
  if (tensors.empty())
    return;
  out.raw("namespace " + space + " {");
  for (const TensorInfo &tensor : tensors)
    out.raw(fmt::format("using {0} = decltype({1}::{0});", tensor.identifier,
                        name.str()));
  out.raw("} // namespace " + space);
}

/// `const fusec_tensor in[] = {...};`
static void emitTensors(StringRef array, StringRef source,
                        ArrayRef<TensorInfo> tensors, SourceWriter &out) {
  std::string text;
  for (const TensorInfo &tensor : tensors) {
    text += text.empty() ? "" : ", ";
    std::string value = (source + "." + tensor.identifier + ".tensor()").str();
    Type element = tensor.type.getElementType();
    text += sharesStorageName(element) ? "fusec::with_dtype(" + value + ", " +
                                             abiTypeName(element) + ")"
                                       : value;
  }
  if (!tensors.empty())
    out.line("const fusec_tensor {}[] = {{{}}};", array, text);
}

std::string emitModelHeader(ArrayRef<ModelInfo> targets,
                            const EmitOptions &options) {
  const ModelInfo &model = targets.front();
  const std::string &name = model.identifier;
  std::string guard = StringRef(name).upper() + "_H";
  auto braces = [](ArrayRef<TensorInfo> tensors) {
    return "{" +
           llvm::join(
               llvm::map_range(
                   tensors, [](const TensorInfo &t) { return t.identifier; }),
               ", ") +
           "}";
  };
  SourceWriter out;
  out.comment(kEmittedBy);
  out.comment("The typed interface of `" + name + "`:");
  out.raw("//");
  out.raw(fmt::format(
      "//   fusec::Model model(fusec_{}_query{});", name,
      model.weightsBytes && !options.embedWeights ? ", \"weights.bin\"" : ""));
  out.raw("//   fusec::Session session(model);");
  out.raw(fmt::format("//   fusec_status status = {}::run(session, {}, {});",
                      name, braces(model.inputs), braces(model.outputs)));
  bool hasInputs = !model.inputs.empty();
  if (hasInputs || !model.outputs.empty()) {
    out.raw("//");
    out.comment(fmt::format(
        "Each of them is a pointer, or a container that knows its size. For "
        "the compiler, {0}::{1}::{2}::size is how many elements `{2}` has, "
        "and ::dims its shape.",
        name, hasInputs ? "in" : "out",
        (hasInputs ? model.inputs : model.outputs).front().identifier));
  }
  if (targets.size() > 1)
    out.comment("A session takes the kernels for the GPU that there is, of the "
                "highest architecture that it runs" +
                std::string(llvm::any_of(targets,
                                         [](const ModelInfo &target) {
                                           return !target.isForDevice();
                                         })
                                ? ", or else those for the CPU"
                                : "") +
                ": " +
                llvm::join(llvm::map_range(targets,
                                           [](const ModelInfo &target) {
                                             return target.getTargetName();
                                           }),
                           ", ") +
                ".");
  out.raw("#ifndef " + guard);
  out.raw("#define " + guard);
  out.raw();
  std::string query = fmt::format(
      "FUSEC_API const fusec_model_desc *fusec_{}_query(uint32_t abi_version);",
      name);
  out.raw("#ifdef __cplusplus");
  out.raw("#include \"fusec/runtime.hpp\"");
  out.raw();
  out.line("extern \"C\" " + query);
  out.raw();
  out.raw("namespace " + name + " {");
  emitStruct("Inputs", "in", model.inputs, true, out);
  emitStruct("Outputs", "out", model.outputs, false, out);
  out.raw();
  out.raw("/// Runs the model once on `session`, a session of this model.");
  out.open(std::string("inline fusec_status run(fusec::Session &session, "
                       "const Inputs &") +
           (model.inputs.empty() ? "" : "inputs") + ", const Outputs &" +
           (model.outputs.empty() ? "" : "outputs") + ")");
  emitTensors("in", "inputs", model.inputs, out);
  emitTensors("out", "outputs", model.outputs, out);
  out.line("return session.run({}, {}, {}, {});",
           model.inputs.empty() ? "nullptr" : "in", model.inputs.size(),
           model.outputs.empty() ? "nullptr" : "out", model.outputs.size());
  out.close();
  out.raw();
  out.raw("} // namespace " + name);
  out.raw();
  out.raw("#else /* C: fusec_session_run, with the tensors in this order */");
  out.raw("#include \"fusec/runtime.h\"");
  out.raw();
  out.line(query);
  out.raw("#endif");
  out.raw();
  out.raw("#endif");
  return out.text();
}

} // namespace fusec::codegen
