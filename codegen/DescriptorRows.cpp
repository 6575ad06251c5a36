// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "codegen/DescriptorRows.h"

#include "codegen/Codegen.h"
#include "codegen/TargetSyntax.h"

using namespace mlir;

namespace fusec::codegen {

std::string quoted(StringRef text) {
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

std::string braced(ArrayRef<std::pair<StringRef, std::string>> fields) {
  std::string text;
  for (const auto &[field, value] : fields)
    text += (text.empty() ? "{/*" : ", /*") + field.str() + "=*/" + value;
  return text + "}";
}

std::string row(ArrayRef<std::pair<StringRef, std::string>> fields) {
  return braced(fields) + ",";
}

std::string hexNumber(StringRef digits) {
  uint64_t number = 0;
  if (digits.empty() || digits.getAsInteger(16, number))
    return "0";
  return fmt::format("{:#018x}u", number);
}

static std::string attributesOf(bool isReproducible) {
  return isReproducible ? "FUSEC_VARIANT_REPRODUCIBLE" : "0";
}

/// Which all kernels of a module are that was made for that.
static bool isBatchInvariant(kernel::FuncOp func) {
  return func->getParentOfType<ModuleOp>()->hasAttr(kBatchInvariantAttr);
}

void openVariants(const std::string &name, SourceWriter &out) {
  std::string type = "const fusec_variant_desc", rest = name + "[] = {";
  if (type.size() + 1 + rest.size() <= SourceWriter::kColumns)
    return out.raw(type + " " + rest);
  out.raw(type);
  out.raw("    " + rest);
}

namespace {
/// What differs between the rows of variants.
struct VariantFields {
  std::string name, config, launches, kernel;
  uint64_t workspaceBytes;
  StringRef hash;
  size_t numLaunches;
  std::string attributes;
};
} // namespace

static std::string rowOf(const VariantFields &fields) {
  return row({{"name", fields.name},
              {"config", fields.config},
              {"launches", fields.launches},
              {"kernel", fields.kernel},
              {"pack", "nullptr"},
              {"pack_bytes", "0"},
              {"workspace_bytes", std::to_string(fields.workspaceBytes)},
              {"hash", hexNumber(fields.hash)},
              {"num_launches", std::to_string(fields.numLaunches)},
              {"attributes", fields.attributes}});
}

std::string variantRow(const GroupInfo &group, const VariantInfo &variant,
                       const std::string &kernel) {
  // Only who has a choice needs to say what was taken.
  bool hasChoice = llvm::any_of(group.variants, [](const VariantInfo &variant) {
    return variant.name != "naive" && variant.name != "default";
  });
  kernel::FuncOp func = variant.func;
  std::string attributes = attributesOf(func.isReproducible());
  if (isBatchInvariant(func))
    attributes += " | FUSEC_VARIANT_BATCH_INVARIANT";
  if (variant.name == "naive")
    attributes = "FUSEC_VARIANT_NAIVE | " + attributes;
  return rowOf({quoted(variant.name),
                hasChoice && !variant.choice.empty() ? quoted(variant.choice)
                                                     : "nullptr",
                "nullptr", kernel, variant.workspaceBytes, variant.hash, 0,
                attributes});
}

std::string alternativeRow(const AlternativeInfo &alternative,
                           const std::string &launches, bool isReproducible) {
  return rowOf({quoted(alternative.name),
                quoted("algorithm=" + alternative.name), launches, "nullptr",
                alternative.workspaceBytes, alternative.hash,
                alternative.launches.size() + alternative.calls.size(),
                attributesOf(isReproducible)});
}

bool SelectorRow::operator==(const SelectorRow &other) const {
  return variant == other.variant && isa == other.isa &&
         threads == other.threads;
}

std::vector<SelectorRow> listSelectors(const GroupInfo &group, StringRef isa) {
  std::vector<SelectorRow> rows;
  unsigned number = 0;
  for (const VariantInfo &variant : group.variants) {
    if (!variant.isa.empty() && variant.isa != isa)
      continue;
    if (auto found = variant.selected.find(isa.str());
        found != variant.selected.end())
      for (int64_t threads : found->second)
        rows.push_back({number, "FUSEC_ISA_BASELINE", threads});
    ++number;
  }
  llvm::sort(rows, [](const SelectorRow &a, const SelectorRow &b) {
    return a.threads > b.threads;
  });
  return rows;
}

std::vector<SelectorRow> listSelectors(const ChoiceInfo &choice,
                                       const TargetInfo &target) {
  std::vector<SelectorRow> rows;
  kernel::ChoiceOp op = choice.op;
  auto algorithms = op.getAlgorithms().getAsValueRange<StringAttr>();
  auto selections = kernel::readSelections(op->getAttr(kernel::kSelectedAttr));
  for (const kernel::ChoiceSelection &one : *selections)
    // What is for the weakest one is for weaker ones, too.
    rows.push_back(
        {unsigned(std::distance(algorithms.begin(),
                                llvm::find(algorithms, one.algorithm))),
         "FUSEC_ISA_" + (one.isa == target.sets.front()->name
                             ? std::string("BASELINE")
                             : one.isa.upper()),
         one.threads});
  return rows;
}

void emitList(const std::string &name, const std::string &variants,
              const std::string &selectors, ArrayRef<SelectorRow> rows,
              SourceWriter &out) {
  if (rows.empty())
    return out.line("const fusec_variant_list {} = FUSEC_VARIANT_LIST({});",
                    name, variants);
  out.line("const fusec_selector {}[] = {{", selectors);
  for (const SelectorRow &one : rows)
    out.indented(row({{"variant", std::to_string(one.variant)},
                      {"isa", one.isa},
                      {"threads", std::to_string(one.threads)},
                      {"reserved", "0"},
                      {"least", "nullptr"}}));
  out.raw("};");
  out.line("const fusec_variant_list {} = FUSEC_SELECTED_LIST({}, {});", name,
           variants, selectors);
}

std::string nameDims(StringRef kind, const TensorInfo &tensor) {
  return (kind + "_dims_" + tensor.identifier).str();
}

std::string describeTensor(StringRef kind, const TensorInfo &tensor) {
  Type element = tensor.type.getElementType();
  return braced(
      {{"name", quoted(tensor.name)},
       {"dims", nameDims(kind, tensor)},
       {"rank", std::to_string(tensor.type.getRank())},
       {"dtype", abiTypeName(element)},
       {"alignment", std::to_string(getTypeInfo(element)->storageBytes())},
       {"flags", "FUSEC_TENSOR_CONTIGUOUS"},
       {"alias_of", std::to_string(tensor.alias)},
       {"reserved", "0"}});
}

size_t countPadding(const ModelInfo &model) {
  size_t count = 0;
  for (const auto *tensors : {&model.inputs, &model.outputs})
    for (const TensorInfo &tensor : *tensors)
      count += tensor.padding.size();
  return count;
}

void emitPadding(const ModelInfo &model, SourceWriter &out) {
  if (!model.isPadded())
    return;
  SmallVector<std::string> least;
  for (const ExtentInfo &info : model.extents)
    least.push_back(std::to_string(info.least));
  out.line("const int64_t least[] = {{{}}};", llvm::join(least, ", "));
  if (!countPadding(model))
    return;
  out.line("const fusec_padding_desc padding[] = {");
  unsigned number = 0;
  for (const auto *tensors : {&model.inputs, &model.outputs})
    for (const TensorInfo &tensor : *tensors) {
      for (const PaddingInfo &info : tensor.padding)
        out.indented(row(
            {{"tensor", std::to_string(number)},
             {"axis", std::to_string(info.axis)},
             {"symbol", std::to_string(info.symbol)},
             {"fill", info.hasValue ? "FUSEC_FILL_VALUE" : "FUSEC_FILL_LAST"},
             {"inner", std::to_string(info.inner)},
             {"value", fmt::format("{:#x}u", info.value)}}));
      ++number;
    }
  out.raw("};");
}

} // namespace fusec::codegen
