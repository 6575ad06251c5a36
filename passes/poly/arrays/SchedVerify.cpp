// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/poly/Passes.h"
#include "passes/poly/Steps.h"
#include "passes/poly/arrays/Locals.h"
#include "passes/poly/arrays/ThreadRows.h"
#include "passes/poly/tree/Running.h"

namespace fusec::poly {
#define GEN_PASS_DEF_SCHEDVERIFY
#include "passes/poly/Passes.h.inc"
} // namespace fusec::poly

using namespace mlir;
using namespace fusec;
using namespace fusec::poly;
using fusec::sched::ScopOp;

namespace {

struct SchedVerifyPass : fusec::poly::impl::SchedVerifyBase<SchedVerifyPass> {
  using SchedVerifyBase::SchedVerifyBase;

  void runOnOperation() override {
    auto work = [&](PolyContext &context, ScopOp scop) {
      return verifyWithin(context, scop);
    };
    if (failed(forEachScop(getOperation(), getAnalysis<PolyContexts>(), work)))
      signalPassFailure();
    markAllAnalysesPreserved();
  }

  LogicalResult verifyWithin(PolyContext &context, ScopOp scop) {
    if (!scop.getScheduleAttr()) {
      scop.emitRemark("not verified: it has no schedule");
      return success();
    }
    auto result = runStep(
        context, scop, IslLimit::of(operations, limit),
        "the proof of its schedule",
        [&](PolyContext &context, ScopOp op) { return verify(context, op); });
    if (result)
      return *result;
    return scop.emitOpError("has a schedule that is not proven to be legal; "
                            "raise --sched-verify's operations and limit");
  }

  std::optional<Violation>
  findViolationOfThreads(const PolyScop &poly, const isl::schedule &schedule) {
    llvm::DenseSet<Value> ofThreads = getLocals(poly, schedule);
    llvm::DenseSet<Value> allowed = findPrivate(poly, schedule, ofThreads);
    for (BlockArgument array : poly.getOp().getArrays())
      if (ofThreads.contains(array) && !allowed.contains(array))
        return Violation{
            "a value of array " + poly.getOp().getArrayName(array) +
                ", which each thread has of its own, goes from one to another",
            "below mark local_m" + std::to_string(array.getArgNumber())};
    return barriers ? findRace(poly, schedule, ofThreads) : std::nullopt;
  }

  LogicalResult verify(PolyContext &context, ScopOp scop) {
    PolyScop poly(context, scop);
    isl::schedule schedule = getSchedule(context.get(), scop);
    FailureOr<std::vector<LocalMark>> locals = findLocals(scop, schedule);
    if (failed(locals))
      return failure();
    std::map<unsigned, std::vector<LocalMark>> marks;
    for (const LocalMark &mark : *locals)
      marks[mark.local.array.getArgNumber()].push_back(mark);
    Copies copies;
    for (auto &[number, ofArray] : marks) {
      isl::union_map &copy = copies[number];
      copy = isl::union_map(context.get(), "{ }");
      for (const LocalMark &mark : ofArray)
        if (!mark.local.isCopy)
          copy = copy.unite(mark.node.prefix_schedule_union_map());
      if (copy.is_empty())
        copies.erase(number);
    }
    std::optional<Violation> violation =
        findViolation(poly, schedule, poly.getDependences());
    // Most schedules are legal for whole arrays, too; variants share the
    // dependences of these.
    if (violation && !copies.empty())
      violation = findViolation(poly, schedule, poly.getDependences(copies));
    for (auto &[number, ofArray] : marks)
      if (!violation)
        violation = findViolation(poly, ofArray);
    if (!violation && leavesOut(scop))
      violation = findMissing(poly, getRunning(poly));
    if (!violation && hasSharedLoops(poly, schedule))
      violation = findViolationOfThreads(poly, schedule);
    if (!violation)
      return success();
    InFlightDiagnostic diagnostic =
        scop.emitOpError() << "has an illegal schedule: " << violation->reason;
    diagnostic.attachNote() << "for example " << violation->example;
    return diagnostic;
  }
};

} // namespace
