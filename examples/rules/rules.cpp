// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Two rules that fusec applies to a network before its own. README.md says what
// happens; fusec/rule_abi.h explains each function.
#include "fusec/rule_abi.h"

#include <cstring>

namespace {

/// A call of a rule, to write `call.producer(x)` for
/// `host->producer(context, x)`.
struct Call {
  const fusec_rule_host *host;
  fusec_rule_context *context;

  bool is(fusec_rule_op op, const char *name) const {
    return std::strcmp(host->operation(context, op), name) == 0;
  }
  fusec_rule_value operand(fusec_rule_op op, uint32_t index) const {
    return host->operand(context, op, index);
  }
  fusec_rule_value result(fusec_rule_op op) const {
    return host->result(context, op, 0);
  }
  fusec_rule_op producer(fusec_rule_value value) const {
    return host->producer(context, value);
  }
  int64_t integer(fusec_rule_op op, const char *name) const {
    const fusec_rule_attribute *found = host->attribute(context, op, name);
    return found && found->kind == FUSEC_RULE_INT ? found->ints[0] : 0;
  }
  /// Says why the rule does not apply.
  bool refuse(const char *reason) const {
    host->explain(context, reason);
    return false;
  }
};

// ----------------------------------------------------------------------------
// A softmax keeps the order of what it is of, and so does a sigmoid: the
// largest score is the largest probability. Classifiers are exported with both,
// though nobody reads the probabilities.

bool keepsOrder(const Call &call, fusec_rule_op op, int64_t axis) {
  if (call.is(op, "fuse.sigmoid"))
    return true;
  if (!call.is(op, "fuse.softmax") && !call.is(op, "fuse.log_softmax"))
    return call.refuse("what it looks at is no softmax and no sigmoid");
  if (call.integer(op, "axis") != axis)
    return call.refuse("the softmax is along another axis");
  return true;
}

uint32_t canSkip(void *, const fusec_rule_host *host,
                 fusec_rule_context *context, fusec_rule_op op) {
  Call call{host, context};
  return keepsOrder(call, call.producer(call.operand(op, 0)),
                    call.integer(op, "axis"));
}

fusec_rule_effect skip(void *, const fusec_rule_host *host,
                       fusec_rule_context *context, fusec_rule_op op) {
  Call call{host, context};
  fusec_rule_op before = call.producer(call.operand(op, 0));
  host->set_operand(context, op, 0, call.operand(before, 0));
  return FUSEC_RULE_UPDATED; // and tried again: there may be another before it
}

// ----------------------------------------------------------------------------
// x sigmoid(c x), which exporters write as three operations, is one: "swish".

/// If all elements of the constant `value` are one f32, that.
bool isOneFloat(const Call &call, fusec_rule_value value, float &number) {
  const fusec_rule_type *type = call.host->type(call.context, value);
  uint64_t bytes = 0;
  const void *data = call.host->constant(call.context, value, &bytes);
  if (!data || !type || type->dtype != FUSEC_RULE_F32 || bytes == 0)
    return false;
  const float *elements = static_cast<const float *>(data);
  number = elements[0];
  for (uint64_t i = 1; i < bytes / sizeof(float); ++i)
    if (elements[i] != number)
      return false;
  return true;
}

/// Finds x and c of x sigmoid(c x), which the multiplication `op` computes.
bool findSwish(const Call &call, fusec_rule_op op, fusec_rule_value &x,
               float &scale) {
  for (uint32_t side = 0; side < 2; ++side) {
    fusec_rule_op gate = call.producer(call.operand(op, side));
    x = call.operand(op, 1 - side);
    if (!call.is(gate, "fuse.sigmoid"))
      continue;
    fusec_rule_value inner = call.operand(gate, 0);
    scale = 1;
    if (inner == x)
      return true;
    fusec_rule_op product = call.producer(inner);
    if (!call.is(product, "fuse.mul"))
      return call.refuse("its sigmoid is of something else");
    for (uint32_t factor = 0; factor < 2; ++factor)
      if (call.operand(product, factor) == x &&
          isOneFloat(call, call.operand(product, 1 - factor), scale))
        return true;
    return call.refuse("its sigmoid is of no multiple of what it is "
                       "multiplied with");
  }
  return false;
}

uint32_t isSwish(void *, const fusec_rule_host *host,
                 fusec_rule_context *context, fusec_rule_op op) {
  fusec_rule_value x;
  float scale;
  return findSwish({host, context}, op, x, scale);
}

fusec_rule_effect makeSwish(void *, const fusec_rule_host *host,
                            fusec_rule_context *context, fusec_rule_op op) {
  Call call{host, context};
  fusec_rule_value x;
  float scale;
  findSwish(call, op, x, scale);
  const double alpha = scale;
  fusec_rule_attribute attribute = {};
  attribute.struct_bytes = sizeof(attribute);
  attribute.kind = FUSEC_RULE_FLOAT;
  attribute.name = "alpha";
  attribute.count = 1;
  attribute.floats = &alpha;
  const fusec_rule_attribute *attributes[] = {&attribute};
  const fusec_rule_type *types[] = {host->type(context, call.result(op))};
  fusec_rule_op swish =
      host->make(context, "fuse.swish", &x, 1, attributes, 1, types, 1);
  if (!swish)
    return FUSEC_RULE_NONE; // fusec knows why
  host->replace(context, call.result(op), call.result(swish));
  return FUSEC_RULE_REMOVED;
}

// ----------------------------------------------------------------------------

const fusec_rule_desc kSkip = {
    sizeof(fusec_rule_desc),
    2,
    FUSEC_RULE_COMPUTE,
    0,
    "argmax.skip-softmax",
    "Finds the largest of scores, not of their softmax or sigmoid.",
    "fuse.arg_max",
    nullptr,
    canSkip,
    skip};
const fusec_rule_desc kSwish = {sizeof(fusec_rule_desc),
                                2,
                                FUSEC_RULE_COMPUTE,
                                0,
                                "activations.swish",
                                "Makes x sigmoid(c x) one operation.",
                                "fuse.mul",
                                nullptr,
                                isSwish,
                                makeSwish};
const fusec_rule_desc *const kRules[] = {&kSkip, &kSwish};
const fusec_rule_library kLibrary = {sizeof(fusec_rule_library), 1, 2, 0,
                                     kRules};

} // namespace

const fusec_rule_library *fusec_rule_query(uint32_t) { return &kLibrary; }
