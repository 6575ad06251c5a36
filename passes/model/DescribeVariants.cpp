// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// --model-describe-variants: see Passes.td.
#include "dialects/library/Declared.h"
#include "passes/lock/GroupKey.h"
#include "passes/lock/Lock.h"
#include "passes/model/Passes.h"

#include "mlir/IR/OwningOpRef.h"
#include "llvm/ADT/SetVector.h"

namespace fusec::model {
#define GEN_PASS_DEF_DESCRIBEVARIANTS
#include "passes/model/Passes.h.inc"
} // namespace fusec::model

using namespace mlir;
using namespace fusec;

namespace {
struct DescribeVariants
    : fusec::model::impl::DescribeVariantsBase<DescribeVariants> {
  using Base::Base;
  void runOnOperation() override;
};
} // namespace

/// Leaves `func` the arguments that its body uses, in the order of their first
/// use: variants beside it that want weights stored otherwise have more.
static void keepUsedArguments(kernel::FuncOp func) {
  llvm::SetVector<BlockArgument> used;
  Block &body = func.getBody().front();
  func.walk([&](Operation *op) {
    for (Value operand : op->getOperands())
      if (auto argument = dyn_cast<BlockArgument>(operand);
          argument && argument.getOwner() == &body)
        used.insert(argument);
  });
  unsigned before = body.getNumArguments();
  SmallVector<Type> types;
  for (BlockArgument argument : used) {
    types.push_back(argument.getType());
    argument.replaceAllUsesWith(
        body.addArgument(argument.getType(), argument.getLoc()));
  }
  body.eraseArguments(0, before);
  func.setFunctionType(FunctionType::get(func.getContext(), types, {}));
  func.removeArgAttrsAttr();
  func.setNumInputs(0);
  func.setNumOutputs(0);
}

/// The names of values are those of their locations.
static void removeNames(kernel::FuncOp func) {
  Location none = UnknownLoc::get(func.getContext());
  func->walk([&](Operation *op) {
    op->setLoc(none);
    for (Region &region : op->getRegions())
      for (BlockArgument argument : region.getArguments())
        argument.setLoc(none);
  });
  func.setSymName("");
  func.setGroup("");
  func.setVariant("");
  func.removeIsaAttr();
}

/// The same in each model, under each name, and whichever variants of its group
/// there are beside it. It is of what the text of a stage says: an operation
/// that was read from there may hold the same in another way.
static std::string hash(kernel::FuncOp func) {
  OwningOpRef<kernel::FuncOp> copy(func.clone());
  keepUsedArguments(*copy);
  removeNames(*copy);
  for (StringRef name :
       {StringRef(lock::kKeyAttr), StringRef(lock::kLockedAttr),
        StringRef(kernel::kConfigAttr), StringRef(kernel::kHashAttr),
        StringRef(kernel::kChoiceAttr), StringRef(kernel::kPointsAttr),
        StringRef(kernel::kSelectedAttr), StringRef("proposer"),
        StringRef("schedule"), StringRef("serial")})
    (*copy)->removeAttr(name);
  std::string text;
  llvm::raw_string_ostream os(text);
  (*copy)->print(os, OpPrintingFlags().useLocalScope().assumeVerified());
  return lock::hash(text);
}

/// Of an alternative: its name, the kernels that it launches by default, and
/// what it calls.
static std::string hash(Region &alternative, StringRef algorithm,
                        const SymbolTable &symbols) {
  std::string text = algorithm.str();
  alternative.walk([&](kernel::LaunchOp launch) {
    if (auto func = symbols.lookup<kernel::FuncOp>(launch.getKernel()))
      if (auto known = func->getAttrOfType<StringAttr>(kernel::kHashAttr))
        text += "\n" + known.str();
  });
  llvm::raw_string_ostream os(text);
  alternative.walk([&](kernel::CallOp call) {
    os << "\n"
       << call.getCallee() << call.getParameters()
       << library::getDeclaredHash(call, call.getCalleeAttr());
    for (Type type : call->getOperandTypes())
      os << " " << type;
  });
  return lock::hash(text);
}

/// What a line of a fusec.lock says of a variant, behind the key of its group.
static std::string describe(kernel::FuncOp func) {
  StringRef proposer = func->getAttrOfType<StringAttr>("proposer");
  auto config = func->getAttrOfType<sched::ConfigAttr>(kernel::kConfigAttr);
  std::string text;
  llvm::raw_string_ostream(text)
      << "proposer=" << proposer
      << " variant=default config=" << config.withName("default");
  return text;
}

void DescribeVariants::runOnOperation() {
  Builder builder(&getContext());
  for (auto func : getOperation().getOps<kernel::FuncOp>()) {
    if (!func->hasAttr(kernel::kConfigAttr)) {
      if (remarks)
        func.emitRemark("is not described: it was made of no config");
      continue;
    }
    if (!func->hasAttr("proposer")) {
      func.emitOpError("has a config and no 'proposer', without which no lock "
                       "can name it");
      return signalPassFailure();
    }
    func->setAttr(kernel::kHashAttr, builder.getStringAttr(hash(func)));
    if (func.getVariant() != "naive")
      func->setAttr(kernel::kChoiceAttr, builder.getStringAttr(describe(func)));
    ++numVariants;
  }
  SymbolTable symbols(getOperation());
  getOperation().walk([&](kernel::ChoiceOp choice) {
    SmallVector<std::string> hashes;
    for (auto [region, algorithm] :
         llvm::zip(choice.getAlternatives(),
                   choice.getAlgorithms().getAsValueRange<StringAttr>()))
      hashes.push_back(hash(region, algorithm, symbols));
    choice->setAttr(kernel::kHashAttr,
                    builder.getStrArrayAttr(
                        SmallVector<StringRef>(hashes.begin(), hashes.end())));
  });
  getOperation()->setAttr(kernel::kAlgorithmsAttr,
                          builder.getI64IntegerAttr(lock::kAlgorithmSet));
}
