// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a kernel.for carries from one iteration to the next.
#include "dialects/kernel/Steps.h"

using namespace mlir;
using namespace fusec::kernel;

//===----------------------------------------------------------------------===//
// Access
//===----------------------------------------------------------------------===//

/// The words of a loop, as many as arrays that it carries.
static SmallVector<Attribute> getWords(ForOp loop) {
  ArrayAttr words = loop.getCarriesAttr();
  return words ? SmallVector<Attribute>(words.getValue())
               : SmallVector<Attribute>();
}

static void setCarries(ForOp loop, ValueRange arrays,
                       ArrayRef<Attribute> words) {
  loop.getCarriedMutable().assign(arrays);
  if (words.empty())
    loop.removeCarriesAttr();
  else
    loop.setCarriesAttr(ArrayAttr::get(loop.getContext(), words));
}

std::optional<Carry> ForOp::getCarry(Value memref) {
  for (auto [array, word] : llvm::zip(getCarried(), getWords(*this)))
    if (array == memref)
      return cast<CarryAttr>(word).getValue();
  return std::nullopt;
}

void ForOp::setCarry(Value memref, Carry carry) {
  dropCarry(memref);
  SmallVector<Value> arrays(getCarried());
  SmallVector<Attribute> words = getWords(*this);
  arrays.push_back(memref);
  words.push_back(CarryAttr::get(getContext(), carry));
  setCarries(*this, arrays, words);
}

void ForOp::dropCarry(Value memref) {
  SmallVector<Value> arrays;
  SmallVector<Attribute> words;
  for (auto [array, word] : llvm::zip(getCarried(), getWords(*this)))
    if (array != memref) {
      arrays.push_back(array);
      words.push_back(word);
    }
  setCarries(*this, arrays, words);
}

void ForOp::copyCarries(ForOp other) {
  setCarries(*this, SmallVector<Value>(other.getCarried()), getWords(other));
}

//===----------------------------------------------------------------------===//
// Verification
//===----------------------------------------------------------------------===//

static LogicalResult refuse(ForOp loop, const Twine &what, Operation *op,
                            const Twine &note) {
  InFlightDiagnostic diagnostic = loop.emitOpError(what);
  diagnostic.attachNote(op->getLoc()) << note;
  return diagnostic;
}

/// Whether `value`, an index, may change with the iterations of `loop`.
static bool changesWith(Value value, ForOp loop) {
  if (value == loop.getIndex())
    return true;
  Operation *op = value.getDefiningOp();
  return op && loop->isProperAncestor(op) &&
         llvm::any_of(op->getOperands(), [&](Value operand) {
           return changesWith(operand, loop);
         });
}

/// The subscripts of a load or store.
static OperandRange getSubscripts(Operation *access) {
  if (auto load = dyn_cast<LoadOp>(access))
    return load.getIndices();
  return cast<StoreOp>(access).getIndices();
}

/// Whether a load or store in the loop goes to other elements in other
/// iterations.
static bool moves(Operation *access, ForOp loop) {
  return llvm::any_of(getSubscripts(access),
                      [&](Value index) { return changesWith(index, loop); });
}

void ForOp::dropMovingCarries() {
  for (Value array : SmallVector<Value>(getCarried()))
    if (llvm::any_of(array.getUsers(), [&](Operation *user) {
          return isa<LoadOp, StoreOp>(user) &&
                 (*this)->isProperAncestor(user) && moves(user, *this);
        }))
      dropCarry(array);
}

/// The loads and stores of a carried array in the loop, all of them at places
/// that do not change with it.
static FailureOr<SmallVector<Operation *>> collectAccesses(ForOp loop,
                                                           Value array) {
  SmallVector<Operation *> accesses;
  bool isStored = false;
  for (Operation *user : array.getUsers()) {
    if (!loop->isProperAncestor(user) || isa<ForOp, PrefetchOp>(user))
      continue;
    auto load = dyn_cast<LoadOp>(user);
    auto store = dyn_cast<StoreOp>(user);
    if (!load && !store)
      return refuse(loop, "carries an array that is not only loaded and stored",
                    user, "used here");
    if (moves(user, loop))
      return refuse(loop,
                    "carries an array, of which it accesses other elements in "
                    "other iterations",
                    user, "accessed here");
    isStored |= bool(store);
    accesses.push_back(user);
  }
  if (!isStored)
    return loop.emitOpError("carries an array that nothing in it stores to");
  return accesses;
}

/// What the one load and the one store among `accesses` make of an element.
static FailureOr<Step> findStep(ForOp loop, ArrayRef<Operation *> accesses) {
  StringRef what = loop.getMapping() == Mapping::parallel
                       ? "runs on threads and carries an array"
                       : "runs on lanes and carries an array";
  LoadOp load;
  StoreOp store;
  for (Operation *op : accesses) {
    if (isa<LoadOp>(op) ? bool(load) : bool(store))
      return refuse(loop, what, op,
                    "of which this is one of several loads or stores");
    if (auto first = dyn_cast<LoadOp>(op))
      load = first;
    else
      store = cast<StoreOp>(op);
  }
  bool isOne = load && !load.isVector() && !load.getMask() &&
               !store.isVector() && !store.getMask() &&
               load->getBlock() == store->getBlock() &&
               load.getMap() == store.getMap() &&
               load.getIndices() == store.getIndices();
  if (!isOne)
    return refuse(loop, what, store,
                  "of which this stores an element that is not loaded beside "
                  "it, or under a mask");
  return Step{load, store.getValue()};
}

/// Whether the loop combines by `carry`, as it says.
static LogicalResult verifyCombiner(ForOp loop, Carry carry, Step step) {
  std::string what = "carries an array by '" + stringifyCarry(carry).str();
  NoCombiner why{};
  FailureOr<fusec::Combiner> combiner = findCombiner(step, why);
  if (failed(combiner))
    return refuse(loop, what + "', but " + why.reason, why.op, "here");
  if (*combiner != getCombiner(carry))
    return refuse(loop,
                  what + "', but combines by '" + stringifyCombiner(*combiner) +
                      "'",
                  step.after.getDefiningOp(), "here");
  return success();
}

LogicalResult ForOp::verifyRegions() {
  SmallVector<Step> chosen;
  for (auto [array, word] : llvm::zip(getCarried(), getWords(*this))) {
    FailureOr<SmallVector<Operation *>> accesses =
        collectAccesses(*this, array);
    if (failed(accesses))
      return failure();
    Carry carry = cast<CarryAttr>(word).getValue();
    bool isAtOnce =
        getMapping() != Mapping::sequential && getMapping() != Mapping::unroll;
    if (!isAtOnce || carry == Carry::Update)
      continue;
    FailureOr<Step> step = findStep(*this, *accesses);
    if (failed(step))
      return failure();
    if (carry == Carry::Select)
      chosen.push_back(*step);
    else if (failed(verifyCombiner(*this, carry, *step)))
      return failure();
  }
  if (!chosen.empty() && !findChoice(chosen))
    return emitOpError("carries arrays by 'select' that it does not overwrite "
                       "together, as what they hold and what it would write "
                       "decide");
  return success();
}
