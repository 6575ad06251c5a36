// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "codegen/ModelInfo.h"

#include "codegen/Aliases.h"
#include "codegen/Entries.h"
#include "codegen/ModelTensors.h"
#include "codegen/Names.h"
#include "dialects/Abi.h"
#include "dialects/TargetInfo.h"
#include "dialects/library/Declared.h"
#include "fusec/abi.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace fusec::codegen {

static_assert(kAbiAlignment == FUSEC_ALIGNMENT);

std::string describeType(MemRefType type) {
  const TypeInfo *info = getTypeInfo(type.getElementType());
  std::string text = info ? info->name.str() : "?";
  if (text == "i1")
    text = "bool";
  return text + "[" +
         llvm::join(
             llvm::map_range(type.getShape(),
                             [](int64_t d) { return std::to_string(d); }),
             ", ") +
         "]";
}

std::string dtypeName(MemRefType type) {
  StringRef name = getTypeInfo(type.getElementType())->name;
  if (name == "i1")
    return "bool";
  return name.consume_front("ui") ? ("u" + name).str() : name.str();
}

uint64_t ModelInfo::getDefaultArena() const {
  uint64_t bytes = arenaBytes;
  for (const ChoiceInfo &choice : choices)
    bytes = std::max(bytes, choice.alternatives.front().arenaBytes);
  return bytes;
}

std::vector<const library::Vendor *> ModelInfo::getVendors() const {
  std::vector<const library::Vendor *> vendors;
  for (const library::Vendor *vendor : library::getVendors())
    if (llvm::any_of(calls, [&](const CallInfo &call) {
          return call.routine->vendor == vendor;
        }))
      vendors.push_back(vendor);
  return vendors;
}

std::set<StringRef> ModelInfo::getDeviceHeaders() const {
  std::set<StringRef> headers;
  for (const GroupInfo &group : groups)
    for (const VariantInfo &variant : group.variants)
      kernel::FuncOp(variant.func).walk([&](kernel::CallOp call) {
        headers.insert(library::find(call.getCallee())
                           ->getDeviceForm(describeCall(call))
                           ->header);
      });
  return headers;
}

uint64_t byteSize(MemRefType type) {
  return type.getNumElements() *
         getTypeInfo(type.getElementType())->storageBytes();
}

namespace {
class Collector {
public:
  explicit Collector(ModuleOp module) : module(module) {
    for (auto func : module.getOps<kernel::FuncOp>())
      funcsOfGroup[func.getGroup()].push_back(func);
  }
  FailureOr<ModelInfo> run();

private:
  LogicalResult findMain();
  LogicalResult collectWeights();
  LogicalResult collectGroups(Region &region);
  LogicalResult collectLaunches();
  void collectCalls();
  AlternativeInfo *findAlternative(Operation *op);
  void collectChoices();
  LogicalResult collectBuffers();
  FailureOr<unsigned> groupOf(kernel::LaunchOp launch);
  void fillGroup(GroupInfo &group, kernel::FuncOp launched);

  ModuleOp module;
  SymbolTableCollection symbols;
  llvm::StringMap<SmallVector<kernel::FuncOp>> funcsOfGroup;
  ModelInfo model;
  Names names;
  Names stepNames; ///< of launches, choices and calls
  llvm::StringMap<unsigned> groupNumbers;
};
} // namespace

LogicalResult Collector::findMain() {
  for (auto func : module.getOps<func::FuncOp>()) {
    if (!func->hasAttr("fuse.outputs"))
      continue;
    if (model.main)
      return func.emitOpError("is a second host program; a module has one");
    model.main = func;
  }
  if (!model.main)
    return module.emitError("the module has no host program (a func.func with "
                            "a fuse.outputs attribute); run "
                            "--convert-fuse-to-sched before emission");
  return success();
}

LogicalResult Collector::collectWeights() {
  llvm::MapVector<fuse::WeightOp, bool> used;
  WalkResult walk = model.main.walk([&](kernel::WeightOp op) {
    auto weight =
        symbols.lookupNearestSymbolFrom<fuse::WeightOp>(op, op.getWeightAttr());
    if (!weight) {
      op.emitOpError("refers to ")
          << op.getWeightAttr() << ", which is no fuse.weight";
      return WalkResult::interrupt();
    }
    if (weight.getBytes().empty() &&
        weight.getTensorType().getNumElements() != 0) {
      weight.emitOpError("has no data: its resource is not in the text");
      return WalkResult::interrupt();
    }
    used.insert({weight, true});
    return WalkResult::advance();
  });
  if (walk.wasInterrupted())
    return failure();
  Names weightNames;
  uint64_t offset = sizeof(fusec_weights_header);
  for (auto [weight, unused] : used) {
    ArrayRef<char> bytes = weight.getBytes();
    offset = llvm::alignTo(offset, FUSEC_ALIGNMENT);
    model.weights.push_back(
        {weight, weightNames.declare(weight.getSymName(), "weight"), offset});
    offset += bytes.size();
  }
  if (!used.empty()) {
    model.weightsBytes = llvm::alignTo(offset, FUSEC_ALIGNMENT);
    model.weightsBegin = model.weights.front().offset;
    model.weightsEnd = model.weightsBytes;
  }
  return success();
}

static std::string textOf(Operation *op, StringRef name) {
  auto text = op->getAttrOfType<StringAttr>(name);
  return text ? text.str() : "";
}

/// The product of the trips of the loops that are mapped to blocks.
static uint64_t countBlocks(kernel::FuncOp func) {
  uint64_t blocks = 1;
  func.walk([&](kernel::ForOp loop) {
    if (loop.getMapping() == kernel::Mapping::block)
      blocks *= *loop.getConstantTripCount();
  });
  return blocks;
}

void Collector::fillGroup(GroupInfo &group, kernel::FuncOp launched) {
  for (kernel::FuncOp func : funcsOfGroup[launched.getGroup()]) {
    VariantInfo variant;
    variant.name = func.getVariant().str();
    variant.isa = func.getIsa().value_or("").str();
    variant.func = func;
    // The default stands first, the others in the module's order.
    group.variants.insert(func == launched ? group.variants.begin()
                                           : group.variants.end(),
                          variant);
  }
  nameVariants(group, names);
  for (VariantInfo &variant : group.variants) {
    variant.proposer = textOf(variant.func, "proposer");
    variant.schedule = textOf(variant.func, "schedule");
    variant.hash = textOf(variant.func, kernel::kHashAttr);
    variant.choice = textOf(variant.func, kernel::kChoiceAttr);
    if (auto selected =
            variant.func->getAttrOfType<DictionaryAttr>(kernel::kSelectedAttr))
      for (NamedAttribute entry : selected)
        variant.selected[entry.getName().str()] =
            cast<DenseI64ArrayAttr>(entry.getValue()).asArrayRef().vec();
    if (auto bytes =
            variant.func->getAttrOfType<IntegerAttr>("workspace_bytes"))
      variant.workspaceBytes = bytes.getInt();
    if (auto bytes = variant.func->getAttrOfType<IntegerAttr>("zeroed_bytes"))
      variant.zeroedBytes = bytes.getInt();
    if (variant.func.getThreads()) {
      variant.block = *variant.func.getThreads();
      variant.grid = countBlocks(variant.func);
      variant.sharedBytes = kernel::countRequestedBytes(variant.func);
    }
  }
  kernel::FuncOp first = group.variants.front().func;
  group.key = textOf(first, "key");
  if (auto points = first->getAttrOfType<IntegerAttr>(kernel::kPointsAttr))
    group.points = points.getInt();
  Names parameters;
  for (BlockArgument argument : first.getArguments()) {
    unsigned number = argument.getArgNumber();
    unsigned outputs = first.getNumInputs() + first.getNumOutputs();
    group.parameters.push_back(parameters.declare(
        arrayName(argument.getLoc()), number < first.getNumInputs() ? "x"
                                      : number < outputs            ? "y"
                                                         : "scratch"));
  }
  for (StringRef node : collectNames(first.getLoc()))
    group.nodes.push_back(node.str());
}

FailureOr<unsigned> Collector::groupOf(kernel::LaunchOp launch) {
  auto func = symbols.lookupNearestSymbolFrom<kernel::FuncOp>(
      launch, launch.getKernelAttr());
  if (!func)
    return launch.emitOpError("runs ")
           << launch.getKernelAttr()
           << ", which is no kernel.func; schedules must be converted before "
              "emission";
  auto [found, isNew] =
      groupNumbers.try_emplace(func.getGroup(), model.groups.size());
  if (isNew) {
    GroupInfo group;
    group.identifier = names.declare(func.getGroup(), "group");
    fillGroup(group, func);
    model.groups.push_back(std::move(group));
  }
  return found->second;
}

/// The groups in the program's order, those of alternatives by the names of
/// their algorithms: files of kernels must not change with which one is the
/// default.
LogicalResult Collector::collectGroups(Region &region) {
  for (Block &block : region)
    for (Operation &op : block) {
      if (auto launch = dyn_cast<kernel::LaunchOp>(op))
        if (failed(groupOf(launch)))
          return failure();
      SmallVector<std::pair<StringRef, Region *>> regions;
      for (Region &inner : op.getRegions())
        regions.emplace_back("", &inner);
      if (auto choice = dyn_cast<kernel::ChoiceOp>(op)) {
        for (auto [entry, algorithm] : llvm::zip(
                 regions, choice.getAlgorithms().getAsValueRange<StringAttr>()))
          entry.first = algorithm;
        llvm::sort(regions, llvm::less_first());
      }
      for (auto [algorithm, inner] : regions)
        if (failed(collectGroups(*inner)))
          return failure();
    }
  return success();
}

LogicalResult Collector::collectLaunches() {
  if (failed(collectGroups(model.main.getBody())))
    return failure();
  SmallVector<kernel::LaunchOp> launches;
  model.main.walk([&](kernel::LaunchOp launch) { launches.push_back(launch); });
  for (kernel::LaunchOp launch : launches) {
    FailureOr<unsigned> group = groupOf(launch);
    if (failed(group))
      return failure();
    model.launches.push_back(
        {launch, *group,
         stepNames.declare(model.groups[*group].identifier, "launch")});
  }
  for (GroupInfo &group : model.groups) {
    for (const InstructionSet *set : getTargetInfo(module).sets)
      if (llvm::none_of(group.variants, [&](const VariantInfo &variant) {
            return variant.isa.empty() || variant.isa == set->name;
          }))
        return group.variants.front().func.emitOpError(
                   "is of a group that has no variant for ")
               << set->name << ", which the target has tiles for";
    for (VariantInfo &variant : group.variants)
      if (variant.func.getArgumentTypes() !=
          group.variants.front().func.getArgumentTypes())
        return variant.func.emitOpError("takes other operands than ")
               << group.variants.front().func.getSymName()
               << ", the default variant of its group";
  }
  return success();
}

library::Call describeCall(kernel::CallOp op) {
  return {op.getInputs().getTypes(), op.getOutputs().getTypes(),
          op.getParameters()};
}

StringRef CallInfo::getHeader() const {
  return launchesKernels ? "fusec/op_launch.h" : StringRef(routine->cpu.header);
}

/// The one that `op` is in, or null.
AlternativeInfo *Collector::findAlternative(Operation *op) {
  for (ChoiceInfo &choice : model.choices)
    for (auto [region, alternative] :
         llvm::zip(choice.op.getAlternatives(), choice.alternatives))
      if (region.isAncestor(op->getParentRegion()))
        return &alternative;
  return nullptr;
}

void Collector::collectCalls() {
  model.main.walk([&](kernel::CallOp op) {
    CallInfo call{op, library::find(op.getCallee()), {}, {}, 0};
    call.identifier =
        stepNames.declare(firstName(op.getLoc()), call.routine->name, "_call");
    for (StringRef node : collectNames(op.getLoc()))
      call.nodes.push_back(node.str());
    call.workspaceBytes = call.routine->workspaceBytes(describeCall(op));
    if (library::isDeclared(op.getCallee())) {
      call.declared = cast<fuse::OperatorOp>(
          SymbolTable::lookupNearestSymbolFrom(op, op.getCalleeAttr()));
      call.site = stepNames.declare(call.identifier, "call", "_site");
      call.launchesKernels = library::launchesKernels(op.getParameters());
    }
    if (AlternativeInfo *around = findAlternative(op))
      around->calls.push_back(model.calls.size());
    model.calls.push_back(std::move(call));
  });
}

void Collector::collectChoices() {
  model.main.walk([&](kernel::ChoiceOp op) {
    ChoiceInfo choice{op,
                      stepNames.declare(op.getSymName(), "choice"),
                      textOf(op, "key"),
                      {}};
    auto hashes = op->getAttrOfType<ArrayAttr>(kernel::kHashAttr);
    for (auto [number, name] :
         llvm::enumerate(op.getAlgorithms().getAsValueRange<StringAttr>())) {
      AlternativeInfo alternative;
      alternative.name = name.str();
      alternative.identifier =
          stepNames.declare(choice.identifier, "choice", "_" + name.str());
      if (hashes)
        alternative.hash = cast<StringAttr>(hashes[number]).str();
      choice.alternatives.push_back(std::move(alternative));
    }
    model.choices.push_back(std::move(choice));
  });
  for (auto [number, launch] : llvm::enumerate(model.launches))
    if (AlternativeInfo *around = findAlternative(launch.op))
      around->launches.push_back(number);
}

LogicalResult Collector::collectBuffers() {
  WalkResult walk = model.main.walk([&](kernel::BufferOp buffer) {
    if (!buffer.getOffset()) {
      buffer.emitOpError("has no place in the arena; run --model-plan-memory "
                         "before emission");
      return WalkResult::interrupt();
    }
    uint64_t bytes = llvm::alignTo(byteSize(cast<MemRefType>(buffer.getType())),
                                   FUSEC_ALIGNMENT);
    AlternativeInfo *around = findAlternative(buffer);
    const bool isOnHost = kernel::isOnHost(buffer.getType());
    uint64_t &arena = isOnHost ? model.hostArenaBytes
                      : around ? around->arenaBytes
                               : model.arenaBytes;
    arena = std::max<uint64_t>(arena, *buffer.getOffset() + bytes);
    if (around && !isOnHost)
      around->workspaceBytes += bytes;
    return WalkResult::advance();
  });
  return failure(walk.wasInterrupted());
}

/// The model's name is that of files, of a namespace around all others and of a
/// CMake target.
static std::string modelIdentifier(StringRef name, Names &names) {
  std::string identifier = names.declare(name, "model");
  static constexpr llvm::StringLiteral targets[] = {
      "all",     "ALL_BUILD",  "help",          "install", "clean", "test",
      "package", "edit_cache", "rebuild_cache", "depend",  "m",     "c",
      "dl",      "rt",         "pthread"};
  const bool isTaken =
      llvm::is_contained(targets, identifier) || isLibraryFunction(identifier);
  return isTaken ? identifier + "_model" : identifier;
}

FailureOr<ModelInfo> Collector::run() {
  model.name = module.getSymName().value_or("model").str();
  model.identifier = model.interface = model.files =
      modelIdentifier(model.name, names);
  model.target = &getTargetInfo(module);
  FailureOr<std::vector<ExtentInfo>> extents = collectExtents(module);
  if (failed(extents))
    return failure();
  model.extents = std::move(*extents);
  if (failed(findMain()) || failed(collectTensors(model)) ||
      failed(collectWeights()) || failed(collectLaunches()))
    return failure();
  collectChoices();
  if (failed(collectBuffers()))
    return failure();
  collectCalls();
  findAliases(model);
  if (auto version =
          module->getAttrOfType<IntegerAttr>(kernel::kAlgorithmsAttr))
    model.algorithms = version.getInt();
  return std::move(model);
}

FailureOr<ModelInfo> collectModel(ModuleOp module) {
  return Collector(module).run();
}

} // namespace fusec::codegen
