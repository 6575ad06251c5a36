// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Part of fusec/op.h: the operators of a translation unit, and the function
// that it exports.
#ifndef FUSEC_OP_UNIT_H
#define FUSEC_OP_UNIT_H

#include "fusec/op_define.h"

/// The function that this translation unit exports, for whoever builds several
/// into one library or program.
#ifndef FUSEC_OP_QUERY
#define FUSEC_OP_QUERY fusec_op_query
#endif

namespace fusec {
namespace op {
inline namespace FUSEC_OP_NAMESPACE {

/// The operators of this translation unit, which nothing else sees.
class Unit {
public:
  Op &add(const char *name) {
    ops.push_back(std::make_unique<Op>(name));
    return *ops.back();
  }
  const fusec_op_unit *describe() noexcept {
    for (const std::unique_ptr<Op> &op : ops) {
      try {
        rows.push_back(op->describe());
      } catch (const std::exception &error) {
        problem = op->name() + " " + error.what();
      }
    }
    uint32_t least = /*least_abi=*/1;
    for (const std::unique_ptr<Op> &op : ops)
      if (op->leastAbi() > least)
        least = op->leastAbi();
    unit = {sizeof(fusec_op_unit), least,
            uint32_t(rows.size()), 0,
            rows.data(),           problem.empty() ? nullptr : problem.c_str()};
    return &unit;
  }

private:
  std::vector<std::unique_ptr<Op>> ops;
  std::vector<const fusec_op_desc *> rows;
  std::string problem;
  fusec_op_unit unit = {};
};

static inline Unit &thisUnit() {
  static Unit unit;
  return unit;
}

} // namespace FUSEC_OP_NAMESPACE
} // namespace op
} // namespace fusec

/// Begins the declaration of an operator, whose name is an identifier.
#define FUSEC_OP(name)                                                         \
  [[maybe_unused]] static ::fusec::op::Op &fusecOp##name =                     \
      ::fusec::op::thisUnit().add(#name)

extern "C" {
__attribute__((visibility("default"), used)) const fusec_op_unit *
FUSEC_OP_QUERY(uint32_t abi_version);
const fusec_op_unit *FUSEC_OP_QUERY(uint32_t) {
  static const fusec_op_unit *const unit = fusec::op::thisUnit().describe();
  return unit;
}
}

#endif
