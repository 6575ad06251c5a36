// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The typed interface of a model: <model>.h.
#include "codegen/Emitters.h"
#include "codegen/SourceWriter.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;

namespace fusec::codegen {

static void emitStruct(StringRef name, ArrayRef<TensorInfo> tensors,
                       bool isConst, SourceWriter &out) {
  out.raw();
  out.raw("struct " + name + " {");
  size_t width = 0;
  SmallVector<std::string> lines;
  for (const TensorInfo &tensor : tensors) {
    std::string line = isConst ? "  const " : "  ";
    line += storageTypeName(tensor.type.getElementType(), /*qualified=*/true) +
            " *" + tensor.identifier + ";";
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
}

/// `const fusec_tensor in[] = {...};`, and the dims that it points to.
static void emitTensors(StringRef array, StringRef source,
                        ArrayRef<TensorInfo> tensors, SourceWriter &out) {
  std::string text;
  for (const TensorInfo &tensor : tensors) {
    std::string member = source.str() + "." + tensor.identifier;
    text += text.empty() ? "" : ", ";
    Type element = tensor.type.getElementType();
    bool isShared = sharesStorageName(element);
    text += isShared ? "fusec::with_dtype(" : "";
    std::string end = isShared ? "), " + abiTypeName(element) + ")" : ")";
    if (tensor.type.getRank() == 0) {
      text += "fusec::tensor(" + member + end;
      continue;
    }
    std::string dims = fmt::format("{}_{}_dims", array, tensor.identifier);
    out.line("static constexpr int64_t {}[] = {{{}}};", dims,
             fmt::join(tensor.type.getShape(), ", "));
    text += "fusec::tensor(" + member + ", " + dims + end;
  }
  if (!tensors.empty())
    out.line("const fusec_tensor {}[] = {{{}}};", array, text);
}

std::string emitModelHeader(ArrayRef<ModelInfo> targets) {
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
  out.raw(fmt::format("//   fusec::Model model(fusec_{}_query{});", name,
                      model.weightsBytes ? ", \"weights.bin\"" : ""));
  out.raw("//   fusec::Session session(model);");
  out.raw(fmt::format("//   fusec_status status = {}::run(session, {}, {});",
                      name, braces(model.inputs), braces(model.outputs)));
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
      "const fusec_model_desc *fusec_{}_query(uint32_t abi_version);", name);
  out.raw("#ifdef __cplusplus");
  out.raw("#include \"fusec/runtime.hpp\"");
  out.raw();
  out.line("extern \"C\" " + query);
  out.raw();
  out.raw("namespace " + name + " {");
  emitStruct("Inputs", model.inputs, true, out);
  emitStruct("Outputs", model.outputs, false, out);
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
