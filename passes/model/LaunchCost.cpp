// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/model/LaunchCost.h"

#include "dialects/kernel/Steps.h"
#include "dialects/library/Library.h"
#include "passes/Terms.h"
#include "passes/graph/Algorithms.h"

using namespace mlir;

namespace fusec::model {

LogicalResult LaunchCosts::check(ModuleOp module) const {
  WalkResult walk = module.walk([&](kernel::LaunchOp launch) {
    if (!launch->getParentOfType<kernel::ChoiceOp>() ||
        isa_and_nonnull<sched::ScopOp>(symbols.lookup(launch.getKernel())))
      return WalkResult::advance();
    launch.emitOpError() << "in a choice runs @" << launch.getKernel()
                         << ", which is no sched.scop; run "
                            "--model-apply-choices before kernels are made";
    return WalkResult::interrupt();
  });
  return failure(walk.wasInterrupted());
}

/// Whether threads may each add up a part of a reduction that no loop shares
/// out among them: where there are no blocks the family "split" of configs,
/// else any whose threads or blocks share rows or tiles.
bool LaunchCosts::mayShare(sched::StmtOp stmt, double points) const {
  if ((!anyOrder && !target.hasBlocks()) || !stmt.isReduction() ||
      points < double(target.getLongReduction()))
    return false;
  Block &body = stmt.getBody().front();
  return llvm::all_of(
      llvm::enumerate(body.getTerminator()->getOperands()), [&](auto result) {
        // A reduction's first reads are its writes.
        kernel::NoCombiner why;
        return succeeded(kernel::findCombiner(
            {body.getArgument(result.index()), result.value()}, why));
      });
}

/// Whether `stmt` multiplies weights of f32 by something else of f32.
static bool multipliesWeights(sched::StmtOp stmt) {
  auto scop = stmt->getParentOfType<sched::ScopOp>();
  if (!stmt.getContraction())
    return false;
  bool readsWeight = false;
  for (Value array : stmt.getReads()) {
    auto argument = dyn_cast<BlockArgument>(array);
    readsWeight |=
        argument && argument.getOwner()->getParentOp() == scop &&
        llvm::is_contained(scop.getWeights().value_or(ArrayRef<int64_t>()),
                           int64_t(argument.getArgNumber()));
    if (!getElementTypeOrSelf(array.getType()).isF32())
      return false;
  }
  return readsWeight;
}

/// The unit of the target by which `stmt` may add products of bytes, one with a
/// sign and one without, or of bf16; null where there is none.
const Unit *LaunchCosts::findUnit(sched::StmtOp stmt) const {
  if (assumed.isCoded && multipliesWeights(stmt))
    return fuse::getByteUnit(target);
  unsigned bytes[] = {0, 0}, narrow = 0;
  for (Value array : stmt.getReads()) {
    Type element = getElementTypeOrSelf(array.getType());
    if (auto type = dyn_cast<IntegerType>(element);
        type && type.getWidth() == 8)
      ++bytes[type.isUnsigned()];
    narrow += element.isBF16();
  }
  if (!stmt.isReduction())
    return nullptr;
  if (bytes[0] == 1 && bytes[1] == 1)
    return fuse::getByteUnit(target);
  return narrow == 2 ? fuse::getBf16Unit(target) : nullptr;
}

/// Steps of a point of `stmt`.
double LaunchCosts::ofPoint(sched::StmtOp stmt, Detail detail) const {
  const Unit *unit = findUnit(stmt);
  if (detail == Detail::precision && unit)
    return 1 / double(unit->terms);
  unsigned operations = 0;
  for (Operation &op : stmt.getBody().front().without_terminator())
    operations += !op.hasTrait<OpTrait::ConstantLike>();
  return std::max(1u, operations);
}

double LaunchCosts::ofStatement(sched::StmtOp stmt, Detail detail) const {
  double points = 1;
  SmallVector<int64_t> extents;
  // Iterator -> its number among the parallel ones.
  llvm::DenseMap<unsigned, unsigned> parallel;
  for (auto [dim, extent] : llvm::enumerate(stmt.getExtents())) {
    points *= double(extent);
    if (llvm::is_contained(stmt.getReduced(), int64_t(dim)))
      continue;
    parallel[dim] = extents.size();
    extents.push_back(extent);
  }
  // A contraction reads each operand again and again: none of them follows all
  // iterators. The first reads of a reduction are its accumulators.
  bool reuses = stmt.isReduction();
  SmallVector<unsigned> contiguous;
  // Whether neighbouring results are of columns that lie side by side.
  bool hasColumns = false;
  unsigned first = stmt.isReduction() ? stmt.getWrites().size() : 0;
  for (unsigned read = first, e = stmt.getReads().size(); read < e; ++read) {
    AffineMap map = stmt.getReadMap(read);
    reuses &= !llvm::all_of(llvm::seq(0u, map.getNumDims()), [&](unsigned dim) {
      return map.isFunctionOfDim(dim);
    });
    for (AffineExpr expr : map.getResults().take_back())
      if (auto dim = dyn_cast<AffineDimExpr>(expr);
          dim && parallel.contains(dim.getPosition())) {
        contiguous.push_back(parallel.lookup(dim.getPosition()));
        hasColumns |= llvm::any_of(stmt.getReduced(), [&](int64_t reduced) {
          return map.isFunctionOfDim(unsigned(reduced));
        });
      }
  }
  int64_t tasks = std::clamp<int64_t>(
      target.countTasks(extents, contiguous, reuses, stmt.getLaneBytes()), 1,
      target.cores);
  // Of columns that lie side by side the threads of blocks have one each,
  // unless a block has a whole group of them.
  bool isAlone = target.hasBlocks()
                     ? !hasColumns || reuses ||
                           target.multiprocessor->countColumns(
                               extents[contiguous.back()]) > 0
                     : tasks == 1 && llvm::all_of(extents, [](int64_t e) {
                         return e == 1;
                       });
  if (isAlone && mayShare(stmt, points))
    tasks = target.cores;
  return points * ofPoint(stmt, detail) / double(tasks);
}

/// Steps in which cores load the weights of `scop` from memory, each its part.
double LaunchCosts::ofWeights(sched::ScopOp scop) const {
  double bytes = 0;
  Block &body = scop.getBody().front();
  for (int64_t number : scop.getWeights().value_or(ArrayRef<int64_t>())) {
    auto type = cast<ShapedType>(body.getArgument(number).getType());
    const unsigned bits = type.getElementType().isF32()
                              ? assumed.weightBits
                              : type.getElementTypeBitWidth();
    const int64_t size = llvm::divideCeil(type.getNumElements() * bits, 8);
    const int64_t whole = assumed.residentBits
                              ? type.getNumElements() * assumed.residentBits / 8
                              : size;
    if (whole > target.secondCache)
      bytes += double(size);
  }
  return ofLoads(bytes, assumed.keepsWeights ? target.costs.farLoad
                                             : target.costs.memoryLoad);
}

/// Steps in which cores load what `scop` reads of the buffers of `block` that
/// no cache of a core holds. They wait for no store.
double LaunchCosts::ofBuffers(kernel::LaunchOp launch, sched::ScopOp scop,
                              Block &block) const {
  if (target.hasBlocks())
    return 0;
  double steps = 0;
  for (Value operand : launch.getOperands().take_front(scop.getNumInputs())) {
    while (auto view = operand.getDefiningOp<kernel::ViewOp>())
      operand = view.getSource();
    Operation *buffer = operand.getDefiningOp();
    if (!isa_and_present<kernel::BufferOp>(buffer) ||
        buffer->getBlock() != &block)
      continue;
    auto type = cast<ShapedType>(operand.getType());
    const int64_t bytes = llvm::divideCeil(
        type.getNumElements() * type.getElementTypeBitWidth(), 8);
    if (bytes > target.secondCache)
      steps += ofLoads(double(bytes), bytes > target.lastCache
                                          ? target.costs.memoryLoad
                                          : target.costs.farLoad);
  }
  return steps;
}

/// Steps in which cores load `bytes`, each its part, of which a line takes
/// `load`. A vector of elements takes a step for each of them, as when it is
/// computed.
double LaunchCosts::ofLoads(double bytes, double load) const {
  return bytes / double(target.tiledFor->vectorBytes) * double(target.lanes) *
         load / target.costs.simple / double(target.cores);
}

double LaunchCosts::ofScop(sched::ScopOp scop, Detail detail) const {
  double steps = 0;
  for (sched::StmtOp stmt : scop.getBody().getOps<sched::StmtOp>())
    steps += ofStatement(stmt, detail);
  if (detail == Detail::precision)
    steps = std::max(steps, ofWeights(scop));
  return double(target.launchSteps) + steps;
}

Block *LaunchCosts::findCheapest(kernel::ChoiceOp choice, Detail detail) const {
  double least = std::numeric_limits<double>::infinity();
  Block *found = nullptr;
  for (auto [region, name] :
       llvm::zip(choice.getAlternatives(),
                 choice.getAlgorithms().getAsValueRange<StringAttr>())) {
    if (assumed.lowered && fuse::findLowerPrecision(name) &&
        !llvm::is_contained(*assumed.lowered, name))
      continue;
    if (double steps = ofBlock(region.front(), detail); steps < least) {
      least = steps;
      found = &region.front();
    }
  }
  return found;
}

double LaunchCosts::ofOperation(Operation &op, Detail detail) const {
  if (auto launch = dyn_cast<kernel::LaunchOp>(op)) {
    auto scop = cast<sched::ScopOp>(symbols.lookup(launch.getKernel()));
    return ofScop(scop, detail) + ofBuffers(launch, scop, *op.getBlock());
  }
  if (auto call = dyn_cast<kernel::CallOp>(op)) {
    library::Call types(call.getInputs().getTypes(),
                        call.getOutputs().getTypes(), call.getParameters());
    for (Value input : call.getInputs())
      types.constants.push_back(
          isa_and_nonnull<kernel::WeightOp>(input.getDefiningOp()));
    return library::find(call.getCallee())->steps(types, target);
  }
  if (auto choice = dyn_cast<kernel::ChoiceOp>(op)) {
    Block *cheapest = findCheapest(choice, detail);
    return cheapest ? ofBlock(*cheapest, detail) : 0;
  }
  double steps = 0;
  for (Region &region : op.getRegions())
    for (Block &inner : region)
      steps += ofBlock(inner, detail);
  return steps;
}

double LaunchCosts::ofBlock(Block &block, Detail detail) const {
  double steps = 0;
  for (Operation &op : block)
    steps += ofOperation(op, detail);
  return steps;
}

} // namespace fusec::model
