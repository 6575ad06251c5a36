// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/kernel/AffineForms.h"

#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace fusec::kernel {

AffineExpr AffineForm::getDim(Value value) {
  auto found = llvm::find(operands, value);
  unsigned position = found - operands.begin();
  if (found == operands.end())
    operands.push_back(value);
  return getAffineDimExpr(position, value.getContext());
}

void AffineForm::compose() {
  SmallVector<Value> old = std::move(operands);
  operands.clear();
  if (old.empty()) {
    for (AffineExpr &expr : exprs)
      expr = simplifyAffineExpr(expr, 0, numSymbols);
    return;
  }

  // Each old operand as an expression of the new ones.
  std::function<AffineExpr(Value)> expand = [&](Value value) -> AffineExpr {
    if (auto constant = value.getDefiningOp<arith::ConstantIndexOp>())
      return getAffineConstantExpr(constant.value(), value.getContext());
    auto apply = value.getDefiningOp<ApplyOp>();
    if (!apply)
      return getDim(value);
    SmallVector<AffineExpr> inner;
    for (Value operand : apply.getOperands())
      inner.push_back(expand(operand));
    return apply.getMap().getResult(0).replaceDims(inner);
  };
  SmallVector<AffineExpr> replacements;
  for (Value value : old)
    replacements.push_back(expand(value));
  for (AffineExpr &expr : exprs)
    expr = simplifyAffineExpr(expr.replaceDims(replacements), operands.size(),
                              numSymbols);

  MLIRContext *context = old.front().getContext();
  SmallVector<Value> used;
  SmallVector<AffineExpr> renumbered;
  for (unsigned dim = 0; dim < operands.size(); ++dim) {
    bool isUsed = llvm::any_of(
        exprs, [&](AffineExpr expr) { return expr.isFunctionOfDim(dim); });
    renumbered.push_back(getAffineDimExpr(used.size(), context));
    if (isUsed)
      used.push_back(operands[dim]);
  }
  for (AffineExpr &expr : exprs)
    expr = expr.replaceDims(renumbered);
  operands = std::move(used);
}

void AffineForm::remap(const IRMapping &mapping) {
  for (Value &operand : operands)
    operand = mapping.lookupOrDefault(operand);
}

AffineExpr AffineForm::linearize(ArrayRef<int64_t> shape) const {
  MLIRContext *context = exprs.empty() ? nullptr : exprs.front().getContext();
  if (!context)
    return {};
  AffineExpr linear = getAffineConstantExpr(0, context);
  for (auto [subscript, extent] : llvm::zip(exprs, shape))
    linear = linear * extent + subscript;
  return simplifyAffineExpr(linear, operands.size(), numSymbols);
}

AffineForm formOf(Value value) {
  AffineForm form;
  form.exprs.push_back(form.getDim(value));
  form.compose();
  return form;
}

AffineForm formOf(IntegerSet set, ValueRange operands) {
  AffineForm form;
  form.exprs.assign(set.getConstraints().begin(), set.getConstraints().end());
  form.operands.assign(operands.begin(), operands.end());
  return form;
}

AffineForm subtract(const AffineForm &a, const AffineForm &b) {
  AffineForm result = a;
  SmallVector<AffineExpr> dims;
  for (Value operand : b.operands)
    dims.push_back(result.getDim(operand));
  result.exprs = {a.exprs.front() - b.exprs.front().replaceDims(dims)};
  result.compose();
  return result;
}

bool hasWholeVectors(const AffineForm &lower, const AffineForm &upper) {
  auto isMultiple = [](AffineExpr expr) { return expr.isMultipleOf(kLanes); };
  return llvm::all_of(lower.exprs, isMultiple) &&
         llvm::all_of(upper.exprs, isMultiple);
}

std::optional<int64_t> getMostTrips(const AffineForm &lower,
                                    const AffineForm &upper) {
  std::optional<int64_t> most;
  for (AffineExpr expr : upper.exprs) {
    AffineForm bound = upper;
    bound.exprs = {expr};
    auto trips =
        dyn_cast<AffineConstantExpr>(subtract(bound, lower).exprs.front());
    if (trips)
      most = std::min(most.value_or(trips.getValue()), trips.getValue());
  }
  return most;
}

void rewriteForms(Operation *op, function_ref<void(AffineForm &)> change) {
  MLIRContext *context = op->getContext();
  auto changeMap = [&](AffineMap map, OperandRange operands, auto store,
                       Value memref = {}) {
    AffineForm form(map, operands, memref);
    change(form);
    store(AffineMapAttr::get(form.getMap(context)), ValueRange(form.operands));
  };
  auto changeSet = [&](IntegerSet set, OperandRange operands, auto store) {
    AffineForm form = formOf(set, operands);
    change(form);
    store(IntegerSetAttr::get(IntegerSet::get(form.operands.size(), 0,
                                              form.exprs, set.getEqFlags())),
          ValueRange(form.operands));
  };
  auto changeIndices = [&](auto indexed, Value memref = {}) {
    changeMap(
        indexed.getMap(), indexed.getIndices(),
        [&](AffineMapAttr map, ValueRange operands) {
          indexed.setMapAttr(map);
          indexed.getIndicesMutable().assign(operands);
        },
        memref);
  };
  auto changeAccess = [&](auto access) {
    changeIndices(access, access.getMemref());
  };
  auto changePart = [&](AffineMap map, StringAttr name,
                        MutableOperandRange indices, Value memref = {}) {
    changeMap(
        map, OperandRange(indices),
        [&](AffineMapAttr changed, ValueRange operands) {
          op->setAttr(name, changed);
          indices.assign(operands);
        },
        memref);
  };
  auto changeValue = [&](auto value) {
    changeMap(value.getMap(), value.getOperands(),
              [&](AffineMapAttr map, ValueRange operands) {
                value.setMapAttr(map);
                value->setOperands(operands);
              });
  };
  llvm::TypeSwitch<Operation *>(op)
      .Case<LoadOp, StoreOp, AtomicOp, PrefetchOp, GatherOp, LoadRowOp,
            StoreRowOp>(changeAccess)
      .Case([&](TailMaskOp mask) { changeIndices(mask); })
      .Case([&](StoreTransposedOp store) {
        changeAccess(store);
        changePart(store.getRowsMap(), store.getRowsMapAttrName(),
                   store.getRowsIndicesMutable(), store.getRows());
      })
      .Case([&](AddProductsOp add) {
        changePart(add.getLhsMap(), add.getLhsMapAttrName(),
                   add.getLhsIndicesMutable(), add.getLhs());
        changePart(add.getRhsMap(), add.getRhsMapAttrName(),
                   add.getRhsIndicesMutable(), add.getRhs());
        changePart(add.getSumsMap(), add.getSumsMapAttrName(),
                   add.getSumsIndicesMutable(), add.getSums());
      })
      .Case([&](AddMatricesOp add) {
        changePart(add.getRowsMap(), add.getRowsMapAttrName(),
                   add.getRowsIndicesMutable(), add.getRows());
        changePart(add.getColumnsMap(), add.getColumnsMapAttrName(),
                   add.getColumnsIndicesMutable(), add.getColumns());
      })
      .Case([&](CopyAsyncOp copy) {
        changePart(copy.getMap(), copy.getMapAttrName(),
                   copy.getIndicesMutable());
        changePart(copy.getToMap(), copy.getToMapAttrName(),
                   copy.getToIndicesMutable());
      })
      .Case<ApplyOp, MinOp>(changeValue)
      .Case([&](ForOp loop) {
        changeMap(loop.getLowerMap(), loop.getLowerOperands(),
                  [&](AffineMapAttr map, ValueRange operands) {
                    loop.setLower(map.getValue(), operands);
                  });
        changeMap(loop.getUpperMap(), loop.getUpperOperands(),
                  [&](AffineMapAttr map, ValueRange operands) {
                    loop.setUpper(map.getValue(), operands);
                  });
      })
      .Case([&](IfOp branch) {
        changeSet(branch.getCondition(), branch.getOperands(),
                  [&](IntegerSetAttr set, ValueRange operands) {
                    branch.setConditionAttr(set);
                    branch->setOperands(operands);
                  });
      })
      .Case([&](InBoundsOp test) {
        // The dim that counts the lanes has to stay one.
        if (test.getLaneDim())
          return;
        changeSet(test.getCondition(), test.getOperands(),
                  [&](IntegerSetAttr set, ValueRange operands) {
                    test.setConditionAttr(set);
                    test->setOperands(operands);
                  });
      });
}

ForOp createLoop(OpBuilder &builder, Location loc, Location indexLoc,
                 AffineForm lower, AffineForm upper, int64_t step,
                 Mapping mapping) {
  lower.compose();
  upper.compose();
  MLIRContext *context = builder.getContext();
  auto loop =
      ForOp::create(builder, loc, lower.getMap(context), lower.operands,
                    upper.getMap(context), upper.operands, step, mapping);
  loop.getIndex().setLoc(indexLoc);
  return loop;
}

} // namespace fusec::kernel
