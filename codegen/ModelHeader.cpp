// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The typed interface of a model: <model>.h.
#include "codegen/Emitters.h"
#include "codegen/Entries.h"
#include "codegen/SourceWriter.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;

namespace fusec::codegen {

/// `struct name` with a member for each of the tensors: `member` is its type up
/// to its extents, `types` what comments say of them.
static void
emitMembers(StringRef name, ArrayRef<TensorInfo> tensors,
            llvm::function_ref<std::string(const TensorInfo &)> member,
            ArrayRef<std::string> types, SourceWriter &out) {
  out.raw();
  out.raw("struct " + name + " {");
  size_t width = 0;
  SmallVector<std::string> lines;
  for (const TensorInfo &tensor : tensors) {
    lines.push_back("  " + member(tensor) + " " + tensor.identifier + ";");
    width = std::max(width, lines.back().size());
  }
  for (auto [line, tensor, type] : llvm::zip_equal(lines, tensors, types)) {
    std::string comment = type;
    if (tensor.name != tensor.identifier)
      comment += " `" + commentText(tensor.name, 40) + "`";
    if (!tensor.note.empty())
      comment += "; " + commentText(tensor.note, 80);
    out.raw(fmt::format("{:<{}} // {}", line, width, comment));
  }
  out.raw("};");
}

/// The name of an element's type, `const` for an input.
static std::string elementName(const TensorInfo &tensor, bool isConst) {
  return (isConst ? "const " : "") +
         storageTypeName(tensor.type.getElementType(), /*qualified=*/true);
}

/// The struct `name` of spans, and the types of its members in a namespace.
static void emitStruct(StringRef name, StringRef space,
                       ArrayRef<TensorInfo> tensors, bool isConst,
                       SourceWriter &out) {
  SmallVector<std::string> types;
  for (const TensorInfo &tensor : tensors)
    types.push_back(describeType(tensor.type));
  emitMembers(
      name, tensors,
      [&](const TensorInfo &tensor) {
        std::string type = "fusec::Span<" + elementName(tensor, isConst);
        for (int64_t extent : tensor.type.getShape())
          type += ", " + std::to_string(extent);
        return type + ">";
      },
      types, out);
  if (tensors.empty())
    return;
  out.raw("namespace " + space + " {");
  for (const TensorInfo &tensor : tensors)
    out.raw(fmt::format("using {0} = decltype({1}::{0});", tensor.identifier,
                        name.str()));
  out.raw("} // namespace " + space);
}

/// The struct `name` of arrays whose extents depend on the entry.
static void emitStruct(StringRef name, ArrayRef<ModelInfo> entries,
                       const std::vector<TensorInfo> ModelInfo::*tensors,
                       bool isConst, SourceWriter &out) {
  ArrayRef<TensorInfo> list = entries.front().*tensors;
  SmallVector<std::string> types;
  for (size_t number = 0; number < list.size(); ++number)
    types.push_back(describeType(entries, tensors, number));
  emitMembers(
      name, list,
      [&](const TensorInfo &tensor) {
        return "fusec::Elements<" + elementName(tensor, isConst) + ">";
      },
      types, out);
}

/// The extents that there are, and the list of all entries.
static void emitExtents(ArrayRef<ModelInfo> entries, SourceWriter &out) {
  out.raw();
  out.raw("/// What run takes: the extents of the model's symbols.");
  out.raw("struct Extents {");
  for (const ExtentInfo &info : entries.front().extents)
    out.raw("  int64_t " + info.identifier + ";" +
            (info.name == info.identifier
                 ? ""
                 : " // `" + commentText(info.name, 40) + "`"));
  out.raw("};");
  out.raw();
  out.raw("/// The entries: those extents that the model is compiled for.");
  std::string text;
  for (const ModelInfo &entry : entries) {
    text += text.empty() ? "{" : ", {";
    for (const ExtentInfo &info : entry.extents)
      text += (&info == &entry.extents.front() ? "" : ", ") +
              std::to_string(info.extent);
    text += "}";
  }
  out.line("constexpr Extents entries[] = {" + text + "};");
}

/// How `tensor`, number `number` of the model's `inputs` or `outputs`, is
/// handed to a session.
static std::string describeTensor(StringRef which, const TensorInfo &tensor,
                                  size_t number, bool hasEntries) {
  std::string value = (which + "." + tensor.identifier + ".tensor(").str();
  if (hasEntries)
    return value + fmt::format("desc.{}[{}])", which.str(), number);
  value += ")";
  Type element = tensor.type.getElementType();
  return sharesStorageName(element)
             ? "fusec::with_dtype(" + value + ", " + abiTypeName(element) + ")"
             : value;
}

/// `const fusec_tensor in[] = {...};`
static void emitTensors(StringRef array, StringRef source,
                        ArrayRef<TensorInfo> tensors, bool hasEntries,
                        SourceWriter &out) {
  std::string text;
  for (auto [number, tensor] : llvm::enumerate(tensors))
    text += (number ? ", " : "") +
            describeTensor(source, tensor, number, hasEntries);
  if (!tensors.empty())
    out.line("const fusec_tensor {}[] = {{{}}};", array, text);
}

static void emitRun(const ModelInfo &model, bool hasEntries,
                    SourceWriter &out) {
  out.raw();
  if (hasEntries) {
    out.raw("/// Runs the model once on `session`, a session of this model, by "
            "the entry with");
    out.raw("/// these extents. Where there is none, session.error() lists "
            "them.");
  } else {
    out.raw("/// Runs the model once on `session`, a session of this model.");
  }
  out.open(std::string("inline fusec_status run(fusec::Session &session, ") +
           (hasEntries ? "const Extents &extents, " : "") + "const Inputs &" +
           (model.inputs.empty() ? "" : "inputs") + ", const Outputs &" +
           (model.outputs.empty() ? "" : "outputs") + ")");
  if (hasEntries) {
    auto members = llvm::map_range(model.extents, [](const ExtentInfo &info) {
      return "extents." + info.identifier;
    });
    out.line("const int64_t values[] = {{{}}};", llvm::join(members, ", "));
    out.line("const fusec_status picked = session.pick(values, {});",
             model.extents.size());
    out.open("if (picked != FUSEC_OK)");
    out.line("return picked;");
    out.close("", /*elide=*/true);
    out.line("const fusec_model_desc &desc = session.desc();");
  }
  emitTensors("in", "inputs", model.inputs, hasEntries, out);
  emitTensors("out", "outputs", model.outputs, hasEntries, out);
  out.line("return session.run({}, {}, {}, {});",
           model.inputs.empty() ? "nullptr" : "in", model.inputs.size(),
           model.outputs.empty() ? "nullptr" : "out", model.outputs.size());
  out.close();
}

/// What is said of a model's targets where there are several.
static std::string describeTargets(ArrayRef<ModelInfo> targets) {
  bool hasCpu = llvm::any_of(
      targets, [](const ModelInfo &target) { return !target.isForDevice(); });
  std::string names;
  for (const ModelInfo &target : targets)
    if (target.hasFiles())
      names += (names.empty() ? "" : ", ") + target.getTargetName().str();
  return "A session takes the kernels for the GPU that there is, of the "
         "highest architecture that it runs" +
         std::string(hasCpu ? ", or else those for the CPU" : "") + ": " +
         names + ".";
}

/// What is said of the symbols of which runs may have smaller extents.
static std::string describePadding(ArrayRef<ModelInfo> targets) {
  const std::vector<ExtentInfo> &symbols = targets.front().extents;
  std::string names;
  for (size_t number = 0; number < symbols.size(); ++number)
    if (llvm::any_of(getEntries(targets), [&](const ModelInfo &entry) {
          return entry.extents[number].least < entry.extents[number].extent;
        }))
      names += (names.empty() ? "`" : ", `") +
               commentText(symbols[number].name, 40) + "`";
  return "A run may have smaller extents of " + names +
         " than an entry has: it takes the next larger entry, for which the "
         "session pads the inputs, and cuts the outputs.";
}

/// What is said of a model's states.
static std::string describeStates(const ModelInfo &model) {
  constexpr size_t kShown = 4;
  std::string names;
  for (const StateInfo &state : ArrayRef(model.states).take_front(kShown))
    names += (names.empty() ? "`" : ", `") + commentText(state.past.name, 40) +
             "` (then `" + commentText(state.present.name, 40) + "`)";
  if (model.states.size() > kShown)
    names += fmt::format(" and {} more", model.states.size() - kShown);
  return "A session carries from one run to the next, beginning with zeros: " +
         names +
         ". session.reset() makes them zeros again; save() and restore(), "
         "getState() and setState() are for who keeps or changes them.";
}

/// The comment at the top: how a program uses the model.
static void emitUsage(ArrayRef<ModelInfo> targets, const EmitOptions &options,
                      SourceWriter &out) {
  const ModelInfo &model = targets.front();
  const std::string &name = model.identifier;
  auto braces = [](ArrayRef<TensorInfo> tensors) {
    return "{" +
           llvm::join(
               llvm::map_range(
                   tensors, [](const TensorInfo &t) { return t.identifier; }),
               ", ") +
           "}";
  };
  out.comment(kEmittedBy);
  out.comment("The typed interface of `" + name + "`:");
  out.raw("//");
  out.raw(fmt::format(
      "//   fusec::Model model(fusec_{}_query{});", name,
      model.weightsBytes && !options.embedWeights ? ", \"weights.bin\"" : ""));
  out.raw("//   fusec::Session session(model);");
  auto extents = llvm::map_range(model.extents, [](const ExtentInfo &info) {
    return "/*" + info.identifier + "=*/" + std::to_string(info.extent);
  });
  out.raw(fmt::format(
      "//   fusec_status status = {}::run(session, {}{}, {});", name,
      model.extents.empty() ? "" : "{" + llvm::join(extents, ", ") + "}, ",
      braces(model.inputs), braces(model.outputs)));
  bool hasInputs = !model.inputs.empty();
  if (!model.extents.empty()) {
    out.raw("//");
    out.comment("Each of them is a pointer, or a container that knows its "
                "size. The model is compiled for several extents, `entries`: a "
                "session has all of them, takes what a run asks for, and has "
                "an arena that is enough for the largest.");
    if (model.isPadded())
      out.comment(describePadding(targets));
  } else if (hasInputs || !model.outputs.empty()) {
    out.raw("//");
    out.comment(fmt::format(
        "Each of them is a pointer, or a container that knows its size. For "
        "the compiler, {0}::{1}::{2}::size is how many elements `{2}` has, "
        "and ::dims its shape.",
        name, hasInputs ? "in" : "out",
        (hasInputs ? model.inputs : model.outputs).front().identifier));
  }
  if (!model.states.empty())
    out.comment(describeStates(model));
  if (targets.back().files != model.files)
    out.comment(describeTargets(targets));
}

std::string emitModelHeader(ArrayRef<ModelInfo> targets,
                            const EmitOptions &options) {
  const ModelInfo &model = targets.front();
  ArrayRef<ModelInfo> entries = getEntries(targets);
  const bool hasEntries = entries.size() > 1;
  const std::string &name = model.identifier;
  std::string guard = StringRef(name).upper() + "_H";
  SourceWriter out;
  emitUsage(targets, options, out);
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
  if (hasEntries) {
    emitExtents(entries, out);
    emitStruct("Inputs", entries, &ModelInfo::inputs, true, out);
    emitStruct("Outputs", entries, &ModelInfo::outputs, false, out);
  } else {
    emitStruct("Inputs", "in", model.inputs, true, out);
    emitStruct("Outputs", "out", model.outputs, false, out);
  }
  emitRun(model, hasEntries, out);
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
