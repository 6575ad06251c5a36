// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/poly/PolyScop.h"

#include "llvm/ADT/StringExtras.h"
#include <isl/flow.h>
#include <isl/union_map.h>

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

static std::string domainText(StmtOp stmt) {
  std::vector<std::string> dims = names("i", stmt.getNumIterators());
  std::vector<std::string> bounds;
  for (auto [dim, extent] : llvm::zip(dims, stmt.getExtents()))
    bounds.push_back("0 <= " + dim + " < " + std::to_string(extent));
  return "{ " + tuple(stmt.getSymName(), dims) +
         (bounds.empty() ? "" : " : " + llvm::join(bounds, " and ")) + " }";
}

/// { stmt[i] -> mN[map(i)] : in bounds }
static std::string accessText(StmtOp stmt, AffineMap map, Value memref) {
  std::vector<std::string> dims = names("i", map.getNumDims());
  std::vector<std::string> subscripts, bounds;
  auto shape = cast<MemRefType>(memref.getType()).getShape();
  for (auto [expr, extent] : llvm::zip(map.getResults(), shape)) {
    subscripts.push_back(toIslText(expr, dims));
    bounds.push_back("0 <= " + subscripts.back() + " < " +
                     std::to_string(extent));
  }
  std::string condition = llvm::join(bounds, " and ");
  return "{ " + tuple(stmt.getSymName(), dims) + " -> " +
         tuple("m" + std::to_string(PolyScop::getNumber(memref)), subscripts) +
         (condition.empty() ? "" : " : " + condition) + " }";
}

PolyScop::PolyScop(isl::ctx context, ScopOp scop)
    : context(context), scop(scop), domain(context, "{ }"),
      order(context, "{ }") {
  unsigned depth = 0;
  for (StmtOp stmt : scop.getBody().getOps<StmtOp>())
    depth = std::max(depth, stmt.getNumIterators());
  for (StmtOp stmt : scop.getBody().getOps<StmtOp>()) {
    isl::set set(context, domainText(stmt));
    std::vector<std::string> dims = names("i", stmt.getNumIterators());
    std::vector<std::string> time = dims;
    time.insert(time.begin(), std::to_string(stmts.size()));
    time.resize(depth + 1, "0");
    std::string instance = tuple(stmt.getSymName(), dims);
    order = order.unite(isl::union_map(context, "{ " + instance + " -> " +
                                                    tuple("", time) + " }"));
    domain = domain.unite(isl::union_set(set));
    stmts.push_back({stmt, stmt.getSymName().str(), instance, set});
  }
  order = order.intersect_domain(domain);
  reads = accesses(/*write=*/false);
  writes = accesses(/*write=*/true);
}

const PolyStmt &PolyScop::getStmt(StringRef name) const {
  for (const PolyStmt &stmt : stmts)
    if (stmt.name == name)
      return stmt;
  llvm_unreachable("schedule of a statement that the scop lacks");
}

/// sched.gather is left out: it reads inputs, which no statement writes.
isl::union_map PolyScop::accesses(bool write) const {
  isl::union_map result(context, "{ }");
  for (const PolyStmt &stmt : stmts) {
    StmtOp op = stmt.op;
    OperandRange memrefs = write ? op.getWrites() : op.getReads();
    for (auto [index, memref] : llvm::enumerate(memrefs)) {
      AffineMap map = write ? op.getWriteMap(index) : op.getReadMap(index);
      result =
          result.unite(isl::union_map(context, accessText(op, map, memref)));
    }
  }
  return result.intersect_domain(domain);
}

/// { stmt[i] -> mN[a] } becomes { stmt[i] -> [[p] -> mN[a]] } for local arrays.
static isl::union_map
privatise(isl::union_map access,
          const std::map<std::string, isl::union_map> &prefixes) {
  isl::union_map result(access.ctx(), "{ }");
  access.foreach_map([&](isl::map map) {
    auto found = prefixes.find(map.range_tuple_id().name());
    isl::union_map one(map);
    result = result.unite(
        found == prefixes.end() ? one : found->second.range_product(one));
  });
  return result;
}

static isl::union_map selfReduction(ArrayRef<PolyStmt> stmts,
                                    isl::union_map dependences) {
  isl::union_map result(dependences.ctx(), "{ }");
  for (const PolyStmt &stmt : stmts) {
    if (stmt.op.getReduced().empty())
      continue;
    isl::union_set instances(stmt.domain);
    isl::union_map self = isl::manage(isl_union_map_from_domain_and_range(
        instances.copy(), instances.copy()));
    result = result.unite(dependences.intersect(self));
  }
  return result;
}

std::string getLocalMark(unsigned number) {
  return (kLocalMarkPrefix + Twine("m") + Twine(number)).str();
}

static isl::union_map flowOf(isl::union_map sinks, isl::union_map mustSources,
                             isl::union_map maySources, isl::union_map order) {
  isl::union_access_info info(sinks);
  info = info.set_must_source(mustSources);
  if (!maySources.is_null())
    info = info.set_may_source(maySources);
  info = info.set_schedule_map(order);
  isl::union_flow flow = info.compute_flow();
  return flow.may_dependence();
}

Dependences PolyScop::getDependences(const isl::schedule &schedule) const {
  isl::union_map readMap = reads, writeMap = writes;
  if (!schedule.is_null()) {
    std::map<std::string, isl::union_map> prefixes;
    schedule.root().foreach_descendant_top_down([&](isl::schedule_node node) {
      std::string mark = getMarkName(node);
      if (StringRef(mark).starts_with(kLocalMarkPrefix))
        prefixes[mark.substr(kLocalMarkPrefix.size())] =
            node.prefix_schedule_union_map();
      return true;
    });
    readMap = privatise(readMap, prefixes);
    writeMap = privatise(writeMap, prefixes);
  }
  Dependences result;
  result.flow = flowOf(readMap, writeMap, {}, order);
  result.storage = flowOf(writeMap, writeMap, readMap, order);
  result.reduction = selfReduction(stmts, result.all());
  return result;
}

isl::union_map PolyScop::getFlow(BlockArgument array) const {
  std::vector<std::string> subscripts =
      names("a", cast<MemRefType>(array.getType()).getRank());
  isl::union_set elements(
      context,
      "{ " + tuple("m" + std::to_string(getNumber(array)), subscripts) + " }");
  return flowOf(reads.intersect_range(elements),
                writes.intersect_range(elements), {}, order);
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
