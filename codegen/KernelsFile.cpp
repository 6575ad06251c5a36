// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The file of the kernels: comments, functions, table.
#include "codegen/Emitters.h"
#include "codegen/KernelEmitter.h"
#include "dialects/TargetInfo.h"

using namespace mlir;

namespace fusec::codegen {

static std::string joined(llvm::ArrayRef<std::string> parts) {
  std::string text;
  for (const std::string &part : parts)
    text += (text.empty() ? "" : ", ") + part;
  return text;
}

/// What the kernel computes, from which nodes, and how.
static void emitComment(const GroupInfo &group, const VariantInfo &variant,
                        SourceWriter &out) {
  constexpr size_t kMaxNodes = 12;
  kernel::FuncOp func = variant.func;
  if (&variant != &group.variants.front()) {
    out.comment(group.identifier + ", variant " + variant.name +
                (variant.isa.empty() ? "" : " for " + variant.isa) + ".");
  } else {
    ArrayRef<std::string> names = group.parameters;
    int64_t inputs = func.getNumInputs(), outputs = func.getNumOutputs();
    std::string text = group.identifier + ": ";
    if (inputs)
      text += "reads " + joined(names.take_front(inputs)) + "; ";
    text += "writes " + joined(names.slice(inputs, outputs)) + ".";
    out.comment(text);
    if (!group.nodes.empty()) {
      std::string nodes;
      for (StringRef node : ArrayRef(group.nodes).take_front(kMaxNodes))
        nodes += (nodes.empty() ? "" : ", ") + commentText(node, 80);
      if (group.nodes.size() > kMaxNodes)
        nodes +=
            " and " + std::to_string(group.nodes.size() - kMaxNodes) + " more";
      out.comment("Nodes: " + nodes + ".");
    }
  }
  std::string schedule = variant.schedule;
  if (!variant.proposer.empty())
    schedule += (schedule.empty() ? "proposed by " : "; proposed by ") +
                variant.proposer;
  if (!schedule.empty())
    out.comment("Schedule: " + commentText(schedule) + ".");
}

/// The macro of the vocabulary that is 1 in the objects for `set`.
static std::string macroOf(StringRef set) { return "FUSEC_" + set.upper(); }

/// When text for `isa` is compiled: the first of the target's instruction sets
/// serves whichever none of the others does.
static std::string conditionOf(StringRef isa, const TargetInfo &target) {
  if (isa != target.sets.front()->name)
    return macroOf(isa);
  std::string text;
  for (const InstructionSet *other : target.sets.drop_front())
    text += (text.empty() ? "!" : " && !") + macroOf(other->name);
  return text;
}

/// Variants that are there to compare with are in a file of their own: but for
/// them a reader looks at what runs.
static bool isAside(const GroupInfo &group, const VariantInfo &variant) {
  return variant.name == "naive" && &variant != &group.variants.front();
}

namespace {

/// Writes the kernels of a model, those aside or the others.
class KernelsWriter {
public:
  KernelsWriter(ModelInfo &model, const TargetSyntax &syntax)
      : model(model), syntax(syntax), scope("fusec::" + model.identifier),
        target(getTargetInfo(model.main)) {
    addArithPatterns(patterns);
    addMathPatterns(patterns);
    addValuePatterns(patterns);
    addMemoryPatterns(patterns);
    addLoopPatterns(patterns);
  }

  /// The functions, into a file called `name`. Nested in fusec, where the
  /// vocabulary is in scope; in a namespace of their own, so that several
  /// models can share a translation unit.
  LogicalResult writeFunctions(bool aside, const std::string &name,
                               SourceWriter &out);
  /// Which function is the kernel of which number.
  void writeTable(SourceWriter &out) const;

private:
  void writeEntries(const GroupInfo &group, StringRef isa, StringRef indent,
                    SourceWriter &out) const;

  ModelInfo &model;
  const TargetSyntax &syntax;
  std::string scope;
  const TargetInfo &target;
  PatternSet patterns;
  Names names;
};

} // namespace

LogicalResult KernelsWriter::writeFunctions(bool aside, const std::string &name,
                                            SourceWriter &out) {
  out.raw("namespace " + scope + " {");
  out.raw("namespace {");
  KernelEmitter emitter(syntax, patterns, names, out);
  bool failed = false;
  for (GroupInfo &group : model.groups)
    for (VariantInfo &variant : group.variants) {
      if (isAside(group, variant) != aside)
        continue;
      out.raw();
      variant.file = name;
      variant.firstLine = out.nextLine();
      if (!variant.isa.empty())
        out.raw("#if " + conditionOf(variant.isa, target));
      emitComment(group, variant, out);
      failed |= mlir::failed(
          emitter.emit(variant.func, variant.function, group.parameters));
      if (!variant.isa.empty())
        out.raw("#endif");
      variant.lastLine = out.nextLine() - 1;
    }
  out.raw();
  out.raw("} // namespace");
  out.raw("} // namespace " + scope);
  return failure(failed);
}

void KernelsWriter::writeTable(SourceWriter &out) const {
  out.raw();
  std::string type = "extern \"C\" const fusec_kernel_fn";
  std::string table = "FUSEC_KERNEL_TABLE(" + model.identifier + ")[" +
                      model.identifier + "::num_kernels] = {";
  bool fits = type.size() + 1 + table.size() <= SourceWriter::kColumns;
  out.raw(type + (fits ? " " + table : ""));
  if (!fits)
    out.raw("    " + table);
  StringRef indent = fits ? "" : "    ";
  for (const GroupInfo &group : model.groups) {
    if (llvm::all_of(group.variants, [](const VariantInfo &variant) {
          return variant.isa.empty();
        })) {
      writeEntries(group, "", indent, out);
      continue;
    }
    for (const InstructionSet *set : llvm::reverse(target.sets)) {
      bool isLast = set == target.sets.front();
      out.raw(isLast ? "#else"
                     : (set == target.sets.back() ? "#if " : "#elif ") +
                           macroOf(set->name));
      writeEntries(group, set->name, indent, out);
    }
    out.raw("#endif");
  }
  out.raw("};");
}

/// The variants of a group in the table of an object for `isa`: it has none of
/// those that do not serve that.
void KernelsWriter::writeEntries(const GroupInfo &group, StringRef isa,
                                 StringRef indent, SourceWriter &out) const {
  for (const VariantInfo &variant : group.variants)
    if (variant.isa.empty() || variant.isa == isa)
      out.indented((indent + "FUSEC_KERNEL(" + model.identifier +
                    "::" + group.identifier + "_fn, " + scope +
                    "::" + variant.function + "),")
                       .str());
    else
      out.indented((indent + "nullptr,").str());
}

FailureOr<std::vector<EmittedFile>> emitKernels(ModelInfo &model,
                                                const TargetSyntax &syntax) {
  std::string name = model.identifier + syntax.kernelFileSuffix.str();
  std::string nameAside = model.identifier + syntax.naiveFileSuffix.str();
  bool hasAside = llvm::any_of(model.groups, [](const GroupInfo &group) {
    return llvm::any_of(group.variants, [&](const VariantInfo &variant) {
      return isAside(group, variant);
    });
  });
  KernelsWriter writer(model, syntax);
  SourceWriter out, aside;
  out.comment(kEmittedBy);
  out.comment("The kernels of `" + model.identifier +
              "`. Compiled once per instruction set (FUSEC_ISA names it); only "
              "the table at the end is visible outside of the object.");
  out.raw("#include \"" + model.identifier + "_kernels.h\"");
  out.raw();
  out.raw("#include \"" + syntax.vocabulary + "\"");
  out.raw();
  bool failed = mlir::failed(writer.writeFunctions(false, name, out));
  if (hasAside) {
    out.raw();
    out.raw("#include \"" + nameAside + "\"");
    aside.comment(kEmittedBy);
    aside.comment("The kernels of `" + model.identifier +
                  "` as plain loops in the order of the model, to compare "
                  "with. Part of " +
                  name + ", and compiled with it.");
    failed |= mlir::failed(writer.writeFunctions(true, nameAside, aside));
  }
  if (!model.groups.empty())
    writer.writeTable(out);
  if (failed)
    return failure();
  std::vector<EmittedFile> files = {{name, out.text()}};
  if (hasAside)
    files.push_back({nameAside, aside.text()});
  return files;
}

std::string emitKernelsHeader(const ModelInfo &model) {
  SourceWriter out;
  std::string guard = StringRef(model.identifier).upper() + "_KERNELS_H";
  out.comment(kEmittedBy);
  out.comment("The kernels of `" + model.identifier +
              "`: one signature per group, one table per instruction set.");
  out.raw("#ifndef " + guard);
  out.raw("#define " + guard);
  out.raw();
  out.raw("#include \"fusec/abi.h\"");
  out.raw("#include \"fusec/element.h\"");
  out.raw();
  out.raw("namespace " + model.identifier + " {");
  for (const GroupInfo &group : model.groups) {
    out.raw();
    std::string head = "using " + group.identifier + "_fn = void(";
    std::string indent(head.size(), ' ');
    out.raw(head + "const fusec_kernel_ctx *ctx,");
    kernel::FuncOp func = group.variants.front().func;
    // Comments stand in one column.
    size_t width = 0;
    SmallVector<std::string> lines;
    for (BlockArgument argument : func.getArguments()) {
      unsigned number = argument.getArgNumber();
      auto type = cast<MemRefType>(argument.getType());
      std::string line = number < func.getNumInputs() ? "const " : "";
      line += storageTypeName(type, /*qualified=*/true);
      line += " *" + group.parameters[number];
      line += number + 1 == func.getNumArguments() ? ");" : ",";
      width = std::max(width, line.size());
      lines.push_back(indent + line);
    }
    for (auto [line, argument] : llvm::zip_equal(lines, func.getArguments()))
      out.raw(line + std::string(indent.size() + width - line.size(), ' ') +
              " // " + describeType(cast<MemRefType>(argument.getType())));
  }
  out.raw();
  out.comment("Where each variant stands in the tables.");
  out.raw("enum kernel_index : uint32_t {");
  for (const GroupInfo &group : model.groups)
    for (const VariantInfo &variant : group.variants)
      out.raw("  " + variant.function + ",");
  out.raw("  num_kernels");
  out.raw("};");
  out.raw();
  out.raw("} // namespace " + model.identifier);
  if (!model.groups.empty()) {
    out.raw();
    for (StringRef isa : {"baseline", "avx2", "avx512"})
      out.line("extern \"C\" const fusec_kernel_fn " + model.identifier +
               "_kernels_" + isa + "[];");
  }
  out.raw();
  out.raw("#endif");
  return out.text();
}

} // namespace fusec::codegen
