// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "codegen/Aliases.h"

using namespace mlir;

namespace fusec::codegen {

/// The memory that `value` is all of, under another shape or its own; `value`
/// where it is a part.
static Value findWhole(Value value) {
  auto view = value.getDefiningOp<kernel::ViewOp>();
  while (view && !view.getIndex() && view.getStart() == 0 &&
         byteSize(view.getType()) ==
             byteSize(cast<MemRefType>(view.getSource().getType()))) {
    value = view.getSource();
    view = value.getDefiningOp<kernel::ViewOp>();
  }
  return value;
}

namespace {
/// The uses of an argument, under its own name and that of views.
struct Uses {
  SmallVector<OpOperand *> all;
  /// Whether a loop makes it one memory with others.
  bool areSwapped = false;

  explicit Uses(Value argument) { add(argument); }

private:
  void add(Value value) {
    for (OpOperand &use : value.getUses()) {
      if (auto view = dyn_cast<kernel::ViewOp>(use.getOwner())) {
        add(view.getResult());
        continue;
      }
      areSwapped |= isa<kernel::RepeatOp>(use.getOwner());
      all.push_back(&use);
    }
  }
};
} // namespace

/// The operand of `op` from which it makes the first bytes of `output`, which
/// may be the same memory: what it leaves as it was is not copied then.
static OpOperand *findUpdated(Operation *op, Value output) {
  if (auto copy = dyn_cast<kernel::CopyOp>(op))
    return findWhole(copy.getTarget()) == output ? &copy.getSourceMutable()
                                                 : nullptr;
  auto call = dyn_cast<kernel::CallOp>(op);
  if (!call || !library::find(call.getCallee())->updatesFirst ||
      findWhole(call.getOutputs().front()) != output)
    return nullptr;
  return &call.getInputsMutable()[0];
}

namespace {
/// How a result may be made where an operand lies.
enum class Sharing {
  No,
  Update, ///< it is the operand, changed
  Behind  ///< it is written once nothing reads the operand any more
};
} // namespace

static Sharing findSharing(func::FuncOp main, Value input, Value output) {
  if (input.getType() != output.getType())
    return Sharing::No;
  Block &body = main.getBody().front();
  Uses reads(input), writes(output);
  if (reads.areSwapped || writes.areSwapped || writes.all.empty())
    return Sharing::No;
  // The operation of the program, in its order, that a use is in.
  auto getStep = [&](OpOperand *use) {
    return body.findAncestorOpInBlock(*use->getOwner());
  };
  Operation *first = getStep(writes.all.front());
  for (OpOperand *use : writes.all)
    if (getStep(use)->isBeforeInBlock(first))
      first = getStep(use);
  OpOperand *updated = findUpdated(first, output);
  if (updated && findWhole(updated->get()) != input)
    updated = nullptr;
  for (OpOperand *use : reads.all)
    if (use != updated && !getStep(use)->isBeforeInBlock(first))
      return Sharing::No;
  return updated ? Sharing::Update : Sharing::Behind;
}

void findAliases(ModelInfo &model) {
  for (StateInfo &state : model.states)
    state.isInPlace = findSharing(model.main, state.past.argument,
                                  state.present.argument) != Sharing::No;
  for (auto [number, input] : llvm::enumerate(model.inputs))
    for (TensorInfo &output : model.outputs)
      if (output.alias < 0 && findSharing(model.main, input.argument,
                                          output.argument) == Sharing::Update) {
        output.alias = int(number);
        break; // what shares an input is no other's
      }
}

bool isWithinAlias(const ModelInfo &model, kernel::CopyOp copy) {
  Value from = findWhole(copy.getSource()), to = findWhole(copy.getTarget());
  for (const StateInfo &state : model.states)
    if (state.isInPlace && state.past.argument == from &&
        state.present.argument == to)
      return true;
  return llvm::any_of(model.outputs, [&](const TensorInfo &output) {
    return output.alias >= 0 && output.argument == to &&
           model.inputs[output.alias].argument == from;
  });
}

} // namespace fusec::codegen
