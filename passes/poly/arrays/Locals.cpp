// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/poly/arrays/Locals.h"

#include "dialects/Abi.h"
#include "dialects/TargetInfo.h"
#include "dialects/kernel/KernelOps.h"
#include "passes/poly/arrays/SharedTiles.h"
#include "passes/poly/levels/ThreadTiles.h"
#include "passes/poly/tree/Liveness.h"

#include <isl/map.h>
#include <isl/union_map.h>

using namespace mlir;
using fusec::sched::ScopOp;

namespace fusec::poly {

static constexpr llvm::StringLiteral kLocalPrefix = "local_";
static constexpr llvm::StringLiteral kSharedPrefix = "shared_";
static constexpr llvm::StringLiteral kCopyPrefix = "copy_";
static constexpr llvm::StringLiteral kStoredSuffix = "_stored";

std::string LocalArray::toMark() const {
  StringRef prefix = isCopy     ? kCopyPrefix
                     : isShared ? kSharedPrefix
                                : kLocalPrefix;
  std::string mark = (prefix + "m" + Twine(array.getArgNumber())).str();
  for (auto [dim, extent] : llvm::enumerate(shape))
    mark += (dim == 0 ? "_" : "x") + std::to_string(extent);
  if (last)
    mark += "_last" + std::to_string(*last);
  for (auto [dim, distance] : llvm::enumerate(apart))
    mark += (dim == 0 ? "_by" : "x") + std::to_string(distance);
  if (isStored)
    mark += kStoredSuffix;
  return mark;
}

bool LocalArray::isOperand() const {
  auto scop = cast<ScopOp>(array.getOwner()->getParentOp());
  return isCopy && array.getArgNumber() < scop.getNumInputs();
}

Type LocalArray::getElementType() const {
  Type element = cast<MemRefType>(array.getType()).getElementType();
  return isStored ? element : getComputeType(element);
}

SmallVector<unsigned> LocalArray::getKeptDims() const {
  SmallVector<unsigned> dims;
  for (auto [dim, extent] : llvm::enumerate(shape))
    if (extent != 1 && last != dim)
      dims.push_back(dim);
  if (last && shape[*last] != 1)
    dims.push_back(*last);
  return dims;
}

SmallVector<int64_t> LocalArray::getKeptShape() const {
  SmallVector<int64_t> kept = llvm::map_to_vector(
      getKeptDims(), [&](unsigned dim) { return shape[dim]; });
  // Where others store along another dimension, or read along it, rows of an
  // odd number of accesses lie in other banks: of the widest, unless they are
  // no matrix and no row of the array begins where those do.
  if (isOperand() && last) {
    const int64_t widest = getRowPadding(*this);
    const int64_t row = cast<MemRefType>(array.getType()).getShape()[*last];
    const bool isAsInArray = *last + 1 == shape.size() && !isStored;
    kept.back() += isAsInArray && row % widest != 0 ? 1 : widest;
  }
  return kept;
}

int64_t LocalArray::countElements() const {
  int64_t count = 1;
  for (int64_t extent : getKeptShape())
    count *= extent;
  return count;
}

MemRefType LocalArray::getType() const {
  SmallVector<int64_t> kept = getKeptShape();
  Type element = getElementType();
  if (getTargetInfo(array.getOwner()->getParentOp()).kind == TargetKind::cpu)
    return MemRefType::get(kept, element);
  auto space = kernel::SpaceAttr::get(
      element.getContext(),
      isShared || isOperand() ? kernel::Space::shared : kernel::Space::thread);
  return MemRefType::get(kept, element, MemRefLayoutAttrInterface(), space);
}

isl::union_map LocalArray::getPlaces(isl::ctx context) const {
  std::string dims, folded;
  for (auto [d, extent] : llvm::enumerate(shape)) {
    std::string comma = d ? ", " : "", dim = "d" + std::to_string(d);
    dims += comma + dim;
    folded += comma + dim + " mod " + std::to_string(extent);
  }
  std::string tuple = "m" + std::to_string(array.getArgNumber());
  return isl::union_map(context, "{ " + tuple + "[" + dims + "] -> " + tuple +
                                     "[" + folded + "] }");
}

AffineMap LocalArray::fold(AffineMap subscripts) const {
  auto whole = cast<MemRefType>(array.getType()).getShape();
  SmallVector<AffineExpr> exprs;
  for (unsigned dim : getKeptDims()) {
    AffineExpr expr = subscripts.getResult(dim);
    if (!apart.empty())
      expr = expr.floorDiv(apart[dim]);
    bool isWhole = isOperand() || (shape[dim] == whole[dim] && apart.empty());
    exprs.push_back(isWhole ? expr : expr % shape[dim]);
  }
  return AffineMap::get(subscripts.getNumDims(), subscripts.getNumSymbols(),
                        exprs, subscripts.getContext());
}

bool isLocalMark(StringRef mark) {
  return mark.starts_with(kLocalPrefix) || mark.starts_with(kSharedPrefix) ||
         mark.starts_with(kCopyPrefix);
}

std::optional<LocalArray> readLocalMark(ScopOp scop, StringRef mark) {
  SmallVector<StringRef> parts;
  LocalArray result;
  result.isCopy = mark.consume_front(kCopyPrefix);
  result.isShared = !result.isCopy && mark.consume_front(kSharedPrefix);
  if (!result.isCopy && !result.isShared)
    mark.consume_front(kLocalPrefix);
  if (result.isShared && getTargetInfo(scop).kind != TargetKind::gpu)
    return std::nullopt;
  result.isStored = mark.consume_back(kStoredSuffix);
  mark.split(parts, '_');
  unsigned number;
  if (!parts[0].consume_front("m") || parts[0].getAsInteger(10, number))
    return std::nullopt;
  for (BlockArgument array : scop.getArrays())
    if (array.getArgNumber() == number)
      result.array = array;
  if (result.isCopy && number < scop.getNumInputs())
    result.array = scop.getInputs()[number];
  if (!result.array || (result.isStored && !result.isOperand()))
    return std::nullopt;
  auto whole = cast<MemRefType>(result.array.getType()).getShape();
  if (!whole.empty() && parts.back().consume_front("by")) {
    for (StringRef distance : llvm::split(parts.pop_back_val(), 'x'))
      if (distance.getAsInteger(10, result.apart.emplace_back()) ||
          result.apart.back() < 1)
        return std::nullopt;
    if (result.isCopy || result.apart.size() != whole.size())
      return std::nullopt;
  }
  if (parts.size() > 3 || (parts.size() > 1) != !whole.empty())
    return std::nullopt;
  if (parts.size() > 1)
    for (StringRef extent : llvm::split(parts[1], 'x'))
      if (extent.getAsInteger(10, result.shape.emplace_back()))
        return std::nullopt;
  if (result.shape.size() != whole.size())
    return std::nullopt;
  for (auto [extent, full] : llvm::zip(result.shape, whole))
    if (extent < 1 ||
        (extent > full && result.apart.empty() && !result.isOperand()))
      return std::nullopt;
  if (parts.size() > 2 && (!parts[2].consume_front("last") ||
                           parts[2].getAsInteger(10, result.last.emplace()) ||
                           *result.last >= whole.size()))
    return std::nullopt;
  return result;
}

FailureOr<std::vector<LocalMark>> findLocals(ScopOp scop,
                                             const isl::schedule &schedule) {
  std::vector<LocalMark> result;
  std::string wrong;
  schedule.root().foreach_descendant_top_down([&](isl::schedule_node node) {
    std::string mark = getMarkName(node);
    if (!isLocalMark(mark))
      return true;
    if (std::optional<LocalArray> local = readLocalMark(scop, mark))
      result.push_back({*local, node});
    else
      wrong = mark;
    return wrong.empty();
  });
  if (wrong.empty())
    return result;
  InFlightDiagnostic error = scop.emitOpError()
                             << "has a mark '" << wrong
                             << "', which is none of its arrays: local_mN_AxB "
                                "(or copy_mN_AxB, or of a GPU shared_mN_AxB) "
                                "has the number of the argument, and for each "
                                "dimension an extent up to the array's";
  for (BlockArgument array : scop.getArrays())
    error.attachNote(scop.getLoc())
        << "m" << array.getArgNumber() << " is " << array.getType();
  return error;
}

/// { mN[d] : d = 0 mod shape, d != 0 }: how far elements of one place are
/// apart.
static isl::union_set getCollisions(isl::ctx context, const LocalArray &local) {
  std::string dims, multiples, zeros;
  for (auto [d, extent] : llvm::enumerate(local.shape)) {
    std::string dim = "d" + std::to_string(d);
    dims += (d ? ", " : "") + dim;
    multiples += dim + " mod " + std::to_string(extent) + " = 0 and ";
    zeros += (d ? " and " : "") + dim + " = 0";
  }
  return isl::union_set(
      context, "{ m" + std::to_string(local.array.getArgNumber()) + "[" + dims +
                   "] : " + multiples + "not (" + zeros + ") }");
}

/// The rules for a copy. Elements that an iteration has only read would be
/// written back when another thread may write them.
static std::optional<Violation> findViolationOfCopy(const PolyScop &scop,
                                                    const LocalMark &mark) {
  const LocalArray &copy = mark.local;
  if (copy.isOperand())
    return findViolationOfOperand(scop, mark);
  auto makeViolation = [&](const Twine &reason, const std::string &example) {
    return Violation{("array " + scop.getOp().getArrayName(copy.array) +
                      " is a copy below a mark, but " + reason)
                         .str(),
                     example};
  };
  for (isl::schedule_node node = mark.node; node.has_parent();
       node = node.parent())
    if (getMarkName(node) == kVectorMark)
      return makeViolation("lanes of a loop above share it", copy.toMark());
  isl::union_map iterations =
      mark.node.prefix_schedule_union_map().reverse().intersect_range(
          getDomain(mark.node));
  isl::union_map written = iterations.apply_range(scop.getWrites(copy.array));
  isl::union_map kept =
      iterations.apply_range(scop.getReads(copy.array)).subtract(written);
  if (!kept.is_empty())
    return makeViolation(
        "an element is only read there",
        toString(isl::manage(isl_union_map_sample(kept.release()))));
  if (written.is_empty())
    return makeViolation("nothing there accesses it", copy.toMark());
  isl::union_map apart = written.reverse().apply_range(written);
  isl::union_set same =
      copy.shape.empty()
          ? isl::union_set(scop.getContext(), "{ }")
          : isl::manage(isl_union_map_deltas(apart.release()))
                .intersect(getCollisions(scop.getContext(), copy));
  if (!same.is_empty())
    return makeViolation("elements of one iteration are in one place",
                         "at a distance of " + toString(same.sample_point()));
  return std::nullopt;
}

/// { a -> b } of `instances` that run in other iterations of a loop below
/// `node` that threads share.
static isl::union_map getConcurrent(const isl::schedule_node &node,
                                    const isl::union_set &instances) {
  isl::union_map concurrent(instances.ctx(), "{ }");
  node.foreach_descendant_top_down([&](isl::schedule_node below) {
    std::string mark = getMarkName(below);
    if ((!isParallelMark(mark) && mark != kSplitMark) ||
        !below.child(0).isa<isl::schedule_node_band>())
      return true;
    auto band = below.child(0).as<isl::schedule_node_band>();
    isl::union_set here = instances.intersect(getDomain(band));
    isl::union_map pairs = isl::manage(
        isl_union_map_from_domain_and_range(here.copy(), here.copy()));
    if (getScheduleDepth(band) > 0)
      pairs = pairs.eq_at(band.prefix_schedule_multi_union_pw_aff());
    concurrent =
        concurrent.unite(pairs.subtract(pairs.eq_at(band.partial_schedule())));
    return true;
  });
  return concurrent;
}

/// The elements that pairs of instances access.
static isl::union_map getPairs(const isl::union_map &accesses,
                               const isl::union_map &instances) {
  return accesses.reverse().apply_range(instances).apply_range(accesses);
}

using MakeViolation =
    llvm::function_ref<Violation(const Twine &, const std::string &)>;

/// The rules for one of the marks, which all accesses of `touched` stand below.
/// What a copy holds `waits` for its end.
static std::optional<Violation> findViolation(const PolyScop &scop,
                                              const LocalMark &mark,
                                              const isl::union_map &touched,
                                              bool waits,
                                              MakeViolation makeViolation) {
  const LocalArray &local = mark.local;
  isl::union_set here = getDomain(mark.node);
  isl::union_map above = mark.node.prefix_schedule_union_map();
  isl::union_map flow = scop.getFlow(local.array).intersect_domain(here);
  isl::union_map kept = flow.intersect_range(here);
  if (getScheduleDepth(mark.node) > 0)
    kept = kept.eq_at(mark.node.prefix_schedule_multi_union_pw_aff());
  isl::union_map lost = flow.subtract(kept);
  if (!lost.is_empty())
    return makeViolation(
        "another iteration of the loops above reads its values",
        toString(isl::manage(isl_union_map_sample(lost.release()))));
  if (!local.apart.empty())
    return findViolationOfRegisters(scop, mark);
  if (local.shape.empty())
    return std::nullopt;
  isl::union_set collisions = getCollisions(scop.getContext(), local);
  isl::union_map footprint = above.reverse().apply_range(touched);
  auto meet = [&](const isl::union_map &pairs) {
    return isl::manage(isl_union_map_deltas(pairs.copy()))
        .intersect(collisions);
  };
  isl::union_set shared = meet(footprint.reverse().apply_range(footprint));
  if (shared.is_empty())
    return std::nullopt;
  if (local.isShared)
    return makeViolation("elements that threads share are in one place",
                         "at a distance of " + toString(shared.sample_point()));
  if (waits)
    return makeViolation("copies of elements of one place are written back in "
                         "any order",
                         "at a distance of " + toString(shared.sample_point()));
  isl::union_set contested =
      meet(getPairs(touched, getConcurrent(mark.node, touched.domain())));
  if (!contested.is_empty())
    return makeViolation("elements of iterations that threads run at once are "
                         "in one place",
                         "at a distance of " +
                             toString(contested.sample_point()));
  // Elements may take each other's place where none of them is needed any more.
  for (bool lanesAtOnce : {false, true}) {
    isl::union_set same =
        meet(getLiveTogether(scop, mark.node, local.array, lanesAtOnce));
    if (!same.is_empty())
      return makeViolation("elements that are live at once are in one place",
                           "at a distance of " + toString(same.sample_point()));
  }
  return std::nullopt;
}

std::optional<Violation> findViolation(const PolyScop &scop,
                                       ArrayRef<LocalMark> marks) {
  SmallVector<LocalMark> locals;
  for (const LocalMark &mark : marks) {
    if (!mark.local.isCopy)
      locals.push_back(mark);
    else if (auto violation = findViolationOfCopy(scop, mark))
      return violation;
  }
  if (locals.empty())
    return std::nullopt;
  BlockArgument array = marks.front().local.array;
  auto makeViolation = [&](const Twine &reason, const std::string &example) {
    return Violation{("array " + scop.getOp().getArrayName(array) +
                      " is local below a mark, but " + reason)
                         .str(),
                     example};
  };
  isl::union_map touched = scop.getReads(array).unite(scop.getWrites(array));
  isl::union_set outside = touched.domain();
  for (const LocalMark &mark : locals) {
    isl::union_set here = touched.domain().intersect(getDomain(mark.node));
    if (isl::union_set twice = here.subtract(outside); !twice.is_empty())
      return makeViolation("accesses to it run below another one too",
                           toString(twice.sample_point()));
    outside = outside.subtract(here);
  }
  if (!outside.is_empty())
    return makeViolation("accesses to it run elsewhere",
                         toString(outside.sample_point()));
  for (const LocalMark &mark : locals)
    if (auto violation = findViolation(
            scop, mark, touched.intersect_domain(getDomain(mark.node)),
            /*waits=*/locals.size() < marks.size(), makeViolation))
      return violation;
  return std::nullopt;
}

MemRefType getWorkspaceType(BlockArgument array) {
  auto type = cast<MemRefType>(array.getType());
  return MemRefType::get(type.getShape(),
                         getComputeType(type.getElementType()));
}

WorkspacePlan planWorkspace(ScopOp scop, ArrayRef<LocalMark> locals) {
  WorkspacePlan plan;
  for (BlockArgument array : scop.getArrays()) {
    if (llvm::any_of(locals, [&](const LocalMark &mark) {
          return mark.local.array == array && !mark.local.isCopy;
        }))
      continue;
    plan.places.push_back({array, plan.bytes});
    MemRefType type = getWorkspaceType(array);
    int64_t bytes = type.getNumElements() *
                    getTypeInfo(type.getElementType())->storageBytes();
    plan.bytes += llvm::alignTo(bytes, kAbiAlignment);
  }
  return plan;
}

} // namespace fusec::poly
