/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 * Rules that ask for and give each kind of attribute, operand and constant. */
#include "library.h"

#include <stdio.h>

static fusec_rule_attribute integers(const char *name, const int64_t *values,
                                     uint64_t count) {
  fusec_rule_attribute made = {sizeof(made), FUSEC_RULE_LIST | FUSEC_RULE_INT,
                               NULL,         0,
                               NULL,         NULL,
                               NULL};
  made.name = name;
  made.count = count;
  made.ints = values;
  return made;
}

static fusec_rule_value make_number(const fusec_rule_host *host,
                                    fusec_rule_context *context, float number) {
  fusec_rule_type type = {sizeof(type), FUSEC_RULE_F32, 0, 0, NULL};
  return host->make_constant(context, &type, &number, sizeof(number));
}

/* max(x, 0), as a clip with a lower bound and no upper one. */
static fusec_rule_effect clip_apply(PARAMETERS) {
  const int64_t segments[] = {1, 1, 0};
  fusec_rule_attribute sizes = integers("operandSegmentSizes", segments, 3);
  const fusec_rule_attribute *attributes[] = {&sizes};
  fusec_rule_value y = host->result(context, op, 0);
  const fusec_rule_type *types[1];
  fusec_rule_value operands[2];
  (void)self;
  types[0] = host->type(context, y);
  operands[0] = host->operand(context, op, 0);
  operands[1] = make_number(host, context, 0);
  host->replace(context, y,
                host->result(context,
                             host->make(context, "fuse.clip", operands, 2,
                                        attributes, 1, types, 1),
                             0));
  return FUSEC_RULE_REMOVED;
}
RULE(clip, "works.clip", "fuse.relu", NULL);

/* Leaves out an upper bound that is infinite. */
static uint32_t bound_condition(PARAMETERS) {
  const fusec_rule_attribute *sizes =
      host->attribute(context, op, "operandSegmentSizes");
  const float *high;
  uint64_t bytes;
  (void)self;
  if (!sizes || sizes->count != 3 || sizes->ints[2] == 0) {
    host->explain(context, "it has no upper bound");
    return 0;
  }
  high = (const float *)host->constant(context, host->operand(context, op, 2),
                                       &bytes);
  return high && bytes == sizeof(float) && *high > 3e38f;
}
static fusec_rule_effect bound_apply(PARAMETERS) {
  return clip_apply(self, host, context, op);
}
RULE(bound, "works.bound", "fuse.clip", bound_condition);

/* The sum of |x| as that: its kind is text, its dimensions are a list. */
static uint32_t sum_condition(PARAMETERS) {
  const fusec_rule_attribute *kind = host->attribute(context, op, "kind");
  char reason[200];
  (void)self;
  if (kind && kind->kind == FUSEC_RULE_SYNTAX && strstr(kind->texts[0], "l1"))
    return 1;
  snprintf(reason, sizeof(reason), "node %s is of kind %s",
           host->node(context, op), kind ? kind->texts[0] : "none");
  host->explain(context, reason);
  return 0;
}
static fusec_rule_effect sum_apply(PARAMETERS) {
  const char *text = "#fuse<reduction_kind sum>";
  fusec_rule_attribute kind = {sizeof(kind), FUSEC_RULE_SYNTAX, "kind", 1,
                               NULL,         NULL,              NULL};
  const fusec_rule_attribute *attributes[2];
  fusec_rule_value x = host->operand(context, op, 0);
  fusec_rule_value y = host->result(context, op, 0);
  const fusec_rule_type *inner = host->type(context, x);
  const fusec_rule_type *outer = host->type(context, y);
  fusec_rule_op absolute, sum;
  (void)self;
  kind.texts = &text;
  attributes[0] = &kind;
  attributes[1] = host->attribute(context, op, "dims");
  absolute = host->make(context, "fuse.abs", &x, 1, NULL, 0, &inner, 1);
  x = host->result(context, absolute, 0);
  sum = host->make(context, "fuse.reduction", &x, 1, attributes, 2, &outer, 1);
  host->replace(context, y, host->result(context, sum, 0));
  return FUSEC_RULE_REMOVED;
}
RULE(sum, "works.sum", "fuse.reduction", sum_condition);

/* The approximation of a gelu, by a flag. */
static uint32_t gelu_condition(PARAMETERS) {
  const fusec_rule_attribute *tanh = host->attribute(context, op, "tanh");
  (void)self;
  return !tanh || tanh->kind != FUSEC_RULE_FLAG || !tanh->ints[0];
}
static fusec_rule_effect gelu_apply(PARAMETERS) {
  const int64_t one = 1;
  fusec_rule_attribute tanh = {sizeof(tanh), FUSEC_RULE_FLAG, "tanh", 1,
                               NULL,         NULL,            NULL};
  const fusec_rule_attribute *attributes[] = {&tanh};
  fusec_rule_value x = host->operand(context, op, 0);
  const fusec_rule_type *types[1];
  (void)self;
  tanh.ints = &one;
  types[0] = host->type(context, x);
  host->replace(context, host->result(context, op, 0),
                host->result(context,
                             host->make(context, "fuse.gelu", &x, 1, attributes,
                                        1, types, 1),
                             0));
  return FUSEC_RULE_REMOVED;
}
RULE(gelu, "works.gelu", "fuse.gelu", gelu_condition);

/* Takes the input "mask" for ones, wherever it is read. */
static uint32_t mask_condition(PARAMETERS) {
  fusec_rule_value x = host->operand(context, op, 1);
  const fusec_rule_type *type = host->type(context, x);
  (void)self;
  return host->producer(context, x) == 0 && type &&
         type->dtype == FUSEC_RULE_F32 && type->rank == 2 &&
         type->dims[1] == 8 && host->num_uses(context, x) == 2 &&
         strcmp(host->value_name(context, x), "mask") == 0 &&
         strcmp(host->operation(context, host->user(context, x, 2)), "") == 0;
}
static fusec_rule_effect mask_apply(PARAMETERS) {
  fusec_rule_value x = host->operand(context, op, 1);
  float ones[32];
  int i;
  (void)self;
  for (i = 0; i < 32; ++i)
    ones[i] = 1;
  host->replace(context, x,
                host->make_constant(context, host->type(context, x), ones,
                                    sizeof(ones)));
  return FUSEC_RULE_REST;
}
RULE(mask, "works.mask", "fuse.mul", mask_condition);

/* Turns the operands of a product round, so that the computed one is first. */
static uint32_t turn_condition(PARAMETERS) {
  (void)self;
  return host->producer(context, host->operand(context, op, 0)) == 0 &&
         host->producer(context, host->operand(context, op, 1)) != 0;
}
static fusec_rule_effect turn_apply(PARAMETERS) {
  fusec_rule_value a = host->operand(context, op, 0);
  fusec_rule_value b = host->operand(context, op, 1);
  (void)self;
  host->set_operand(context, op, 0, b);
  host->set_operand(context, op, 1, a);
  return FUSEC_RULE_UPDATED;
}
RULE(turn, "works.turn", "fuse.maximum", turn_condition);

static const fusec_rule_desc *const all[] = {&clip, &bound, &sum,
                                             &gelu, &mask,  &turn};
static const fusec_rule_library library = {
    sizeof(library), 1, sizeof(all) / sizeof(all[0]), 0, all};

const fusec_rule_library *fusec_rule_query(uint32_t abi_version) {
  (void)abi_version;
  return &library;
}
