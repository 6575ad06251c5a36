// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/poly/tree/Isl.h"

#include "mlir/IR/SymbolTable.h"
#include "llvm/Support/TimeProfiler.h"
#include <condition_variable>
#include <isl/aff.h>
#include <isl/local_space.h>
#include <isl/options.h>
#include <isl/printer.h>
#include <isl/schedule.h>
#include <isl/schedule_node.h>
#include <isl/set.h>
#include <isl/val.h>
#include <mutex>
#include <pthread.h>
#include <system_error>
#include <thread>
#include <time.h>

using namespace mlir;

namespace fusec::poly {

static isl_ctx *allocate() {
  isl_ctx *context = isl_ctx_alloc();
  // Softmax and the norms become one coincident row loop with these four; the
  // defaults split them into separate nests.
  isl_options_set_schedule_outer_coincidence(context, 1);
  isl_options_set_schedule_max_constant_term(context, 0);
  isl_options_set_schedule_treat_coalescing(context, 1);
  isl_options_set_schedule_whole_component(context, 0);
  // Errors are thrown; isl need not print them, too.
  isl_options_set_on_error(context, ISL_ON_ERROR_CONTINUE);
  // A tail is a bound, never a copy of the code.
  isl_options_set_ast_build_atomic_upper_bound(context, 1);
  isl_options_set_ast_build_exploit_nested_bounds(context, 1);
  // What an iteration shares, such as the local array of a mark, has one loop:
  // statements of its last iteration alone get none of their own behind it.
  isl_options_set_ast_build_group_coscheduled(context, 1);
  return context;
}

IslContext::IslContext() : context(allocate()) {}

IslContext::~IslContext() { isl_ctx_free(context); }

void IslContext::renew() {
  isl_ctx_free(context);
  context = allocate();
}

/// What the thread of `clock` has computed for. A busy machine stretches the
/// time of the wall, which must not change what is emitted.
static std::chrono::milliseconds getProcessorTime(clockid_t clock) {
  timespec time = {};
  clock_gettime(clock, &time);
  return std::chrono::milliseconds(time.tv_sec * 1000 + time.tv_nsec / 1000000);
}

bool IslContext::runWithin(const IslLimit &limit,
                           llvm::function_ref<void()> work) {
  std::mutex mutex;
  std::condition_variable done;
  bool finished = false, aborted = false;
  clockid_t clock;
  pthread_getcpuclockid(pthread_self(), &clock);
  std::chrono::milliseconds end = getProcessorTime(clock) + limit.time;
  isl_ctx_reset_operations(context);
  isl_ctx_set_max_operations(context, limit.operations);
  std::thread watchdog([&, clock] {
    std::unique_lock<std::mutex> lock(mutex);
    for (auto now = getProcessorTime(clock); now < end;
         now = getProcessorTime(clock))
      if (done.wait_for(lock, end - now, [&] { return finished; }))
        return;
    aborted = true;
    isl_ctx_abort(context);
  });
  std::exception_ptr failure;
  try {
    work();
  } catch (...) {
    failure = std::current_exception();
  }
  // Where isl stops it hands out null, which others complain about; it does so
  // for everything that it is asked for from then on.
  isl_val *probe = isl_val_one(context);
  bool exceeded = failure && !probe;
  isl_val_free(probe);
  {
    std::lock_guard<std::mutex> lock(mutex);
    finished = true;
  }
  done.notify_one();
  watchdog.join();
  isl_ctx_set_max_operations(context, 0);
  isl_ctx_reset_operations(context);
  if (aborted || exceeded) {
    isl_ctx_resume(context);
    isl_ctx_reset_error(context);
    return false;
  }
  if (failure)
    std::rethrow_exception(failure);
  return true;
}

void reportStopped(Operation *op, const Twine &what) {
  op->emitWarning() << "isl did not end " << what
                    << " within its limit and was stopped";
  op->setAttr("timed_out", UnitAttr::get(op->getContext()));
}

LogicalResult guarded(Operation *op, llvm::function_ref<LogicalResult()> work) {
  // With a profiler (fusec compile --trace), the work on each scop is a slice.
  llvm::TimeTraceScope slice("scop", [&] {
    auto name = op->getAttrOfType<StringAttr>(SymbolTable::getSymbolAttrName());
    return name ? name.str() : std::string();
  });
  try {
    return work();
  } catch (const isl::exception &error) {
    return op->emitError() << "isl refused: " << error.what();
  } catch (const std::system_error &error) {
    return op->emitError()
           << "the thread that watches isl cannot be started: "
           << error.code().message()
           << "; allow this process more threads, or smaller stacks of them "
              "(ulimit -u, ulimit -s)";
  }
}

isl::aff toIslAff(AffineExpr expr, const isl::space &space) {
  isl::ctx context = space.ctx();
  auto local = [&] { return isl_local_space_from_space(space.copy()); };
  switch (expr.getKind()) {
  case AffineExprKind::Constant: {
    long value = cast<AffineConstantExpr>(expr).getValue();
    return isl::manage(
        isl_aff_val_on_domain(local(), isl::val(context, value).release()));
  }
  case AffineExprKind::DimId:
    return isl::manage(isl_aff_var_on_domain(
        local(), isl_dim_set, cast<AffineDimExpr>(expr).getPosition()));
  default:
    break;
  }
  auto binary = cast<AffineBinaryOpExpr>(expr);
  isl::aff lhs = toIslAff(binary.getLHS(), space);
  isl::aff rhs = toIslAff(binary.getRHS(), space);
  // The right operand of the others is a constant.
  isl::val factor = isl::manage(isl_aff_get_constant_val(rhs.get()));
  switch (expr.getKind()) {
  case AffineExprKind::Add:
    return isl::manage(isl_aff_add(lhs.release(), rhs.release()));
  case AffineExprKind::Mul:
    return isl::manage(isl_aff_scale_val(lhs.release(), factor.release()));
  case AffineExprKind::Mod:
    return isl::manage(isl_aff_mod_val(lhs.release(), factor.release()));
  case AffineExprKind::FloorDiv:
    return isl::manage(
        isl_aff_floor(isl_aff_scale_down_val(lhs.release(), factor.release())));
  default:
    return isl::manage(
        isl_aff_ceil(isl_aff_scale_down_val(lhs.release(), factor.release())));
  }
}

isl::set getNonNegative(AffineExpr expr, const isl::space &space) {
  return isl::manage(isl_pw_aff_nonneg_set(
      isl_pw_aff_from_aff(toIslAff(expr, space).release())));
}

isl::union_set getDomain(const isl::schedule_node &node) {
  return isl::manage(isl_schedule_node_get_domain(node.get()));
}

unsigned getScheduleDepth(const isl::schedule_node &node) {
  return unsigned(isl_schedule_node_get_schedule_depth(node.get()));
}

std::string getMarkName(const isl::schedule_node &node) {
  if (!node.isa<isl::schedule_node_mark>())
    return {};
  return isl::manage(isl_schedule_node_mark_get_id(node.get())).name();
}

std::string getTupleName(const isl::set &set) {
  return isl_set_get_tuple_name(set.get());
}

std::string toText(const isl::schedule &schedule) {
  isl_printer *printer = isl_printer_to_str(schedule.ctx().get());
  printer = isl_printer_set_yaml_style(printer, ISL_YAML_STYLE_BLOCK);
  printer = isl_printer_print_schedule(printer, schedule.get());
  char *text = isl_printer_get_str(printer);
  isl_printer_free(printer);
  std::string result(text);
  free(text);
  return result;
}

} // namespace fusec::poly
