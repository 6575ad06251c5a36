// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/poly/tree/PolyScop.h"

#include "llvm/ADT/StringExtras.h"
#include <isl/aff.h>
#include <isl/constraint.h>
#include <isl/flow.h>
#include <isl/local_space.h>
#include <isl/set.h>
#include <isl/space.h>
#include <isl/union_map.h>
#include <isl/union_set.h>

using namespace mlir;
using fusec::sched::ScopOp;
using fusec::sched::StmtOp;

namespace fusec::poly {

static std::vector<std::string> names(StringRef prefix, unsigned count) {
  std::vector<std::string> result;
  for (unsigned i = 0; i < count; ++i)
    result.push_back((prefix + Twine(i)).str());
  return result;
}

/// "mac[i0, i1]"
static std::string tuple(StringRef name, ArrayRef<std::string> elements) {
  return (name + "[" + llvm::join(elements, ", ") + "]").str();
}

/// { [x] : 0 <= x < extent } in `space`.
static isl::set makeBox(const isl::space &space, ArrayRef<int64_t> extents) {
  isl_local_space *local = isl_local_space_from_space(space.copy());
  isl_basic_set *box = isl_basic_set_universe(space.copy());
  for (auto [position, extent] : llvm::enumerate(extents)) {
    isl_constraint *low =
        isl_constraint_alloc_inequality(isl_local_space_copy(local));
    low = isl_constraint_set_coefficient_si(low, isl_dim_set, position, 1);
    isl_constraint *high =
        isl_constraint_alloc_inequality(isl_local_space_copy(local));
    high = isl_constraint_set_coefficient_si(high, isl_dim_set, position, -1);
    high = isl_constraint_set_constant_val(
        high, isl::val(space.ctx(), long(extent - 1)).release());
    box = isl_basic_set_add_constraint(box, low);
    box = isl_basic_set_add_constraint(box, high);
  }
  isl_local_space_free(local);
  return isl::manage(isl_set_from_basic_set(box));
}

/// { stmt[i] : 0 <= i < extent }. Reading a text takes isl many times as long
/// as being told the constraints.
static isl::set makeDomain(isl::ctx context, StmtOp stmt,
                           const std::string &name,
                           ArrayRef<std::string> dims) {
  isl_space *space = isl_space_set_alloc(context.get(), 0, dims.size());
  space = isl_space_set_tuple_name(space, isl_dim_set, name.c_str());
  for (auto [position, dim] : llvm::enumerate(dims))
    space = isl_space_set_dim_name(space, isl_dim_set, position, dim.c_str());
  return makeBox(isl::manage(space), stmt.getExtents());
}

isl::map makeMap(const isl::set &domain, ArrayRef<AffineExpr> exprs,
                 StringRef name) {
  isl_aff_list *list = isl_aff_list_alloc(domain.ctx().get(), exprs.size());
  for (AffineExpr expr : exprs)
    list = isl_aff_list_add(list, toIslAff(expr, domain.space()).release());
  isl_space *space =
      isl_space_add_dims(isl_space_from_domain(domain.space().release()),
                         isl_dim_out, exprs.size());
  if (!name.empty())
    space = isl_space_set_tuple_name(space, isl_dim_out, name.str().c_str());
  return isl::manage(
      isl_map_from_multi_aff(isl_multi_aff_from_aff_list(space, list)));
}

/// { stmt[i] -> mN[map(i)] : both in bounds }
static isl::map makeAccess(const PolyStmt &stmt, AffineMap map, Value memref) {
  std::string name = "m" + std::to_string(PolyScop::getNumber(memref));
  isl::map access = makeMap(stmt.domain, map.getResults(), name);
  isl::space space =
      isl::manage(isl_space_range(isl_map_get_space(access.get())));
  return access.intersect_domain(stmt.domain)
      .intersect_range(
          makeBox(space, cast<MemRefType>(memref.getType()).getShape()));
}

/// Whether no two instances of `stmt` are at one element by `map`, as far as
/// can be seen at once.
static bool isInjective(StmtOp stmt, AffineMap map) {
  for (auto [position, extent] : llvm::enumerate(stmt.getExtents()))
    if (extent > 1 &&
        !llvm::is_contained(map.getResults(),
                            getAffineDimExpr(position, map.getContext())))
      return false;
  return true;
}

/// All that relations are made of. Attributes and types are unique in their
/// context, and a statement's own are all in its dictionary: equal keys are
/// equal statements, whatever has become of the scop that was asked about.
static std::vector<const void *> getKey(ScopOp scop) {
  std::vector<const void *> key{scop.getOrderedAttr().getAsOpaquePointer()};
  for (BlockArgument array : scop.getBody().getArguments())
    key.push_back(array.getType().getAsOpaquePointer());
  for (StmtOp stmt : scop.getBody().getOps<StmtOp>()) {
    // Which instances run is no matter of relations.
    NamedAttrList attributes(stmt->getAttrDictionary());
    attributes.erase(stmt.getNeededAttrName());
    attributes.erase(stmt.getRunsAttrName());
    key.push_back(
        attributes.getDictionary(scop.getContext()).getAsOpaquePointer());
    for (Value memref : stmt->getOperands())
      key.push_back(reinterpret_cast<const void *>(
          uintptr_t(PolyScop::getNumber(memref))));
  }
  return key;
}

void PolyContext::renew() {
  known.clear();
  IslContext::renew();
}

std::shared_ptr<KnownFlows> PolyContext::getKnown(ScopOp scop) {
  std::shared_ptr<KnownFlows> &found = known[getKey(scop)];
  if (!found)
    found = std::make_shared<KnownFlows>();
  return found;
}

PolyContext &PolyContexts::get(ScopOp scop) {
  return contexts[scop.getGroup().value_or(scop.getSymName()).str()];
}

PolyScop::PolyScop(PolyContext &context, ScopOp scop)
    : PolyScop(context.get(), scop) {
  known = context.getKnown(scop);
}

PolyScop::PolyScop(isl::ctx context, ScopOp scop, bool numbered)
    : context(context), scop(scop), domain(context, "{ }"),
      known(std::make_shared<KnownFlows>()) {
  for (StmtOp stmt : scop.getBody().getOps<StmtOp>()) {
    std::vector<std::string> dims = names("i", stmt.getNumIterators());
    std::string name =
        numbered ? "s" + std::to_string(stmts.size()) : stmt.getSymName().str();
    isl::set set = makeDomain(context, stmt, name, dims);
    domain = domain.unite(isl::union_set(set));
    stmts.push_back({stmt, name, tuple(name, dims), set});
  }
  findShared();
}

isl::schedule PolyScop::toNamed(const isl::schedule &schedule) const {
  // { stmt[i] -> sN[i] }
  isl::union_pw_multi_aff none(schedule.ctx(), "{ }");
  isl_union_pw_multi_aff *numbers = none.release();
  for (const PolyStmt &stmt : stmts) {
    isl_multi_aff *number = isl_multi_aff_identity(
        isl_space_map_from_set(stmt.domain.space().release()));
    number = isl_multi_aff_set_tuple_name(number, isl_dim_in,
                                          stmt.op.getSymName().str().c_str());
    numbers = isl_union_pw_multi_aff_add_pw_multi_aff(
        numbers, isl_pw_multi_aff_from_multi_aff(number));
  }
  return schedule.pullback(isl::manage(numbers));
}

void PolyScop::findShared() {
  llvm::SmallSetVector<Value, 8> written;
  llvm::DenseSet<Value> read, several;
  for (const PolyStmt &stmt : stmts) {
    read.insert_range(stmt.op.getReads());
    for (auto [index, memref] : llvm::enumerate(stmt.op.getWrites()))
      // What is read before it is written depends on more than values.
      if (!written.insert(memref) || read.contains(memref) ||
          !isInjective(stmt.op, stmt.op.getWriteMap(index)))
        several.insert(memref);
  }
  for (Value memref : written) {
    if (several.contains(memref))
      shared.insert(memref);
    else if (read.contains(memref))
      once.insert(memref);
  }
}

isl::union_map PolyScop::getProgramOrder() const {
  unsigned depth = 0;
  for (const PolyStmt &stmt : stmts)
    depth = std::max(depth, stmt.op.getNumIterators());
  MLIRContext *mlir = scop->getContext();
  isl::union_map order(context, "{ }");
  for (auto [position, stmt] : llvm::enumerate(stmts)) {
    SmallVector<AffineExpr> time = {getAffineConstantExpr(position, mlir)};
    for (unsigned i = 0; i < depth; ++i)
      time.push_back(i < stmt.op.getNumIterators()
                         ? getAffineDimExpr(i, mlir)
                         : getAffineConstantExpr(0, mlir));
    order = order.unite(isl::union_map(
        makeMap(stmt.domain, time).intersect_domain(stmt.domain)));
  }
  return order;
}

const PolyStmt &PolyScop::getStmt(StringRef name) const {
  for (const PolyStmt &stmt : stmts)
    if (stmt.name == name)
      return stmt;
  llvm_unreachable("schedule of a statement that the scop lacks");
}

/// sched.gather is left out: it reads inputs, which no statement writes.
isl::union_map
PolyScop::accesses(bool write,
                   llvm::function_ref<bool(Value)> isAskedFor) const {
  isl::union_map result(context, "{ }");
  for (const PolyStmt &stmt : stmts) {
    StmtOp op = stmt.op;
    OperandRange memrefs = write ? op.getWrites() : op.getReads();
    for (auto [index, memref] : llvm::enumerate(memrefs)) {
      if (!isAskedFor(memref))
        continue;
      AffineMap map = write ? op.getWriteMap(index) : op.getReadMap(index);
      result = result.unite(isl::union_map(makeAccess(stmt, map, memref)));
    }
  }
  return result;
}

isl::union_map PolyScop::getReads(Value array) const {
  return accesses(/*write=*/false,
                  [=](Value memref) { return memref == array; });
}

isl::union_map PolyScop::getWrites(Value array) const {
  return accesses(/*write=*/true,
                  [=](Value memref) { return memref == array; });
}

/// { stmt[i] -> mN[a] } becomes { stmt[i] -> [[copy] -> mN[a]] } for the arrays
/// in `copies`.
static isl::union_map privatise(isl::union_map access, const Copies &copies) {
  isl::union_map result(access.ctx(), "{ }");
  access.foreach_map([&](isl::map map) {
    unsigned number = 0;
    StringRef(map.range_tuple_id().name())
        .drop_front()
        .getAsInteger(10, number);
    auto found = copies.find(number);
    isl::union_map one(map);
    result = result.unite(
        found == copies.end() ? one : found->second.range_product(one));
  });
  return result;
}

static isl::union_map selfReduction(ArrayRef<PolyStmt> stmts, bool ordered,
                                    isl::union_map dependences) {
  isl::union_map result(dependences.ctx(), "{ }");
  for (const PolyStmt &stmt : stmts) {
    if (!stmt.op.isReduction() || (ordered && stmt.op.reducesFloats()))
      continue;
    isl::union_set instances(stmt.domain);
    isl::union_map self = isl::manage(isl_union_map_from_domain_and_range(
        instances.copy(), instances.copy()));
    result = result.unite(dependences.intersect(self));
  }
  return result;
}

static isl::union_map flowOf(isl::union_map sinks, isl::union_map mustSources,
                             isl::union_map maySources, isl::union_map order) {
  isl::union_map none(sinks.ctx(), "{ }");
  if (sinks.is_empty() || order.is_empty())
    return none;
  isl::union_set here = sinks.domain().unite(mustSources.domain());
  if (!maySources.is_null())
    here = here.unite(maySources.domain());
  order = order.intersect_domain(here.universe());
  isl::union_access_info info(sinks);
  info = info.set_must_source(mustSources);
  if (!maySources.is_null())
    info = info.set_may_source(maySources);
  info = info.set_schedule_map(order);
  isl::union_flow flow = info.compute_flow();
  return flow.may_dependence();
}

isl::union_map PolyScop::findFlow(Value array) const {
  if (once.contains(array))
    return getWrites(array).apply_range(getReads(array).reverse());
  if (!shared.contains(array))
    return isl::union_map(context, "{ }");
  return flowOf(getReads(array), getWrites(array), {}, getProgramOrder());
}

isl::union_map PolyScop::getFlow() const {
  isl::union_map flow(context, "{ }");
  for (BlockArgument array : scop.getBody().getArguments())
    flow = flow.unite(getFlow(array));
  return flow;
}

Dependences PolyScop::getDependences(const Copies &copies) const {
  auto isShared = [this](Value memref) { return shared.contains(memref); };
  isl::union_map readMap = accesses(/*write=*/false, isShared);
  isl::union_map writeMap = accesses(/*write=*/true, isShared);
  Dependences result;
  isl::union_map order = getProgramOrder();
  result.flow = getFlow();
  if (!copies.empty()) {
    readMap = privatise(readMap, copies);
    writeMap = privatise(writeMap, copies);
  }
  result.storage = flowOf(writeMap, writeMap, readMap, order);
  result.reduction = selfReduction(stmts, scop.getOrdered(), result.all());
  return result;
}

const Dependences &PolyScop::getDependences() const {
  if (!known->dependences)
    known->dependences = getDependences(Copies());
  return *known->dependences;
}

Dependences PolyScop::getOrderedDependences() const {
  Dependences result = getDependences();
  result.reduction = selfReduction(stmts, /*ordered=*/true, result.all());
  return result;
}

isl::union_map PolyScop::getFlow(BlockArgument array) const {
  isl::union_map &flow = known->flows[array.getArgNumber()];
  if (flow.is_null())
    flow = findFlow(array);
  return flow;
}

isl::schedule getSchedule(isl::ctx context, ScopOp scop) {
  if (!scop.getScheduleAttr())
    return {};
  return isl::schedule(context, scop.getScheduleAttr().getText().str());
}

void setSchedule(ScopOp scop, const isl::schedule &schedule) {
  scop.setScheduleAttr(
      sched::TreeAttr::get(scop.getContext(), toText(schedule)));
}

} // namespace fusec::poly
