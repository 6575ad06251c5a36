// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What rules ask and change, as functions with C linkage types: each finds its
// RuleCall, and what numbers stand for there.
#include "compiler/rules/RuleTable.h"

#include "compiler/rules/RuleCall.h"
#include "dialects/TypeInfo.h"
#include "dialects/fuse/ValueLocation.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

using namespace mlir;
using namespace fusec::fuse;

namespace fusec::rules {

/// What the model calls what is at `location`, or "".
static StringRef findName(Location location) {
  auto named = location->findInstanceOf<NameLoc>();
  return named ? named.getName().getValue() : StringRef();
}

struct RuleTable {
  using Context = fusec_rule_context;

  static RuleCall &of(Context *context) {
    return *static_cast<RuleCall *>(context);
  }

  static const char *operation(Context *context, fusec_rule_op number) {
    Operation *op = of(context).getOp(number);
    return op ? of(context).keep(op->getName().getStringRef()) : "";
  }
  static const char *node(Context *context, fusec_rule_op number) {
    Operation *op = of(context).getOp(number);
    return op ? of(context).keep(findName(op->getLoc())) : "";
  }
  static uint32_t numOperands(Context *context, fusec_rule_op number) {
    Operation *op = of(context).getOp(number);
    return op ? op->getNumOperands() : 0;
  }
  static fusec_rule_value operand(Context *context, fusec_rule_op number,
                                  uint32_t index) {
    Operation *op = of(context).getOp(number);
    return op && index < op->getNumOperands()
               ? of(context).number(op->getOperand(index))
               : 0;
  }
  static uint32_t numResults(Context *context, fusec_rule_op number) {
    Operation *op = of(context).getOp(number);
    return op ? op->getNumResults() : 0;
  }
  static fusec_rule_value result(Context *context, fusec_rule_op number,
                                 uint32_t index) {
    Operation *op = of(context).getOp(number);
    return op && index < op->getNumResults()
               ? of(context).number(op->getResult(index))
               : 0;
  }
  static const fusec_rule_attribute *
  attribute(Context *context, fusec_rule_op number, const char *name) {
    Operation *op = of(context).getOp(number);
    Attribute found = op && name ? op->getAttr(name) : Attribute();
    if (!found)
      return nullptr;
    OwnedAttribute &owned = of(context).attributes.emplace_back();
    describeAttribute(name, found, owned);
    return &owned.view;
  }
  static fusec_rule_op producer(Context *context, fusec_rule_value number) {
    Value value = of(context).getValue(number);
    return value ? of(context).number(value.getDefiningOp()) : 0;
  }
  static uint32_t numUses(Context *context, fusec_rule_value number) {
    Value value = of(context).getValue(number);
    return value ? std::distance(value.use_begin(), value.use_end()) : 0;
  }
  static fusec_rule_op user(Context *context, fusec_rule_value number,
                            uint32_t index) {
    Value value = of(context).getValue(number);
    if (value)
      for (Operation *user : value.getUsers())
        if (index-- == 0)
          return of(context).number(user);
    return 0;
  }
  static const fusec_rule_type *type(Context *context,
                                     fusec_rule_value number) {
    Value value = of(context).getValue(number);
    auto tensor = value ? dyn_cast<RankedTensorType>(value.getType())
                        : RankedTensorType();
    if (!tensor)
      return nullptr;
    auto &[type, dims] = of(context).types.emplace_back();
    dims = tensor.getShape().vec();
    type = {sizeof(fusec_rule_type),
            fusec_rule_dtype(getTypeInfo(tensor.getElementType())->onnxCode),
            uint32_t(dims.size()), 0, dims.data()};
    return &type;
  }
  static const char *valueName(Context *context, fusec_rule_value number) {
    Value value = of(context).getValue(number);
    if (!value)
      return "";
    if (auto argument = dyn_cast<BlockArgument>(value))
      if (auto function =
              dyn_cast<func::FuncOp>(argument.getOwner()->getParentOp()))
        if (auto name = function.getArgAttrOfType<StringAttr>(
                argument.getArgNumber(), "fuse.name"))
          return of(context).keep(name.getValue());
    return of(context).keep(findName(getValueLocation(value)));
  }
  static const void *constant(Context *context, fusec_rule_value number,
                              uint64_t *bytes) {
    if (bytes)
      *bytes = 0;
    Value value = of(context).getValue(number);
    auto type = value ? dyn_cast<RankedTensorType>(value.getType())
                      : RankedTensorType();
    if (!type || isPartOfByte(type))
      return nullptr;
    std::optional<ConstantData> data = getFixedData(value);
    if (!data)
      return nullptr;
    ConstantData &packed =
        of(context).constants.emplace_back(packData(*data, type));
    if (reinterpret_cast<uintptr_t>(packed.bytes.data()) %
        alignof(std::max_align_t))
      packed = ownData(type, packed.bytes.vec());
    if (bytes)
      *bytes = packed.bytes.size();
    return packed.bytes.data();
  }
  static void explain(Context *context, const char *reason) {
    of(context).reason = reason ? reason : "";
  }

  static fusec_rule_value makeConstant(Context *context,
                                       const fusec_rule_type *type,
                                       const void *data, uint64_t bytes) {
    if (!of(context).mayChange("make_constant"))
      return 0;
    return of(context).number(of(context).makeConstant(
        type, ArrayRef(static_cast<const char *>(data), bytes)));
  }
  static fusec_rule_op
  make(Context *context, const char *name, const fusec_rule_value *operands,
       uint32_t numOperands, const fusec_rule_attribute *const *attributes,
       uint32_t numAttributes, const fusec_rule_type *const *types,
       uint32_t numTypes) {
    if (!of(context).mayChange("make"))
      return 0;
    return of(context).number(of(context).make(
        name ? name : "", ArrayRef(operands, numOperands),
        ArrayRef(attributes, numAttributes), ArrayRef(types, numTypes)));
  }
  static void setOperand(Context *context, fusec_rule_op number, uint32_t index,
                         fusec_rule_value value) {
    if (of(context).mayChange("set_operand"))
      of(context).setOperand(of(context).getOp(number), index,
                             of(context).getValue(value));
  }
  static void replace(Context *context, fusec_rule_value from,
                      fusec_rule_value to) {
    if (of(context).mayChange("replace"))
      of(context).replace(of(context).getValue(from), of(context).getValue(to));
  }
};

const fusec_rule_host &getRuleTable() {
  using T = RuleTable;
  static const fusec_rule_host table = {
      sizeof(fusec_rule_host),
      FUSEC_RULE_ABI_VERSION,
      T::operation,
      T::node,
      T::numOperands,
      T::operand,
      T::numResults,
      T::result,
      T::attribute,
      T::producer,
      T::numUses,
      T::user,
      T::type,
      T::valueName,
      T::constant,
      T::explain,
      T::makeConstant,
      T::make,
      T::setOperand,
      T::replace,
  };
  return table;
}

} // namespace fusec::rules
