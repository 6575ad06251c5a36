// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/fusec/tune/GroupModel.h"

#include "codegen/Names.h"
#include "compiler/Driver.h"
#include "dialects/TargetInfo.h"
#include "dialects/kernel/KernelOps.h"
#include "passes/lock/GroupKey.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/SymbolTable.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"

using namespace mlir;

namespace fusec::tool {

std::vector<TunedGroup> listGroups(ModuleOp module, llvm::StringRef target) {
  lock::GroupKeys keys(target);
  std::vector<TunedGroup> groups;
  llvm::StringSet<> known;
  for (auto scop : module.getOps<sched::ScopOp>()) {
    std::string key = keys.get(scop);
    if (known.insert(key).second)
      groups.push_back({key, scop.getSymName().str(), scop});
  }
  return groups;
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

std::string describeGroup(const TunedGroup &group) {
  std::string text;
  llvm::raw_string_ostream os(text);
  os << "group " << group.name << " (";
  sched::ScopOp scop = group.scop;
  if (auto nodes = codegen::collectNames(scop.getLoc()); !nodes.empty())
    os << llvm::join(nodes, ", ") << "; ";
  printShapes(scop.getInputs(), os);
  os << " -> ";
  printShapes(scop.getOutputs(), os);
  os << ")";
  return text;
}

namespace {
/// Makes the host program of a group's model.
class HostBuilder {
public:
  HostBuilder(sched::ScopOp scop, ModuleOp to)
      : scop(scop), from(scop->getParentOfType<ModuleOp>()), to(to),
        builder(OpBuilder::atBlockEnd(to.getBody())) {}

  void build();

private:
  /// The first launch of the group in its model.
  kernel::LaunchOp findLaunch();
  /// Clones what makes `operand` of a weight alone; null if it is none of one.
  Value cloneWeight(Value operand);
  Value addArgument(func::FuncOp main, Value of, unsigned position);

  sched::ScopOp scop;
  ModuleOp from, to;
  OpBuilder builder;
};
} // namespace

kernel::LaunchOp HostBuilder::findLaunch() {
  kernel::LaunchOp found;
  from.walk([&](kernel::LaunchOp launch) {
    if (launch.getKernel() != scop.getSymName())
      return WalkResult::advance();
    found = launch;
    return WalkResult::interrupt();
  });
  return found;
}

Value HostBuilder::cloneWeight(Value operand) {
  if (auto view = operand.getDefiningOp<kernel::ViewOp>()) {
    Value source = cloneWeight(view->getOperand(0));
    if (!source)
      return {};
    IRMapping mapping;
    mapping.map(view->getOperand(0), source);
    return builder.clone(*view, mapping)->getResult(0);
  }
  auto get = operand.getDefiningOp<kernel::WeightOp>();
  if (!get)
    return {};
  if (!to.lookupSymbol(get.getWeight())) {
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(to.getBody());
    builder.clone(*from.lookupSymbol(get.getWeight()));
  }
  return builder.clone(*get)->getResult(0);
}

Value HostBuilder::addArgument(func::FuncOp main, Value of, unsigned position) {
  unsigned number = main.getNumArguments();
  (void)main.insertArgument(number, of.getType(), {}, of.getLoc());
  main.setArgAttr(number, "fuse.name",
                  builder.getStringAttr(scop.getArrayNames()[position]));
  return main.getArgument(number);
}

void HostBuilder::build() {
  kernel::LaunchOp launch = findLaunch();
  auto main = func::FuncOp::create(builder, scop.getLoc(), "main",
                                   builder.getFunctionType({}, {}));
  main->setAttr("fuse.outputs",
                builder.getI64IntegerAttr(scop.getNumOutputs()));
  builder.setInsertionPointToStart(main.addEntryBlock());
  SmallVector<Value> operands;
  unsigned position = 0;
  for (Value input : scop.getInputs()) {
    Value weight =
        launch ? cloneWeight(launch.getOperands()[position]) : Value();
    operands.push_back(weight ? weight : addArgument(main, input, position));
    ++position;
  }
  for (Value output : scop.getOutputs())
    operands.push_back(addArgument(main, output, position++));
  kernel::LaunchOp::create(builder, scop.getLoc(), scop.getSymName(), operands);
  func::ReturnOp::create(builder, scop.getLoc());
}

OwningOpRef<ModuleOp> makeGroupModel(sched::ScopOp scop) {
  auto from = scop->getParentOfType<ModuleOp>();
  OwningOpRef<ModuleOp> to =
      ModuleOp::create(scop.getLoc(), llvm::StringRef("group"));
  for (llvm::StringRef name :
       {llvm::StringRef(kTargetAttr), llvm::StringRef(kStageAttr)})
    if (Attribute attribute = from->getAttr(name))
      (*to)->setAttr(name, attribute);
  OpBuilder::atBlockEnd(to->getBody()).clone(*scop);
  HostBuilder(scop, *to).build();
  return to;
}

} // namespace fusec::tool
