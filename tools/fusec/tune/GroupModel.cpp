// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/fusec/tune/GroupModel.h"

#include "codegen/Names.h"
#include "compiler/Driver.h"
#include "compiler/SharedWeights.h"
#include "dialects/TargetInfo.h"
#include "dialects/fuse/FuseOps.h"
#include "dialects/kernel/Choices.h"
#include "dialects/kernel/KernelOps.h"
#include "dialects/library/Declared.h"
#include "passes/lock/GroupKey.h"
#include "passes/lock/Lock.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Transforms/RegionUtils.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"

using namespace mlir;

namespace fusec::tool {

/// Whether a lock says what is taken of it. What the command line decides is no
/// choice any more.
static bool isDecided(kernel::ChoiceOp choice) {
  auto function = choice->getParentOfType<func::FuncOp>();
  auto all = function->getAttrOfType<ArrayAttr>(kChoicesAttr);
  if (!all)
    return true; // of a text that was written by hand
  for (auto taken : all.getAsRange<DictionaryAttr>())
    if (taken.get("name") == choice.getSymNameAttr() &&
        taken.get(lock::kKeyAttr) == choice->getAttr(lock::kKeyAttr)) {
      auto reason = taken.getAs<StringAttr>("reason");
      return !reason || reason == "locked";
    }
  return true;
}

/// The outermost choices of `module` that somebody has to decide.
static std::vector<kernel::ChoiceOp> findOpenChoices(ModuleOp module) {
  std::vector<kernel::ChoiceOp> choices;
  module->walk<WalkOrder::PreOrder>([&](kernel::ChoiceOp choice) {
    if (!isDecided(choice))
      choices.push_back(choice);
    return WalkResult::skip();
  });
  return choices;
}

std::vector<TunedGroup> listGroups(ModuleOp module, llvm::StringRef target) {
  lock::GroupKeys keys(target);
  llvm::DenseSet<StringAttr> taken = lock::getLaunched(module), open, outside;
  for (kernel::ChoiceOp choice : findOpenChoices(module))
    choice->walk([&](kernel::LaunchOp launch) {
      open.insert(launch.getKernelAttr().getAttr());
    });
  module->walk<WalkOrder::PreOrder>([&](Operation *op) {
    if (auto launch = dyn_cast<kernel::LaunchOp>(op))
      outside.insert(launch.getKernelAttr().getAttr());
    return isa<kernel::ChoiceOp>(op) ? WalkResult::skip()
                                     : WalkResult::advance();
  });
  std::vector<TunedGroup> groups;
  llvm::StringMap<size_t> known;
  for (auto scop : module.getOps<sched::ScopOp>()) {
    StringAttr name = scop.getSymNameAttr();
    const bool isChild = open.contains(name) && !outside.contains(name);
    if (!taken.empty() && !taken.contains(name) && !isChild)
      continue;
    std::string key = keys.get(scop);
    auto [place, isNew] = known.try_emplace(key, groups.size());
    if (isNew)
      groups.push_back({key, name.str(), scop, {}, isChild});
    groups[place->second].isChild &= isChild;
  }
  return groups;
}

static TunedGroup makeChoice(kernel::ChoiceOp choice,
                             const lock::GroupKeys &keys,
                             const SymbolTable &symbols) {
  TunedGroup group;
  group.key = choice->getAttrOfType<StringAttr>(lock::kKeyAttr).str();
  group.name = choice.getSymName().str();
  group.choice = choice;
  group.isOfKernels =
      !choice->walk([](kernel::CallOp) { return WalkResult::interrupt(); })
           .wasInterrupted();
  for (auto [region, algorithm] :
       llvm::zip(choice.getAlternatives(),
                 choice.getAlgorithms().getAsValueRange<StringAttr>())) {
    TunedAlternative &alternative = group.alternatives.emplace_back();
    alternative.algorithm = algorithm.str();
    region.walk([&](kernel::LaunchOp launch) {
      if (auto scop = symbols.lookup<sched::ScopOp>(launch.getKernel()))
        alternative.groups.insert(keys.get(scop));
    });
  }
  return group;
}

std::vector<TunedGroup> listChoices(ModuleOp module, llvm::StringRef target) {
  lock::GroupKeys keys(target);
  SymbolTable symbols(module);
  std::vector<TunedGroup> choices;
  llvm::StringSet<> known;
  for (kernel::ChoiceOp choice : findOpenChoices(module)) {
    auto key = choice->getAttrOfType<StringAttr>(lock::kKeyAttr);
    if (key && known.insert(key).second)
      choices.push_back(makeChoice(choice, keys, symbols));
  }
  return choices;
}

/// "8x32xf32, 48xf32".
static void printShapes(ValueRange values, llvm::raw_ostream &os) {
  llvm::interleaveComma(values, os, [&](Value value) {
    auto type = cast<MemRefType>(value.getType());
    for (int64_t extent : type.getShape())
      os << extent << 'x';
    os << type.getElementType();
  });
}

std::vector<std::string> listNodes(const TunedGroup &group) {
  sched::ScopOp scop = group.scop;
  kernel::ChoiceOp choice = group.choice;
  auto names = codegen::collectNames(choice ? choice.getLoc() : scop.getLoc());
  return {names.begin(), names.end()};
}

std::string describeOperands(const TunedGroup &group) {
  sched::ScopOp scop = group.scop;
  if (kernel::ChoiceOp choice = group.choice)
    return llvm::join(choice.getAlgorithms().getAsValueRange<StringAttr>(),
                      " or ");
  std::string text;
  llvm::raw_string_ostream os(text);
  printShapes(scop.getInputs(), os);
  os << " -> ";
  printShapes(scop.getOutputs(), os);
  return text;
}

std::string describeGroup(const TunedGroup &group) {
  std::string nodes = llvm::join(listNodes(group), ", ");
  return (group.isChoice() ? "choice " : "group ") + group.name + " (" + nodes +
         (nodes.empty() ? "" : "; ") + describeOperands(group) + ")";
}

namespace {
/// Makes the host program of a group's model.
class HostBuilder {
public:
  HostBuilder(Operation *part, ModuleOp to)
      : from(part->getParentOfType<ModuleOp>()), to(to),
        builder(OpBuilder::atBlockEnd(to.getBody())) {}

  void build(sched::ScopOp scop);
  /// Says why there is none; empty: there is.
  std::string build(kernel::ChoiceOp choice);

private:
  /// The first launch of the group in its model.
  kernel::LaunchOp findLaunch(sched::ScopOp scop);
  void begin(Location loc, size_t outputs);
  void end(Location loc) { func::ReturnOp::create(builder, loc); }
  /// Clones what makes `operand` of a weight alone, of which this is the copy
  /// of that name; null if it is none of one.
  Value cloneWeight(Value operand, llvm::StringRef copy = "");
  FlatSymbolRefAttr cloneData(FlatSymbolRefAttr weight, llvm::StringRef copy);
  Value addArgument(Value of, llvm::StringRef name);
  void fill(Region &alternative, Region &from, llvm::StringRef algorithm,
            const IRMapping &arguments, ArrayRef<Value> weights);

  ModuleOp from, to;
  OpBuilder builder;
  func::FuncOp main;
};
} // namespace

kernel::LaunchOp HostBuilder::findLaunch(sched::ScopOp scop) {
  kernel::LaunchOp found;
  from.walk([&](kernel::LaunchOp launch) {
    if (launch.getKernel() != scop.getSymName())
      return WalkResult::advance();
    found = launch;
    return WalkResult::interrupt();
  });
  return found;
}

FlatSymbolRefAttr HostBuilder::cloneData(FlatSymbolRefAttr weight,
                                         llvm::StringRef copy) {
  std::string name = weight.getValue().str();
  if (!copy.empty())
    name += ("_" + copy).str();
  if (!to.lookupSymbol(name)) {
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(to.getBody());
    auto data = cast<fuse::WeightOp>(builder.clone(*from.lookupSymbol(weight)));
    data.setSymName(name);
    lendBytes(data);
  }
  return FlatSymbolRefAttr::get(to.getContext(), name);
}

Value HostBuilder::cloneWeight(Value operand, llvm::StringRef copy) {
  if (auto view = operand.getDefiningOp<kernel::ViewOp>();
      view && !view.getIndex()) {
    Value source = cloneWeight(view.getSource(), copy);
    if (!source)
      return {};
    IRMapping mapping;
    mapping.map(view.getSource(), source);
    return builder.clone(*view, mapping)->getResult(0);
  }
  auto get = operand.getDefiningOp<kernel::WeightOp>();
  if (!get)
    return {};
  FlatSymbolRefAttr data = cloneData(get.getWeightAttr(), copy);
  auto own = cast<kernel::WeightOp>(builder.clone(*get));
  own.setWeightAttr(data);
  return own.getResult();
}

void HostBuilder::begin(Location loc, size_t outputs) {
  main = func::FuncOp::create(builder, loc, "main",
                              builder.getFunctionType({}, {}));
  main->setAttr("fuse.outputs", builder.getI64IntegerAttr(int64_t(outputs)));
  builder.setInsertionPointToStart(main.addEntryBlock());
}

Value HostBuilder::addArgument(Value of, llvm::StringRef name) {
  unsigned number = main.getNumArguments();
  (void)main.insertArgument(number, of.getType(), {}, of.getLoc());
  main.setArgAttr(number, "fuse.name", builder.getStringAttr(name));
  return main.getArgument(number);
}

void HostBuilder::build(sched::ScopOp scop) {
  kernel::LaunchOp launch = findLaunch(scop);
  begin(scop.getLoc(), scop.getNumOutputs());
  SmallVector<Value> operands;
  unsigned position = 0;
  for (Value input : scop.getInputs()) {
    Value weight =
        launch ? cloneWeight(launch.getOperands()[position]) : Value();
    operands.push_back(
        weight ? weight : addArgument(input, scop.getArrayNames()[position]));
    ++position;
  }
  for (Value output : scop.getOutputs())
    operands.push_back(addArgument(output, scop.getArrayNames()[position++]));
  kernel::LaunchOp::create(builder, scop.getLoc(), scop.getSymName(), operands);
  end(scop.getLoc());
}

/// The memory that `op` writes.
static SmallVector<Value> findWritten(Operation *op, ModuleOp module) {
  if (auto launch = dyn_cast<kernel::LaunchOp>(op)) {
    auto scop = module.lookupSymbol<sched::ScopOp>(launch.getKernelAttr());
    return SmallVector<Value>(
        launch.getOperands().slice(scop.getNumInputs(), scop.getNumOutputs()));
  }
  if (auto call = dyn_cast<kernel::CallOp>(op))
    return SmallVector<Value>(call.getOutputs());
  if (auto repeat = dyn_cast<kernel::RepeatOp>(op))
    return SmallVector<Value>(repeat.getSwaps());
  SmallVector<Value> written;
  if (auto effects = dyn_cast<MemoryEffectOpInterface>(op)) {
    SmallVector<MemoryEffects::EffectInstance> all;
    effects.getEffects(all);
    for (const MemoryEffects::EffectInstance &effect : all)
      if (isa<MemoryEffects::Write>(effect.getEffect()) && effect.getValue())
        written.push_back(effect.getValue());
  }
  return written;
}

/// What of `around`, the values that `choice` has from outside, it writes.
static llvm::DenseSet<Value> findWritten(kernel::ChoiceOp choice,
                                         const llvm::SetVector<Value> &around) {
  llvm::DenseSet<Value> written;
  auto module = choice->getParentOfType<ModuleOp>();
  choice->walk([&](Operation *op) {
    if (op == choice)
      return;
    for (Value value : findWritten(op, module)) {
      while (auto view = around.contains(value)
                             ? kernel::ViewOp()
                             : value.getDefiningOp<kernel::ViewOp>())
        value = view.getSource();
      if (around.contains(value))
        written.insert(value);
    }
  });
  return written;
}

void HostBuilder::fill(Region &alternative, Region &region,
                       llvm::StringRef algorithm, const IRMapping &arguments,
                       ArrayRef<Value> weights) {
  IRMapping mapping(arguments);
  for (Value weight : weights)
    mapping.map(weight, cloneWeight(weight, algorithm));
  region.cloneInto(&alternative, mapping);
  alternative.walk([&](kernel::WeightOp weight) {
    weight.setWeightAttr(cloneData(weight.getWeightAttr(), algorithm));
  });
}

std::string HostBuilder::build(kernel::ChoiceOp choice) {
  llvm::SetVector<Value> around;
  getUsedValuesDefinedAbove(choice->getRegions(), around);
  llvm::DenseSet<Value> written = findWritten(choice, around);
  if (written.empty())
    return "it writes nothing that is read elsewhere";
  SmallVector<Value> weights, inputs, outputs;
  for (Value value : around) {
    if (kernel::getWeight(value)) {
      weights.push_back(value);
      continue;
    }
    auto type = dyn_cast<MemRefType>(value.getType());
    if (!type || !type.hasStaticShape())
      return "it depends on the iteration of a loop around it";
    (written.contains(value) ? outputs : inputs).push_back(value);
  }
  begin(choice.getLoc(), outputs.size());
  IRMapping arguments;
  for (const SmallVector<Value> *values : {&inputs, &outputs})
    for (Value value : *values)
      arguments.map(value, addArgument(value, (values == &inputs ? "x" : "y") +
                                                  std::to_string(
                                                      main.getNumArguments())));
  SmallVector<std::unique_ptr<Region>> alternatives;
  for (auto [region, algorithm] :
       llvm::zip(choice.getAlternatives(),
                 choice.getAlgorithms().getAsValueRange<StringAttr>()))
    fill(*alternatives.emplace_back(std::make_unique<Region>()), region,
         algorithm, arguments, weights);
  auto own = kernel::ChoiceOp::create(
      builder, choice.getLoc(), choice.getSymName(), choice.getAlgorithms(),
      unsigned(alternatives.size()));
  own->setDiscardableAttrs(choice->getDiscardableAttrDictionary());
  for (auto [to, region] : llvm::zip(own.getAlternatives(), alternatives))
    to.takeBody(*region);
  end(choice.getLoc());
  return "";
}

/// Clones the kernels that `choice` launches, in their order in the model.
static void cloneKernels(kernel::ChoiceOp choice, ModuleOp from, ModuleOp to) {
  llvm::DenseSet<StringAttr> launched;
  choice->walk([&](kernel::LaunchOp launch) {
    launched.insert(launch.getKernelAttr().getAttr());
  });
  OpBuilder builder = OpBuilder::atBlockEnd(to.getBody());
  for (auto scop : from.getOps<sched::ScopOp>())
    if (launched.contains(scop.getSymNameAttr()))
      builder.clone(*scop);
}

/// Declares the operators of users that the host program in `to` calls, and
/// those whose functions kernels call.
static void declareOperators(ModuleOp from, ModuleOp to) {
  OpBuilder builder = OpBuilder::atBlockBegin(to.getBody());
  auto declare = [&](llvm::StringRef name) {
    Operation *declared = from.lookupSymbol(name);
    if (declared && !to.lookupSymbol(name))
      builder.clone(*declared);
  };
  to.walk([&](kernel::ScalarOp op) { declare(op.getCallee()); });
  to.walk([&](kernel::CallOp op) {
    if (library::isDeclared(op.getCallee()))
      declare(op.getCallee());
  });
}

OwningOpRef<ModuleOp> makeGroupModel(const TunedGroup &group,
                                     std::string &refusal) {
  sched::ScopOp scop = group.scop;
  kernel::ChoiceOp choice = group.choice;
  Operation *part = choice ? choice.getOperation() : scop.getOperation();
  auto from = part->getParentOfType<ModuleOp>();
  OwningOpRef<ModuleOp> to =
      ModuleOp::create(part->getLoc(), llvm::StringRef("group"));
  for (llvm::StringRef name :
       {llvm::StringRef(kTargetAttr), llvm::StringRef(kStageAttr)})
    if (Attribute attribute = from->getAttr(name))
      (*to)->setAttr(name, attribute);
  if (choice) {
    cloneKernels(choice, from, *to);
    refusal = HostBuilder(choice, *to).build(choice);
    if (!refusal.empty())
      return nullptr;
  } else {
    OpBuilder::atBlockEnd(to->getBody()).clone(*scop);
    HostBuilder(scop, *to).build(scop);
  }
  declareOperators(from, *to);
  return to;
}

} // namespace fusec::tool
