// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// model.json of an emitted folder.
#include "codegen/Emitters.h"
#include "codegen/HostGraph.h"
#include "codegen/UserOperators.h"
#include "dialects/TargetInfo.h"
#include "dialects/fuse/ModelSource.h"
#include "dialects/fuse/Refusal.h"
#include "dialects/fuse/SwappableWeights.h"
#include "dialects/kernel/Choices.h"
#include "dialects/library/Declared.h"
#include "dialects/words/Plain.h"
#include "fusec/abi.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/JSON.h"
#include <map>

using namespace mlir;

namespace fusec::codegen {

/// The members of an input, an output or a state.
static void tensor(llvm::json::OStream &json, const TensorInfo &tensor) {
  json.attribute("name", llvm::json::fixUTF8(tensor.name));
  json.attribute("identifier", tensor.identifier);
  json.attribute("dtype", dtypeName(tensor.type));
  json.attributeArray("dims", [&] {
    for (int64_t extent : tensor.type.getShape())
      json.value(extent);
  });
}

static void tensors(llvm::json::OStream &json, StringRef key,
                    ArrayRef<TensorInfo> list) {
  json.attributeArray(key, [&] {
    for (const TensorInfo &info : list)
      json.object([&] { tensor(json, info); });
  });
}

/// What the model carries from one run to the next.
static void states(llvm::json::OStream &json, const ModelInfo &model) {
  if (model.states.empty())
    return;
  json.attributeArray("states", [&] {
    for (const StateInfo &state : model.states)
      json.object([&] {
        tensor(json, state.past);
        json.attribute("output", llvm::json::fixUTF8(state.present.name));
        json.attribute("in_place", state.isInPlace);
        if (state.room) {
          json.attribute("rows", state.rows);
          json.attribute("room", state.room);
        }
      });
  });
}

static void nodes(llvm::json::OStream &json,
                  const std::vector<std::string> &names) {
  json.attributeArray("nodes", [&] {
    for (const std::string &name : names)
      json.value(llvm::json::fixUTF8(name));
  });
}

static void place(llvm::json::OStream &json, StringRef file, unsigned first,
                  unsigned last) {
  json.attribute("file", file);
  json.attributeArray("lines", [&] {
    json.value(first);
    json.value(last);
  });
}

/// How a kernel of a GPU is launched.
static void shape(llvm::json::OStream &json, const VariantInfo &variant) {
  json.attribute("grid", variant.grid);
  json.attribute("block", variant.block);
  json.attribute("threads", variant.grid * variant.block);
  json.attribute("requested_bytes", variant.sharedBytes);
  json.attribute("workspace_bytes", variant.workspaceBytes);
}

/// Which operators of users a kernel calls functions of.
static void functions(llvm::json::OStream &json, kernel::FuncOp func) {
  // By operator: it, and its function.
  std::map<std::string, std::pair<fuse::OperatorOp, std::string>> called;
  func.walk([&](Operation *op) {
    auto scalar = dyn_cast<kernel::ScalarOp>(op);
    auto call = dyn_cast<kernel::CallOp>(op);
    if (!scalar && !call)
      return;
    auto declared = SymbolTable::lookupNearestSymbolFrom<fuse::OperatorOp>(
        op, scalar ? scalar.getCalleeAttr().getAttr() : call.getCalleeAttr());
    if (declared)
      called.try_emplace(
          declared.getSymName().str(), declared,
          (scalar ? declared.getScalarFunction() : declared.getBlockFunction())
              .str());
  });
  if (called.empty())
    return;
  json.attributeArray("functions", [&] {
    for (auto &[name, known] : called) {
      auto [op, function] = known;
      json.object([&, &name = name, op = op, &function = function]() mutable {
        json.attribute("operator", name);
        json.attribute("function", function);
        json.attribute("library", op.getLibrary());
        json.attribute("version", op.getVersion());
        json.attribute("hash", op.getHash());
      });
    }
  });
}

static void group(llvm::json::OStream &json, const ModelInfo &model,
                  const GroupInfo &info) {
  const VariantInfo &first = info.variants.front();
  json.attribute("name", info.identifier);
  nodes(json, info.nodes);
  if (model.isForDevice()) {
    json.attribute("target", model.target->name);
    shape(json, first);
    json.attribute("points", info.points);
  }
  if (auto serial = first.func->getAttrOfType<DictionaryAttr>("serial"))
    json.attributeObject("serial", [&] {
      if (auto points = serial.getAs<IntegerAttr>("points"))
        json.attribute("points", points.getInt());
      if (auto reason = serial.getAs<StringAttr>("reason"))
        json.attribute("reason", llvm::json::fixUTF8(reason.getValue()));
    });
  json.attribute("proposer", first.proposer);
  json.attribute("schedule", first.schedule);
  functions(json, first.func);
  if (first.func->hasAttr("timed_out"))
    json.attribute("timed_out", true);
  if (auto key = first.func->getAttrOfType<StringAttr>("key"))
    json.attribute("key", key.getValue());
  if (first.func->hasAttr("locked"))
    json.attribute("locked", true);
  json.attributeArray("variants", [&] {
    for (const VariantInfo &variant : info.variants)
      json.object([&] {
        json.attribute("name", variant.name);
        if (!variant.isa.empty())
          json.attribute("isa", variant.isa);
        if (!variant.selected.empty())
          json.attributeObject("selected", [&] {
            for (const auto &selected : variant.selected)
              json.attributeArray(selected.first, [&] {
                for (int64_t threads : selected.second)
                  json.value(threads);
              });
          });
        json.attribute("function", model.isForDevice()
                                       ? model.getSymbol(variant)
                                       : variant.function);
        json.attribute("schedule", variant.schedule);
        if (variant.block)
          shape(json, variant);
        place(json, variant.file, variant.firstLine, variant.lastLine);
      });
  });
  // The variants of a group stand together in each file.
  json.attributeArray("files", [&] {
    ArrayRef<VariantInfo> left = info.variants;
    while (!left.empty()) {
      ArrayRef<VariantInfo> same =
          left.take_while([&](const VariantInfo &next) {
            return next.file == left.front().file;
          });
      json.object([&] {
        place(json, same.front().file, same.front().firstLine,
              same.back().lastLine);
      });
      left = left.drop_front(same.size());
    }
  });
}

/// What --model-apply-choices took, and why.
static void choices(llvm::json::OStream &json, func::FuncOp main) {
  auto taken = main->getAttrOfType<ArrayAttr>(kChoicesAttr);
  if (!taken)
    return;
  // Of the groups alone it would be another one.
  if (auto key =
          main->getParentOp()->getAttrOfType<StringAttr>(kernel::kModelKeyAttr))
    json.attribute("key", key.getValue());
  json.attributeArray("choices", [&] {
    for (auto choice : taken.getAsRange<DictionaryAttr>())
      json.object([&] {
        for (StringRef key : {"name", "algorithm"})
          if (auto text = choice.getAs<StringAttr>(key))
            json.attribute(key, text.getValue());
        if (auto names = choice.getAs<ArrayAttr>("alternatives"))
          json.attributeArray("alternatives", [&] {
            for (auto name : names.getAsRange<StringAttr>())
              json.value(name.getValue());
          });
        if (auto selected =
                kernel::readSelections(choice.get(kernel::kSelectedAttr));
            selected && !selected->empty())
          json.attributeArray("selected", [&] {
            for (const kernel::ChoiceSelection &one : *selected)
              json.object([&] {
                json.attribute("algorithm", one.algorithm);
                json.attribute("isa", one.isa);
                json.attribute("threads", one.threads);
              });
          });
        if (choice.contains(kernel::kLowerPrecisionAttr))
          json.attribute("lower_precision", true);
        for (StringRef key : {"reason", "key"})
          if (auto text = choice.getAs<StringAttr>(key))
            json.attribute(key, text.getValue());
      });
  });
}

static void call(llvm::json::OStream &json, const CallInfo &info) {
  json.attribute("name", info.identifier);
  json.attribute("routine", info.declared
                                ? fuse::OperatorOp(info.declared).getSymName()
                                : StringRef(info.routine->name));
  json.attribute("symbol", info.launchesKernels
                               ? "fusec::launch_op"
                               : StringRef(info.routine->cpu.symbol));
  json.attribute("header", info.getHeader());
  nodes(json, info.nodes);
  json.attribute("workspace_bytes", info.workspaceBytes);
  if (fuse::OperatorOp op = info.declared)
    json.attributeObject("operator", [&] {
      json.attribute("library", op.getLibrary());
      json.attribute("version", op.getVersion());
      json.attribute("hash", op.getHash());
      json.attributeArray("forms", [&] {
        if (!info.launchesKernels || !op.isCudaAlone())
          json.value("cpu");
        if (info.launchesKernels)
          json.value("cuda");
      });
      if (auto algorithm =
              kernel::CallOp(info.op).getParameters().getAs<StringAttr>(
                  library::kAlgorithmParameter))
        json.attribute("algorithm", algorithm.getValue());
      json.attribute("test", describeTest(info));
    });
}

/// What the compilation said about neighbours that are not one kernel.
static void refusals(llvm::json::OStream &json, Operation *module) {
  auto list = module->getAttrOfType<ArrayAttr>(fuse::kRefusalsAttr);
  json.attributeArray("refusals", [&] {
    if (!list)
      return;
    for (auto refusal : list.getAsRange<DictionaryAttr>())
      json.object([&] {
        for (StringRef key : {"node", "reader", "group", "reason", "hint"})
          if (auto text = refusal.getAs<StringAttr>(key))
            json.attribute(key, llvm::json::fixUTF8(text.getValue()));
      });
  });
}

/// What the model's file says of itself.
static void source(llvm::json::OStream &json, Operation *module) {
  auto source = module->getAttrOfType<DictionaryAttr>(fuse::kSourceAttr);
  if (!source)
    return;
  auto number = [&](DictionaryAttr of, StringRef key) {
    if (auto value = of.getAs<IntegerAttr>(key);
        value && value.getType().isInteger(64))
      json.attribute(key, value.getInt());
  };
  auto text = [&](DictionaryAttr of, StringRef key) {
    if (auto value = of.getAs<StringAttr>(key))
      json.attribute(key, llvm::json::fixUTF8(value.getValue()));
  };
  auto list = [&](StringRef key, auto &&member) {
    auto items = source.getAs<ArrayAttr>(key);
    json.attributeArray(key, [&] {
      for (Attribute item : items ? items.getValue() : ArrayRef<Attribute>())
        if (auto entry = dyn_cast<DictionaryAttr>(item))
          json.object([&] { member(entry); });
    });
  };
  json.attributeObject("source", [&] {
    for (StringRef key : fuse::kSourceTexts)
      text(source, key);
    for (StringRef key : {"ir_version", "model_version", "nodes"})
      number(source, key);
    list("opsets", [&](DictionaryAttr opset) {
      text(opset, "domain");
      number(opset, "version");
    });
    list("metadata", [&](DictionaryAttr entry) {
      text(entry, "key");
      text(entry, "value");
    });
  });
}

/// What other weights must have in common with those of the model.
static void swappable(llvm::json::OStream &json, const ModelInfo &model) {
  json.attribute("structure",
                 llvm::utohexstr(model.structure, /*LowerCase=*/true));
  auto fixed = func::FuncOp(model.main)
                   ->getParentOfType<ModuleOp>()
                   ->getAttrOfType<ArrayAttr>(fuse::kSwappableWeightsAttr);
  json.attributeArray("fixed", [&] {
    for (auto name : fixed.getAsRange<StringAttr>())
      json.value(llvm::json::fixUTF8(name.getValue()));
  });
}

/// All of a target but its files.
static void describe(llvm::json::OStream &json, const ModelInfo &model) {
  json.attribute("emitted_by", "fusec");
  json.attribute("format", 1); // of this file: tools/fusec/schemas
  json.attribute("name", model.identifier);
  json.attribute("abi_version", FUSEC_ABI_VERSION);
  json.attribute("target", model.getTargetName());
  json.attribute("cpu", getTargetInfo(model.main).name);
  source(json, func::FuncOp(model.main)->getParentOp());
  if (!model.extents.empty())
    json.attributeArray("extents", [&] {
      for (const ExtentInfo &info : model.extents)
        json.object([&] {
          json.attribute("name", llvm::json::fixUTF8(info.name));
          json.attribute("extent", info.extent);
          if (info.least >= 0)
            json.attribute("least", info.least);
        });
    });
  tensors(json, "inputs", model.inputs);
  tensors(json, "outputs", model.outputs);
  states(json, model);
  if (model.weightsBytes)
    json.attributeObject("weights", [&] {
      json.attribute("file", "weights.bin");
      json.attribute("bytes", model.weightsBytes);
      if (model.structure)
        swappable(json, model);
    });
  json.attribute("arena_bytes", model.getDefaultArena());
  choices(json, model.main);
  json.attributeArray("groups", [&] {
    for (const GroupInfo &info : model.groups)
      json.object([&] { group(json, model, info); });
  });
  json.attributeArray("launches", [&] {
    for (const LaunchInfo &launch : model.launches)
      json.object([&] {
        json.attribute("name", launch.identifier);
        json.attribute("group", model.groups[launch.group].identifier);
      });
  });
  if (!model.furtherIsas.empty())
    json.attributeArray("further_isas", [&] {
      for (StringRef isa : model.furtherIsas)
        json.value(isa);
    });
  if (std::vector vendors = model.getVendors(); !vendors.empty())
    json.attributeArray("vendors", [&] {
      for (const library::Vendor *vendor : vendors)
        json.value(vendor->name);
    });
  if (!model.calls.empty())
    json.attributeArray("calls", [&] {
      for (const CallInfo &info : model.calls)
        json.object([&] { call(json, info); });
    });
  printHostGraph(json, model);
  refusals(json, func::FuncOp(model.main)->getParentOp());
}

std::string emitMetadata(ArrayRef<ModelInfo> targets,
                         ArrayRef<TargetFiles> sources,
                         ArrayRef<std::string> emittedFiles) {
  std::string text;
  llvm::raw_string_ostream out(text);
  llvm::json::OStream json(out, /*IndentSize=*/2);
  json.object([&] {
    describe(json, targets.front());
    if (targets.size() > 1)
      json.attributeArray("others", [&] {
        for (size_t i = 1; i < targets.size(); ++i)
          json.object([&] {
            describe(json, targets[i]);
            json.attributeArray("emitted_files", [&] {
              for (const EmittedFile &file : sources[i].files)
                json.value(file.path);
            });
          });
      });
    if (std::vector<FurtherPanels> further = listFurtherPanels(targets);
        !further.empty())
      json.attributeArray("further_panels", [&] {
        for (const FurtherPanels &panels : further)
          json.object([&] {
            json.attribute("weight", panels.name);
            json.attribute("bytes", panels.bytes);
          });
      });
    if (std::vector<OperatorUnit> units = listOperatorUnits(targets);
        !units.empty())
      json.attributeArray("operator_units", [&] {
        for (const OperatorUnit &unit : units)
          json.object([&] {
            json.attribute("file", unit.path);
            if (unit.architecture)
              json.attribute("architecture", *unit.architecture);
            json.attributeArray("flags", [&] {
              for (const std::string &flag : unit.flags)
                json.value(flag);
            });
          });
      });
    // What another model in this folder may replace.
    json.attributeArray("emitted_files", [&] {
      for (const std::string &name : emittedFiles)
        json.value(name);
    });
  });
  return plainJson(text) + "\n";
}

} // namespace fusec::codegen
