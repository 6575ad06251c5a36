// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Control flow of the host program.
#include "dialects/Alternatives.h"
#include "dialects/TargetInfo.h"
#include "dialects/kernel/KernelSyntax.h"
#include "dialects/library/Declared.h"

using namespace mlir;
using namespace fusec;
using namespace fusec::kernel;

/// Checks that `type` is a memref of rank 0 of integers of `width` bits, in any
/// memory.
static LogicalResult verifyScalar(Operation *op, Type type, unsigned width,
                                  StringRef what) {
  auto memref = dyn_cast<MemRefType>(type);
  Type expected =
      MemRefType::get({}, IntegerType::get(op->getContext(), width),
                      AffineMap(), memref ? memref.getMemorySpace() : nullptr);
  if (type == expected)
    return success();
  return op->emitOpError() << "has a " << what << " of type " << type
                           << ", expected " << expected;
}

void RepeatOp::getAsmBlockArgumentNames(Region &region,
                                        OpAsmSetValueNameFn setName) {
  syntax::printArgumentNames(region, setName);
}

LogicalResult RepeatOp::verify() {
  if (!getTrips() && !getCount() && !getCondition())
    return emitOpError("never ends: it has neither trips nor a count nor a "
                       "condition");
  if (getCount() &&
      failed(verifyScalar(*this, getCount().getType(), 64, "count")))
    return failure();
  if (getCondition() &&
      failed(verifyScalar(*this, getCondition().getType(), 1, "condition")))
    return failure();
  if (getSwaps().size() != 2 * getNumResults())
    return emitOpError() << "needs a pair of buffers per result, has "
                         << getSwaps().size() << " buffers and "
                         << getNumResults() << " results";
  SmallVector<Type> expected = {IndexType::get(getContext())};
  for (Value buffer : getSwaps()) {
    Type type = getResult((expected.size() - 1) / 2).getType();
    if (buffer.getType() != type)
      return emitOpError() << "swaps " << buffer.getType() << " but results in "
                           << type;
    expected.push_back(type);
  }
  if (TypeRange(getBody().getArgumentTypes()) != TypeRange(expected))
    return emitOpError("needs a body that takes the iteration and each buffer "
                       "that is swapped");
  return success();
}

LogicalResult BranchOp::verify() {
  return verifyScalar(*this, getCondition().getType(), 1, "condition");
}

/// Whether what `op` runs gives the same bits each time. Of kernels that are
/// not made yet nothing is known.
static bool givesSameBits(Operation *op) {
  if (auto call = dyn_cast<CallOp>(op))
    return library::isReproducible(call.getParameters());
  auto launch = dyn_cast<LaunchOp>(op);
  auto func = launch ? SymbolTable::lookupNearestSymbolFrom<FuncOp>(
                           launch, launch.getKernelAttr())
                     : FuncOp();
  return !func || func.isReproducible();
}

bool ChoiceOp::isReproducible(unsigned alternative) {
  return !getAlternatives()[alternative]
              .walk([](Operation *op) {
                return givesSameBits(op) ? WalkResult::advance()
                                         : WalkResult::interrupt();
              })
              .wasInterrupted();
}

std::optional<SmallVector<ChoiceSelection>>
fusec::kernel::readSelections(Attribute said) {
  SmallVector<ChoiceSelection> selections;
  auto all = dyn_cast_or_null<ArrayAttr>(said);
  if (said && !all)
    return std::nullopt;
  for (Attribute one : all ? all.getValue() : ArrayRef<Attribute>()) {
    auto entry = dyn_cast<DictionaryAttr>(one);
    auto algorithm = entry ? entry.getAs<StringAttr>("algorithm") : nullptr;
    auto isa = entry ? entry.getAs<StringAttr>("isa") : nullptr;
    auto threads = entry ? entry.getAs<IntegerAttr>("threads") : nullptr;
    if (!algorithm || !isa || !threads ||
        !threads.getType().isSignlessInteger(64) || threads.getInt() < 0 ||
        threads.getInt() > UINT32_MAX)
      return std::nullopt;
    selections.push_back(
        {algorithm.getValue(), isa.getValue(), threads.getInt()});
  }
  return selections;
}

/// Whether `selected` says which alternatives there are where.
static LogicalResult verifySelected(ChoiceOp choice) {
  Attribute said = choice->getAttr(kSelectedAttr);
  auto selections = readSelections(said);
  if (!selections)
    return choice.emitOpError()
           << "has " << kSelectedAttr << " " << said
           << ", expected an array of dictionaries with algorithm, isa and "
              "threads";
  for (const ChoiceSelection &one : *selections) {
    if (!llvm::is_contained(
            choice.getAlgorithms().getAsValueRange<StringAttr>(),
            one.algorithm))
      return choice.emitOpError()
             << "has " << kSelectedAttr << " \"" << one.algorithm
             << "\", which is no alternative of it";
    if (failed(verifyIsa(choice, one.isa)))
      return failure();
  }
  return success();
}

LogicalResult ChoiceOp::verify() {
  if (failed(verifySelected(*this)))
    return failure();
  return verifyAlternatives(*this, getAlgorithms(), getAlternatives());
}

LogicalResult SetIndexOp::verify() {
  return verifyScalar(*this, getTarget().getType(), 64, "target");
}
