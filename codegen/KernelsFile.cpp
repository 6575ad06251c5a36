// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The files of the kernels: comments, functions, table.
#include "codegen/DescriptorRows.h"
#include "codegen/Emitters.h"
#include "codegen/FileCuts.h"
#include "codegen/KernelEmitter.h"
#include "codegen/UserOperators.h"
#include "dialects/TargetInfo.h"

using namespace mlir;

namespace fusec::codegen {

static std::string joined(llvm::ArrayRef<std::string> parts) {
  std::string text;
  for (const std::string &part : parts)
    text += (text.empty() ? "" : ", ") + part;
  return text;
}

void emitKernelComment(const GroupInfo &group, const VariantInfo &variant,
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

bool isAside(const GroupInfo &group, const VariantInfo &variant) {
  return variant.name == "naive" && &variant != &group.variants.front();
}

namespace {

/// The kernels of a group: those that run, and those aside.
struct GroupText {
  SourceWriter kernels, aside;
};

/// One file of kernels: those of the groups from `first` to before `last`.
struct Part {
  unsigned number; ///< of the file, from 1
  size_t first, last;
  std::string name = {}, nameAside = {};
  bool hasAside = false;
};

/// Writes the kernels of a model, which nobody knows but the lists of variants
/// behind them in their file. The first file has the tables of all entries,
/// which name these lists, and so does not change with what they say.
class KernelsWriter {
public:
  KernelsWriter(ModelInfo &model, const TargetSyntax &syntax)
      : model(model), syntax(syntax), scope("fusec::" + model.identifier),
        target(getTargetInfo(model.main)) {}

  LogicalResult writeGroups();
  /// The files by EmitOptions::kernelFiles.
  FailureOr<std::vector<EmittedFile>> writeFiles(unsigned numFiles);

private:
  LogicalResult writeVariant(const GroupInfo &group, VariantInfo &variant,
                             SourceWriter &out);
  std::vector<Part> cut(unsigned numFiles) const;
  ArrayRef<GroupInfo> groupsOf(const Part &part) const {
    return ArrayRef(model.groups).slice(part.first, part.last - part.first);
  }
  FailureOr<std::string> writeFirst(ArrayRef<Part> parts);
  FailureOr<std::string> writeFurther(const Part &part,
                                      const std::string &nameOfTable);
  std::string writeAside(const Part &part);
  void writeFunctions(const Part &part, bool aside, SourceWriter &out);
  void openNamespaces(SourceWriter &out, bool isHidden = false) const;
  void closeNamespaces(SourceWriter &out, bool isHidden = false) const;
  void declareLists(const Part &part, SourceWriter &out) const;
  void writeSignature(const GroupInfo &group, SourceWriter &out) const;
  void writeList(const GroupInfo &group, SourceWriter &out) const;
  void writeLists(const Part &part, SourceWriter &out) const;
  void writeTables(SourceWriter &out) const;

  ModelInfo &model;
  const TargetSyntax &syntax;
  std::string scope;
  const TargetInfo &target;
  const PatternSet patterns = makePatterns();
  Names names;
  std::vector<GroupText> texts; ///< of each group
};

} // namespace

LogicalResult KernelsWriter::writeVariant(const GroupInfo &group,
                                          VariantInfo &variant,
                                          SourceWriter &out) {
  out.raw();
  variant.firstLine = out.nextLine();
  if (!variant.isa.empty())
    out.raw("#if " + conditionOf(variant.isa, target));
  emitKernelComment(group, variant, out);
  LogicalResult result =
      KernelEmitter(syntax, patterns, names, out)
          .emit(variant.func, variant.function, group.parameters);
  if (!variant.isa.empty())
    out.raw("#endif");
  variant.lastLine = out.nextLine() - 1;
  return result;
}

/// The texts of all groups. Until they are in files, lines count from a text's
/// first.
LogicalResult KernelsWriter::writeGroups() {
  bool failed = false;
  for (GroupInfo &group : model.groups) {
    GroupText &text = texts.emplace_back();
    for (VariantInfo &variant : group.variants)
      failed |= mlir::failed(writeVariant(
          group, variant, isAside(group, variant) ? text.aside : text.kernels));
  }
  return failure(failed);
}

void KernelsWriter::writeTables(SourceWriter &out) const {
  for (const KernelTable &table : model.tables) {
    if (table.groups.empty())
      continue;
    out.raw();
    out.line("extern \"C\" const fusec_variant_list *const "
             "FUSEC_KERNEL_TABLE({})[] = {{",
             table.identifier);
    for (unsigned group : table.groups)
      out.indented("&" + scope + "::" + model.groups[group].identifier +
                   "_list,");
    out.raw("};");
  }
}

/// "m_kernels_2.cpp" of "_kernels.cpp"; the first file has no number.
static std::string numbered(const std::string &model, StringRef suffix,
                            unsigned number) {
  auto [stem, extension] = suffix.rsplit('.');
  std::string name = model + stem.str();
  if (number > 1)
    name += "_" + std::to_string(number);
  return name + "." + extension.str();
}

std::vector<Part> KernelsWriter::cut(unsigned numFiles) const {
  std::vector<GroupSize> sizes;
  for (auto [group, text] : llvm::zip_equal(model.groups, texts))
    sizes.push_back({group.identifier,
                     text.kernels.nextLine() + text.aside.nextLine() - 2});
  std::vector<size_t> begins = cutIntoFiles(sizes, numFiles);
  begins.push_back(sizes.size());
  std::vector<Part> parts;
  for (unsigned number = 1; number < begins.size(); ++number) {
    Part part{number, begins[number - 1], begins[number]};
    part.name = numbered(model.identifier, syntax.kernelFileSuffix, number);
    part.nameAside = numbered(model.identifier, syntax.naiveFileSuffix, number);
    // Who asks for a number of files knows what they are called: all are there.
    part.hasAside = numFiles != 0;
    for (size_t group = part.first; group < part.last; ++group)
      part.hasAside |= texts[group].aside.nextLine() > 1;
    parts.push_back(std::move(part));
  }
  return parts;
}

/// Nested in fusec, where the vocabulary is in scope; in a namespace of their
/// own, so that several models can share a translation unit.
void KernelsWriter::openNamespaces(SourceWriter &out, bool isHidden) const {
  out.raw("namespace " + scope + " {");
  out.raw(isHidden ? "inline namespace FUSEC_ISA_NS FUSEC_HIDDEN {"
                   : "namespace {");
}

void KernelsWriter::closeNamespaces(SourceWriter &out, bool isHidden) const {
  out.raw(isHidden ? "} // namespace FUSEC_ISA_NS" : "} // namespace");
  out.raw("} // namespace " + scope);
}

void KernelsWriter::writeFunctions(const Part &part, bool aside,
                                   SourceWriter &out) {
  for (size_t number = part.first; number < part.last; ++number) {
    unsigned before = out.nextLine() - 1;
    GroupText &text = texts[number];
    out.append(aside ? text.aside : text.kernels);
    GroupInfo &group = model.groups[number];
    for (VariantInfo &variant : group.variants) {
      if (isAside(group, variant) != aside)
        continue;
      variant.file = aside ? part.nameAside : part.name;
      variant.firstLine += before;
      variant.lastLine += before;
    }
  }
  out.raw();
  closeNamespaces(out);
}

/// What the table names in another file.
void KernelsWriter::declareLists(const Part &part, SourceWriter &out) const {
  if (part.first == part.last)
    return;
  out.raw();
  out.comment("In " + part.name + ".");
  openNamespaces(out, /*isHidden=*/true);
  for (const GroupInfo &group : groupsOf(part))
    out.line("extern const fusec_variant_list {}_list;", group.identifier);
  closeNamespaces(out, /*isHidden=*/true);
}

/// The type of a group's kernels, in a file that does not include the header
/// with all of them, which changes with any group.
void KernelsWriter::writeSignature(const GroupInfo &group,
                                   SourceWriter &out) const {
  kernel::FuncOp func = group.variants.front().func;
  std::string text =
      "using " + group.identifier + "_fn = void(" + syntax.contextType.str();
  for (BlockArgument argument : func.getArguments()) {
    text += argument.getArgNumber() < func.getNumInputs() ? ", const " : ", ";
    text += storageTypeName(cast<MemRefType>(argument.getType())) + " *";
  }
  out.line(text + ");");
}

/// A group's list, with the selectors of the instruction set of the object.
void KernelsWriter::writeList(const GroupInfo &group, SourceWriter &out) const {
  auto emit = [&](StringRef isa) {
    emitList(group.identifier + "_list", group.identifier + "_variants",
             group.identifier + "_selectors", listSelectors(group, isa), out);
  };
  ArrayRef<const InstructionSet *> sets = target.sets;
  if (llvm::all_of(sets, [&](const InstructionSet *set) {
        return listSelectors(group, set->name) ==
               listSelectors(group, sets.front()->name);
      }))
    return emit(sets.front()->name);
  for (const InstructionSet *set : sets) {
    out.raw("#if " + conditionOf(set->name, target));
    emit(set->name);
    out.raw("#endif");
  }
}

/// The variants of each group, those of an instruction set in its objects.
void KernelsWriter::writeLists(const Part &part, SourceWriter &out) const {
  bool isFirst = part.number == 1;
  out.raw();
  openNamespaces(out, /*isHidden=*/!isFirst);
  for (const GroupInfo &group : groupsOf(part)) {
    out.raw();
    std::string signature = group.identifier + "_fn";
    if (isFirst)
      signature = "::" + model.identifier + "::" + signature;
    else
      writeSignature(group, out);
    openVariants(group.identifier + "_variants", out);
    for (const VariantInfo &variant : group.variants) {
      if (!variant.isa.empty())
        out.raw("#if " + conditionOf(variant.isa, target));
      out.indented(variantRow(group, variant,
                              "FUSEC_KERNEL(" + signature + ", " +
                                  variant.function + ")"));
      if (!variant.isa.empty())
        out.raw("#endif");
    }
    out.raw("};");
    if (!isFirst)
      out.line("extern const fusec_variant_list {}_list;", group.identifier);
    writeList(group, out);
  }
  out.raw();
  closeNamespaces(out, /*isHidden=*/!isFirst);
}

FailureOr<std::string> KernelsWriter::writeFirst(ArrayRef<Part> parts) {
  const Part &part = parts.front();
  SourceWriter out;
  out.comment(kEmittedBy);
  out.comment(
      "The kernels of `" + model.identifier +
      "`. Compiled once per instruction set (FUSEC_ISA names it); only " +
      (model.tables.size() == 1 ? "the table at the end is"
                                : "the tables at the end are") +
      " visible outside of the object.");
  out.raw("#include \"" + model.identifier + "_kernels.h\"");
  out.raw();
  out.raw("#include \"" + syntax.vocabulary + "\"");
  if (failed(writeScalars(groupsOf(part), out)))
    return failure();
  out.raw();
  openNamespaces(out);
  writeFunctions(part, /*aside=*/false, out);
  if (part.hasAside) {
    out.raw();
    out.raw("#include \"" + part.nameAside + "\"");
  }
  writeLists(part, out);
  for (const Part &other : parts.drop_front())
    declareLists(other, out);
  writeTables(out);
  return out.text();
}

FailureOr<std::string>
KernelsWriter::writeFurther(const Part &part, const std::string &nameOfTable) {
  SourceWriter out;
  out.comment(kEmittedBy);
  out.comment("More kernels of `" + model.identifier +
              "`. Compiled once per instruction set (FUSEC_ISA names it); the "
              "table in " +
              nameOfTable + " names the lists at the end.");
  if (part.first == part.last) {
    out.comment("There are none here.");
    return out.text();
  }
  out.raw("#include \"" + syntax.vocabulary + "\"");
  if (failed(writeScalars(groupsOf(part), out)))
    return failure();
  out.raw();
  openNamespaces(out);
  writeFunctions(part, /*aside=*/false, out);
  if (part.hasAside) {
    out.raw();
    out.raw("#include \"" + part.nameAside + "\"");
  }
  writeLists(part, out);
  return out.text();
}

std::string KernelsWriter::writeAside(const Part &part) {
  SourceWriter out;
  out.comment(kEmittedBy);
  out.comment("The kernels of `" + model.identifier +
              "` as plain loops in the order of the model, to compare "
              "with. Part of " +
              part.name + ", and compiled with it.");
  openNamespaces(out);
  writeFunctions(part, /*aside=*/true, out);
  return out.text();
}

FailureOr<std::vector<EmittedFile>>
KernelsWriter::writeFiles(unsigned numFiles) {
  std::vector<EmittedFile> files;
  if (model.groups.empty() && numFiles == 0)
    return files;
  std::vector<Part> parts = cut(numFiles);
  for (const Part &part : parts) {
    FailureOr<std::string> text = part.number == 1
                                      ? writeFirst(parts)
                                      : writeFurther(part, parts.front().name);
    if (failed(text))
      return failure();
    files.push_back({part.name, std::move(*text)});
    if (part.hasAside)
      files.push_back({part.nameAside, writeAside(part)});
  }
  return files;
}

FailureOr<std::vector<EmittedFile>>
emitHostKernels(ModelInfo &model, const PlatformFiles &platform,
                const EmitOptions &options) {
  KernelsWriter writer(model, platform.syntax);
  if (failed(writer.writeGroups()))
    return failure();
  return writer.writeFiles(options.kernelFiles);
}

} // namespace fusec::codegen
