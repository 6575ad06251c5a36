// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Siblings.h"

#include "compiler/Driver.h"
#include "passes/graph/Passes.h"

#include "mlir/Pass/PassManager.h"

using namespace mlir;

namespace fusec {

func::FuncOp Siblings::expand(ModuleOp module) {
  PassManager passes(&context, ModuleOp::getOperationName());
  fuse::ExpandCompositesOptions expand;
  expand.precision = options.precision;
  passes.addPass(fuse::createExpandComposites(expand));
  if (failed(passes.run(module)))
    return nullptr;
  auto main = module.lookupSymbol<func::FuncOp>("main");
  if (!repetitions)
    repetitions = padding::findRepetitions(main);
  padding::repeat(main, *repetitions);
  return main;
}

func::FuncOp Siblings::expand(OwningOpRef<ModuleOp> module) {
  held.push_back(std::move(module));
  return expand(*held.back());
}

func::FuncOp Siblings::import(const CompileOptions &other,
                              const std::string &what) {
  ImportResult result = importModel(other, context);
  if (result.module && result.problems.empty())
    return expand(std::move(result.module));
  Problem problem =
      result.problems.empty() ? Problem() : result.problems.front();
  problem.file = options.input;
  problem.reason = what + ": " + problem.reason;
  problems.push_back(std::move(problem));
  return nullptr;
}

void Siblings::refuse(const padding::Mixing &mixing, const std::string &reason,
                      std::string hint) {
  auto name = mixing.op->getLoc()->findInstanceOf<NameLoc>();
  Problem problem;
  problem.kind = ProblemKind::Unsupported;
  problem.file = options.input;
  problem.node = name ? name.getName().str() : "";
  problem.reason = reason + ": it " + mixing.reason;
  problem.hint = std::move(hint);
  problems.push_back(std::move(problem));
}

} // namespace fusec
