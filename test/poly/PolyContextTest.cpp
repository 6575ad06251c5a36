// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What is kept of scops from one pass to the next is that of the statements
// which they have by then.
#include "passes/poly/Passes.h"
#include "passes/poly/tree/PolyScop.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/Pass.h"
#include "mlir/Pass/PassManager.h"
#include <gtest/gtest.h>

using namespace fusec;
using namespace fusec::poly;
using mlir::AffineMap;

namespace {

// Each element is read right after it is written.
constexpr llvm::StringLiteral kScop = R"(
sched.scop @pair ins(%x: memref<8xf32>) outs(%y: memref<8xf32>) arrays(%s: memref<8xf32>)
    schedule(#sched.tree<["domain: \22{ make[i0] : 0 <= i0 <= 7; use[i0] : 0 <= i0 <= 7 }\22", "child:", "  schedule: \22[{ make[i0] -> [(i0)]; use[i0] -> [(i0)] }]\22", "  child:", "    sequence:", "    - filter: \22{ make[i0] }\22", "    - filter: \22{ use[i0] }\22"]>) {
  sched.stmt @make [i: 8] reads %x[i] writes %s[i] {
  ^bb0(%0: f32):
    sched.yield %0 : f32
  }
  sched.stmt @use [i: 8] reads %s[i] writes %y[i] {
  ^bb0(%0: f32):
    sched.yield %0 : f32
  }
}
)";

class PolyContextTest : public testing::Test {
protected:
  PolyContextTest() {
    context.loadDialect<sched::SchedDialect, mlir::arith::ArithDialect>();
    module = mlir::parseSourceString<mlir::ModuleOp>(kScop, &context);
    scop = *module->getOps<sched::ScopOp>().begin();
  }

  static sched::StmtOp getUse(sched::ScopOp scop) {
    return *std::next(scop.getBody().getOps<sched::StmtOp>().begin());
  }

  /// `use` reads the elements in reverse.
  static void reverseReads(sched::ScopOp scop) {
    mlir::MLIRContext *context = scop.getContext();
    AffineMap reverse =
        AffineMap::get(1, 0, 7 - mlir::getAffineDimExpr(0, context), context);
    mlir::OpBuilder builder(context);
    getUse(scop).setReadMapsAttr(builder.getAffineMapArrayAttr({reverse}));
  }

  mlir::MLIRContext context;
  mlir::OwningOpRef<mlir::ModuleOp> module;
  sched::ScopOp scop;
};

/// Stands for a client that rewrites statements between passes.
struct EditScop
    : mlir::PassWrapper<EditScop, mlir::OperationPass<mlir::ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(EditScop)
  explicit EditScop(std::function<void(sched::ScopOp)> edit)
      : edit(std::move(edit)) {}
  void runOnOperation() override {
    edit(*getOperation().getOps<sched::ScopOp>().begin());
  }
  std::function<void(sched::ScopOp)> edit;
};

TEST_F(PolyContextTest, KnowsScopsByTheirStatements) {
  PolyContext isl;
  auto known = isl.getKnown(scop);
  auto isKnown = [&](llvm::function_ref<void(sched::ScopOp)> edit) {
    mlir::OwningOpRef<sched::ScopOp> other = scop.clone();
    edit(*other);
    return isl.getKnown(*other) == known;
  };
  EXPECT_TRUE(isKnown([](sched::ScopOp other) { other.setSymName("other"); }));
  EXPECT_TRUE(isKnown([](sched::ScopOp other) { other.removeScheduleAttr(); }));
  EXPECT_FALSE(isKnown(reverseReads));
  EXPECT_FALSE(isKnown([](sched::ScopOp other) {
    getUse(other).setExtents(llvm::ArrayRef<int64_t>{4});
  }));
  EXPECT_FALSE(
      isKnown([](sched::ScopOp other) { getUse(other).setSymName("other"); }));
  EXPECT_FALSE(isKnown([](sched::ScopOp other) {
    getUse(other)->setOperand(0, other.getBody().getArgument(0));
  }));
  EXPECT_FALSE(isKnown([](sched::ScopOp other) {
    mlir::BlockArgument array = other.getBody().getArgument(2);
    array.setType(
        mlir::MemRefType::get({9}, mlir::Float32Type::get(other.getContext())));
  }));
  EXPECT_FALSE(isKnown([](sched::ScopOp other) { getUse(other).erase(); }));
}

TEST_F(PolyContextTest, FindsOnceWhatSeveralAskFor) {
  PolyContext isl;
  mlir::OwningOpRef<sched::ScopOp> variant = scop.clone();
  EXPECT_EQ(&PolyScop(isl, scop).getDependences(),
            &PolyScop(isl, *variant).getDependences());
}

TEST_F(PolyContextTest, PassesSeeStatementsThatChanged) {
  context.getDiagEngine().registerHandler([](mlir::Diagnostic &) {});
  mlir::PassManager legal(&context);
  legal.addPass(createSchedVerify());
  legal.addPass(std::make_unique<EditScop>([](sched::ScopOp) {}));
  legal.addPass(createSchedVerify());
  EXPECT_TRUE(succeeded(legal.run(*module)));

  mlir::PassManager changed(&context);
  changed.addPass(createSchedVerify());
  changed.addPass(std::make_unique<EditScop>(reverseReads));
  changed.addPass(createSchedVerify());
  EXPECT_TRUE(failed(changed.run(*module)))
      << "the second proof is of the statements that the first one saw";
}

TEST_F(PolyContextTest, ForgetsWhatIslWasStoppedIn) {
  PolyContext isl;
  std::weak_ptr<KnownFlows> known = isl.getKnown(scop);
  isl.renew();
  EXPECT_TRUE(known.expired());
  EXPECT_FALSE(PolyScop(isl, scop).getDependences().flow.is_empty());
}

} // namespace
