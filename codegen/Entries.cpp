// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "codegen/Entries.h"

#include "codegen/Codegen.h"
#include "codegen/Names.h"
#include "mlir/IR/OwningOpRef.h"
#include "llvm/ADT/Sequence.h"
#include "llvm/ADT/StringMap.h"

using namespace mlir;

namespace fusec::codegen {

FailureOr<std::vector<ExtentInfo>> collectExtents(ModuleOp module) {
  std::vector<ExtentInfo> result;
  auto symbols = module->getAttrOfType<ArrayAttr>(kSymbolsAttr);
  auto extents = module->getAttrOfType<DenseI64ArrayAttr>(kExtentsAttr);
  auto least = module->getAttrOfType<DenseI64ArrayAttr>(kLeastAttr);
  if (!symbols && !extents)
    return result;
  if (!symbols || !extents || int64_t(symbols.size()) != extents.size() ||
      (least && least.size() != extents.size()) ||
      !llvm::all_of(symbols, llvm::IsaPred<StringAttr>))
    return module.emitError()
           << "has " << kSymbolsAttr << ", " << kExtentsAttr << " and "
           << kLeastAttr << " that are not as many names and integers";
  Names names(Names::Reserved::Keywords);
  for (auto [number, symbol, extent] : llvm::enumerate(
           symbols.getAsValueRange<StringAttr>(), extents.asArrayRef()))
    result.push_back({symbol.str(), names.declare(symbol, "dim"), extent,
                      least ? least[number] : -1});
  return result;
}

/// "batch4_seq64".
static std::string nameExtents(const ModelInfo &model) {
  std::string text;
  for (const ExtentInfo &info : model.extents)
    text += (text.empty() ? "" : "_") + info.identifier +
            std::to_string(info.extent);
  return text;
}

void nameEntries(MutableArrayRef<ModelInfo> models) {
  std::string files;
  for (auto [number, model] : llvm::enumerate(models)) {
    const bool isNewTarget =
        number == 0 ||
        model.getTargetName() != models[number - 1].getTargetName();
    if (number == 0)
      files = model.interface;
    else if (isNewTarget)
      files = model.interface + "_" + toIdentifier(model.getTargetName());
    model.files = model.identifier = files;
    if (!isNewTarget)
      model.identifier += "_" + nameExtents(model);
    if (number)
      models.front().others.push_back(model.identifier);
  }
}

/// How many of `models` are for the target of the first.
static size_t countEntries(ArrayRef<ModelInfo> models) {
  return models
      .take_while([&](const ModelInfo &model) {
        return model.files == models.front().files;
      })
      .size();
}

std::vector<MutableArrayRef<ModelInfo>>
splitByTarget(MutableArrayRef<ModelInfo> models) {
  std::vector<MutableArrayRef<ModelInfo>> targets;
  for (; !models.empty(); models = models.drop_front(targets.back().size()))
    targets.push_back(models.take_front(countEntries(models)));
  return targets;
}

ArrayRef<ModelInfo> getEntries(ArrayRef<ModelInfo> models) {
  return models.take_front(countEntries(models));
}

/// A text that two groups have in common if the same is printed for them, but
/// for names. Groups of two modules have no attributes in common that could be
/// compared otherwise.
static std::string getStructure(const GroupInfo &group) {
  std::string text;
  llvm::raw_string_ostream os(text);
  for (const VariantInfo &variant : group.variants) {
    OwningOpRef<kernel::FuncOp> copy(kernel::FuncOp(variant.func).clone());
    copy->setSymName("");
    copy->setGroup("");
    copy->getOperation()->print(
        os, OpPrintingFlags().printGenericOpForm().assumeVerified());
    os << "\n";
  }
  return text;
}

void nameVariants(GroupInfo &group, Names &names) {
  for (VariantInfo &variant : group.variants) {
    std::string suffix = "_" + variant.name;
    if (!variant.isa.empty())
      suffix += "_" + variant.isa;
    variant.function = names.declare(group.identifier, "kernel", suffix);
  }
}

/// The instruction sets in which units of the entries' kernels are
/// instructions.
static std::set<StringRef> findFurtherIsas(ArrayRef<ModelInfo> entries) {
  std::set<StringRef> isas;
  for (const ModelInfo &entry : entries) {
    auto add = [&](int64_t terms, Type sums, bool isTiled) {
      const bool isFloat = isa<FloatType>(getElementTypeOrSelf(sums));
      for (const InstructionSet *set : entry.target->sets)
        for (const Unit *unit : set->units)
          if (unit->terms == terms && unit->isFloat == isFloat &&
              (isTiled || !unit->hasTiles()) && !unit->isa.empty())
            isas.insert(unit->isa);
    };
    for (const GroupInfo &group : entry.groups)
      for (const VariantInfo &variant : group.variants)
        kernel::FuncOp(variant.func).walk([&](Operation *op) {
          if (auto dot = dyn_cast<kernel::DotOp>(op))
            add(dot.getTerms(), dot.getType(), /*isTiled=*/false);
          else if (auto products = dyn_cast<kernel::AddProductsOp>(op))
            add(products.getTerms(),
                cast<MemRefType>(products.getSums().getType()).getElementType(),
                /*isTiled=*/true);
        });
  }
  return isas;
}

std::vector<StringRef> ModelInfo::getIsas() const {
  std::vector<StringRef> isas = {"baseline", "avx2", "avx512"};
  size_t used = isas.size();
  for (StringRef further : {"avx512vnni", "avx512bf16", "amx"}) {
    const bool isUsed = furtherIsas.count(further);
    isas.push_back(isUsed ? further : "");
    used = isUsed ? isas.size() : used;
  }
  isas.resize(used);
  return isas;
}

ModelInfo joinKernels(ArrayRef<ModelInfo> entries) {
  ModelInfo kernels = entries.front();
  kernels.furtherIsas = findFurtherIsas(entries);
  if (entries.size() == 1) {
    KernelTable &table = kernels.tables.emplace_back();
    table.identifier = kernels.identifier;
    llvm::append_range(table.groups,
                       llvm::seq<unsigned>(kernels.groups.size()));
    return kernels;
  }
  kernels.groups.clear();
  // Groups of one entry stay apart: passes before had reasons to keep them.
  llvm::StringMap<SmallVector<unsigned>> known;
  Names names;
  for (const ModelInfo &entry : entries) {
    KernelTable &table = kernels.tables.emplace_back();
    table.identifier = entry.identifier;
    llvm::StringMap<unsigned> numTaken;
    for (const GroupInfo &group : entry.groups) {
      const std::string structure = getStructure(group);
      SmallVector<unsigned> &equal = known[structure];
      const unsigned taken = numTaken[structure]++;
      const bool isNew = taken == equal.size();
      if (isNew)
        equal.push_back(kernels.groups.size());
      table.groups.push_back(equal[taken]);
      if (!isNew)
        continue;
      GroupInfo &joined = kernels.groups.emplace_back(group);
      joined.identifier =
          names.declare(group.identifier, "group",
                        entry.hasFiles() ? "" : "_" + nameExtents(entry));
      nameVariants(joined, names);
    }
  }
  return kernels;
}

void takeKernels(const ModelInfo &kernels, MutableArrayRef<ModelInfo> entries) {
  for (auto [entry, table] : llvm::zip_equal(entries, kernels.tables)) {
    entry.furtherIsas = kernels.furtherIsas;
    for (auto [group, number] : llvm::zip_equal(entry.groups, table.groups)) {
      // What computes it in the entry's own nodes.
      std::vector<std::string> nodes = std::move(group.nodes);
      group = kernels.groups[number];
      group.nodes = std::move(nodes);
    }
  }
}

/// What an extent is in terms of the symbols.
static std::string describeExtent(ArrayRef<ModelInfo> entries,
                                  const std::vector<TensorInfo> ModelInfo::*of,
                                  size_t number, size_t axis) {
  auto getExtent = [&](const ModelInfo &entry) {
    return (entry.*of)[number].type.getShape()[axis];
  };
  const int64_t first = getExtent(entries.front());
  if (llvm::all_of(entries, [&](const ModelInfo &entry) {
        return getExtent(entry) == first;
      }))
    return std::to_string(first);
  for (auto [symbol, info] : llvm::enumerate(entries.front().extents))
    if (llvm::all_of(entries, [&, symbol = symbol](const ModelInfo &entry) {
          return getExtent(entry) == entry.extents[symbol].extent;
        }))
      return info.identifier;
  return "?";
}

std::string describeType(ArrayRef<ModelInfo> entries,
                         const std::vector<TensorInfo> ModelInfo::*tensors,
                         size_t number) {
  MemRefType type = (entries.front().*tensors)[number].type;
  std::string text = StringRef(describeType(type)).split('[').first.str() + "[";
  for (int64_t axis = 0; axis < type.getRank(); ++axis)
    text += (axis ? ", " : "") + describeExtent(entries, tensors, number, axis);
  return text + "]";
}

} // namespace fusec::codegen
