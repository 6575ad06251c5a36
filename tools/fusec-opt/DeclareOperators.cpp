// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/fusec-opt/DeclareOperators.h"

#include "compiler/import/ops/Declared.h"
#include "dialects/fuse/FuseOps.h"
#include "dialects/kernel/KernelOps.h"
#include "dialects/library/Declared.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/IR/Verifier.h"
#include <set>

using namespace mlir;

namespace fusec {

/// What an operation calls, "acme.Swish"; "" where it calls no operator of a
/// user's. Nothing has verified it yet.
static StringRef getCallee(Operation *op) {
  if (!isa<fuse::CallOp, fuse::MapOp, kernel::CallOp, kernel::ScalarOp>(op))
    return "";
  Attribute callee = op->getAttr("callee");
  StringRef name;
  if (auto symbol = dyn_cast_if_present<FlatSymbolRefAttr>(callee))
    name = symbol.getValue();
  else if (auto text = dyn_cast_if_present<StringAttr>(callee))
    name = text;
  return library::isDeclared(name) ? name : "";
}

namespace {
struct DeclareOperators
    : PassWrapper<DeclareOperators, OperationPass<ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(DeclareOperators)

  explicit DeclareOperators(operators::OperatorSet &set) : set(&set) {}

  StringRef getArgument() const override { return "declare-operators"; }
  StringRef getDescription() const override {
    return "Declare the operators of --ops that a module calls";
  }
  void runOnOperation() override;

private:
  operators::OperatorSet *set;
};
} // namespace

void DeclareOperators::runOnOperation() {
  ModuleOp module = getOperation();
  std::set<std::string> missing;
  module.walk([&](Operation *op) {
    if (StringRef callee = getCallee(op);
        !callee.empty() && !SymbolTable::lookupSymbolIn(module, callee))
      missing.insert(callee.str());
  });
  auto builder = OpBuilder::atBlockBegin(module.getBody());
  for (const std::string &name : missing) {
    auto [domain, type] = StringRef(name).rsplit('.');
    if (auto found = set->find(domain, type, /*opset=*/INT64_MAX))
      declareOperator(builder, module.getLoc(), *found);
  }
  if (failed(verify(module)))
    signalPassFailure();
}

std::unique_ptr<Pass> createDeclareOperatorsPass(operators::OperatorSet &set) {
  return std::make_unique<DeclareOperators>(set);
}

} // namespace fusec
