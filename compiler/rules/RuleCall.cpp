// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/rules/RuleCall.h"

#include "compiler/rules/ForeignCode.h"
#include "compiler/rules/RuleTable.h"
#include "dialects/Limits.h"

#include "mlir/IR/Dominance.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;
using namespace fusec::fuse;

namespace fusec::rules {

//===- Calls --------------------------------------------------------------===//

/// Runs code of the rule, which may not throw.
template <typename Function>
static void runForeign(const ForeignRule &rule, std::string &fault,
                       Function function) {
  ForeignCode running(rule.library, ("the rule " + rule.rule.name).str(),
                      hintAt(rule));
  try {
    function();
  } catch (const std::exception &error) {
    fault = std::string("throws an exception: ") + error.what();
  } catch (...) {
    fault = "throws an exception";
  }
}

bool RuleCall::matches() {
  if (!rule.functions->condition)
    return true;
  bool applies = false;
  std::string thrown;
  runForeign(rule, thrown, [&] {
    applies = rule.functions->condition(rule.functions->self, &getRuleTable(),
                                        this, number(anchor)) != 0;
  });
  if (!thrown.empty())
    blame(thrown);
  return applies && fault.empty();
}

fusec_rule_effect RuleCall::apply() {
  fusec_rule_effect effect = FUSEC_RULE_NONE;
  std::string thrown;
  isApplying = true;
  runForeign(rule, thrown, [&] {
    effect = rule.functions->apply(rule.functions->self, &getRuleTable(), this,
                                   number(anchor));
  });
  isApplying = false;
  if (!thrown.empty())
    blame(thrown);
  if (fault.empty())
    checkEffect(effect);
  if (fault.empty())
    verifyTouched();
  return effect;
}

void RuleCall::blame(const Twine &text) {
  if (fault.empty())
    fault = text.str();
}

bool RuleCall::mayChange(StringRef function) {
  if (!isApplying)
    blame("calls " + function + " in its condition, which may change nothing");
  return isApplying && fault.empty();
}

//===- Numbers ------------------------------------------------------------===//

fusec_rule_op RuleCall::number(Operation *op) {
  if (!op)
    return 0;
  auto [found, isNew] = opNumbers.try_emplace(op, ops.size() + 1);
  if (isNew)
    ops.push_back(op);
  return found->second;
}

fusec_rule_value RuleCall::number(Value value) {
  if (!value)
    return 0;
  auto [found, isNew] = valueNumbers.try_emplace(value, values.size() + 1);
  if (isNew)
    values.push_back(value);
  return found->second;
}

Operation *RuleCall::getOp(fusec_rule_op number) {
  if (number > ops.size())
    blame("uses " + Twine(number) +
          " as an operation, which is the number of "
          "none");
  return number == 0 || number > ops.size() ? nullptr : ops[number - 1];
}

Value RuleCall::getValue(fusec_rule_value number) {
  if (number > values.size())
    blame("uses " + Twine(number) + " as a value, which is the number of none");
  return number == 0 || number > values.size() ? Value() : values[number - 1];
}

const char *RuleCall::keep(StringRef text) {
  return texts.emplace_back(text.str()).c_str();
}

//===- Changes ------------------------------------------------------------===//

/// The first error that `run` reports, or "".
template <typename Run>
static std::string collectError(MLIRContext *context, Run run) {
  std::string text;
  ScopedDiagnosticHandler handler(context, [&](Diagnostic &diagnostic) {
    if (text.empty())
      text = diagnostic.str();
    return success();
  });
  if (failed(run()) && text.empty())
    text = "is invalid";
  return text;
}

RankedTensorType RuleCall::toType(const fusec_rule_type *type) {
  const TypeInfo *info = nullptr;
  __int128 bytes = 1;
  if (type && type->struct_bytes >= sizeof(fusec_rule_type) &&
      (type->dims || type->rank == 0) && type->rank <= 64)
    info = getTypeInfoForOnnx(type->dtype);
  if (info) {
    for (int64_t extent : ArrayRef(type->dims, type->rank)) {
      bytes = extent < 0 ? kMaxTensorBytes + __int128(1) : bytes * extent;
      if (bytes > kMaxTensorBytes)
        break;
    }
    bytes *= info->storageBytes();
  }
  if (!info || bytes > kMaxTensorBytes) {
    blame("gives a type that no tensor has");
    return {};
  }
  return RankedTensorType::get(ArrayRef(type->dims, type->rank),
                               info->get(anchor->getContext()));
}

Operation *RuleCall::make(StringRef name, ArrayRef<fusec_rule_value> operands,
                          ArrayRef<const fusec_rule_attribute *> given,
                          ArrayRef<const fusec_rule_type *> results) {
  MLIRContext *context = anchor->getContext();
  auto info = RegisteredOperationName::lookup(name, context);
  if (!info ||
      info->getDialectNamespace() != FuseDialect::getDialectNamespace()) {
    blame("makes an operation '" + name +
          "', which the dialect fuse does not have");
    return nullptr;
  }
  OperationState state(anchor->getLoc(), *info);
  for (fusec_rule_value operand : operands) {
    Value value = getValue(operand);
    if (!value)
      blame("makes a " + name + " that reads no value");
    state.operands.push_back(value);
  }
  for (const fusec_rule_attribute *attribute : given) {
    std::string wrong;
    Attribute built;
    if (attribute)
      built = buildAttribute(*info, *attribute, wrong);
    if (!built) {
      blame(wrong.empty() ? "gives an attribute that is NULL" : wrong);
      return nullptr;
    }
    if (attribute->kind == FUSEC_RULE_FLAG && isa<UnitAttr>(built) &&
        !attribute->ints[0])
      continue;
    state.addAttribute(attribute->name, built);
  }
  for (const fusec_rule_type *result : results)
    if (RankedTensorType type = toType(result))
      state.addTypes(type);
  if (!fault.empty())
    return nullptr;
  OpBuilder builder(anchor);
  Operation *op = builder.create(state);
  made.insert(op);
  for (const NamedAttribute &attribute : state.attributes)
    if (op->getAttr(attribute.getName()) != attribute.getValue())
      blame("gives the attribute '" + attribute.getName().getValue() + "' of " +
            name + " a value that it does not take");
  std::string wrong = collectError(context, [&] { return verify(op); });
  if (!wrong.empty()) {
    blame("makes a " + name + " that is invalid: " + wrong);
    return nullptr;
  }
  if (op->getNumRegions() || op->hasTrait<OpTrait::IsTerminator>() ||
      isa<SymbolOpInterface, SymbolUserOpInterface>(op) ||
      !isMemoryEffectFree(op)) {
    blame("makes a " + name +
          ", and rules make no operation with a body, a name or effects");
    return nullptr;
  }
  return op;
}

Value RuleCall::makeConstant(const fusec_rule_type *given,
                             ArrayRef<char> bytes) {
  RankedTensorType type = toType(given);
  if (!type)
    return {};
  if (isPartOfByte(type)) {
    blame("makes a constant of elements of less than a byte");
    return {};
  }
  const int64_t needed = type.getNumElements() *
                         getTypeInfo(type.getElementType())->storageBytes();
  if (int64_t(bytes.size()) != needed || (needed && !bytes.data())) {
    blame("makes a constant of " + Twine(bytes.size()) +
          " bytes, and its type has " + Twine(needed));
    return {};
  }
  // In front of all that may come to read it: what is replaced by it, too.
  Block *block = anchor->getBlock();
  while (block->getParentOp()->getParentOp() &&
         !isa<ModuleOp>(block->getParentOp()->getParentOp()))
    block = block->getParentOp()->getBlock();
  OpBuilder builder = OpBuilder::atBlockBegin(block);
  Value constant =
      createConstant(builder, anchor->getLoc(), type, bytes, rule.rule.name);
  made.insert(constant.getDefiningOp());
  return constant;
}

/// What is wrong with a value in the place of another, or "".
static std::string compareTypes(Value before, Value after) {
  if (before.getType() == after.getType())
    return "";
  std::string text;
  llvm::raw_string_ostream(text)
      << "puts a value of type " << after.getType()
      << " in the place of one of " << before.getType();
  return text;
}

void RuleCall::setOperand(Operation *op, unsigned index, Value value) {
  if (op != anchor)
    return blame("calls set_operand with another operation than the one that "
                 "it is applied to");
  if (index >= op->getNumOperands() || !value)
    return blame("calls set_operand with an operand or a value that there is "
                 "not");
  Value before = op->getOperand(index);
  if (std::string wrong = compareTypes(before, value); !wrong.empty())
    return blame(wrong);
  if (before == value)
    return;
  op->setOperand(index, value);
  touched.insert(op);
  changedAnchor = true;
}

void RuleCall::replace(Value from, Value to) {
  if (!from || !to)
    return blame("calls replace with a value that there is not");
  if (std::string wrong = compareTypes(from, to); !wrong.empty())
    return blame(wrong);
  bool changed = false;
  for (OpOperand &use : llvm::make_early_inc_range(from.getUses())) {
    if (made.contains(use.getOwner()) || from == to)
      continue;
    touched.insert(use.getOwner());
    use.set(to);
    changed = true;
  }
  if (changed)
    (from.getDefiningOp() == anchor ? replacedResults : replacedOthers) = true;
}

//===- Checks -------------------------------------------------------------===//

void RuleCall::checkEffect(fusec_rule_effect effect) {
  const bool changed = changedAnchor || replacedResults || replacedOthers;
  const bool isRead = !anchor->use_empty();
  switch (effect) {
  case FUSEC_RULE_NONE:
    if (changed || !made.empty())
      blame(Twine("says that it did nothing (FUSEC_RULE_NONE), and ") +
            (changed ? "changed the network" : "made an operation"));
    return;
  case FUSEC_RULE_UPDATED:
    if (replacedOthers)
      blame("says that it changed its operation (FUSEC_RULE_UPDATED), and "
            "changed readers of other values");
    else if (!changed)
      blame("says that it changed its operation (FUSEC_RULE_UPDATED), and did "
            "nothing");
    else if (!isRead)
      blame("says that it changed its operation (FUSEC_RULE_UPDATED), which "
            "nothing reads any more");
    return;
  case FUSEC_RULE_REMOVED:
    if (isRead)
      blame("says that its operation is not needed any more "
            "(FUSEC_RULE_REMOVED), and it is still read");
    else if (replacedOthers)
      blame("says that it replaced its operation (FUSEC_RULE_REMOVED), and "
            "changed readers of other values");
    return;
  case FUSEC_RULE_REST:
    if (!changed)
      blame("says that it changed the network (FUSEC_RULE_REST), and did "
            "nothing");
    return;
  default:
    blame("returns " + Twine(effect) + ", which is no effect");
  }
}

void RuleCall::verifyTouched() {
  DominanceInfo dominance;
  touched.insert_range(made);
  for (Operation *op : touched) {
    std::string wrong =
        collectError(op->getContext(), [&] { return verify(op); });
    if (!wrong.empty())
      return blame("leaves " + op->getName().getStringRef() +
                   " invalid: " + wrong);
    for (Value operand : op->getOperands())
      if (!dominance.properlyDominates(operand, op))
        return blame("lets " + op->getName().getStringRef() +
                     " read a value that is computed behind it");
  }
}

} // namespace fusec::rules
