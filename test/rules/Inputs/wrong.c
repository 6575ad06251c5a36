/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 * Rules that are wrong, each in its way. */
#include "library.h"

/* Says that it did nothing, and changed something. */
static fusec_rule_effect quiet_apply(PARAMETERS) {
  (void)self;
  become(host, context, op, "fuse.abs");
  return FUSEC_RULE_NONE;
}
RULE(quiet, "wrong.quiet", "fuse.relu", NULL);

/* Says that it did nothing, and made something. */
static fusec_rule_effect litter_apply(PARAMETERS) {
  (void)self;
  make_like(host, context, op, "fuse.abs", host->operand(context, op, 0));
  return FUSEC_RULE_NONE;
}
RULE(litter, "wrong.litter", "fuse.relu", NULL);

/* Says that it changed something, and did nothing. */
static fusec_rule_effect boast_apply(PARAMETERS) {
  (void)self, (void)host, (void)context, (void)op;
  return FUSEC_RULE_UPDATED;
}
RULE(boast, "wrong.boast", "fuse.relu", NULL);

static fusec_rule_effect rest_apply(PARAMETERS) {
  (void)self, (void)host, (void)context, (void)op;
  return FUSEC_RULE_REST;
}
RULE(rest, "wrong.rest", "fuse.relu", NULL);

/* Says that nothing needs the operation any more. */
static fusec_rule_effect keep_apply(PARAMETERS) {
  (void)self, (void)host, (void)context, (void)op;
  return FUSEC_RULE_REMOVED;
}
RULE(keep, "wrong.keep", "fuse.relu", NULL);

/* Changes what others read, and does not say so. */
static fusec_rule_effect hide_apply(PARAMETERS) {
  fusec_rule_value x = host->operand(context, op, 0);
  fusec_rule_op made = make_like(host, context, op, "fuse.neg", x);
  (void)self;
  host->replace(context, x, host->result(context, made, 0));
  return FUSEC_RULE_UPDATED;
}
RULE(hide, "wrong.hide", "fuse.relu", NULL);

static fusec_rule_effect effect_apply(PARAMETERS) {
  (void)self, (void)host, (void)context, (void)op;
  return 9;
}
RULE(effect, "wrong.effect", "fuse.relu", NULL);

/* Puts one number in the place of a tensor. */
static fusec_rule_effect type_apply(PARAMETERS) {
  fusec_rule_type type = {sizeof(type), FUSEC_RULE_F32, 0, 0, NULL};
  float one = 1;
  (void)self;
  host->replace(context, host->result(context, op, 0),
                host->make_constant(context, &type, &one, sizeof(one)));
  return FUSEC_RULE_REMOVED;
}
RULE(type, "wrong.type", "fuse.relu", NULL);

/* A constant with too few bytes. */
static fusec_rule_effect bytes_apply(PARAMETERS) {
  fusec_rule_value x = host->operand(context, op, 0);
  float one = 1;
  (void)self;
  host->replace(context, host->result(context, op, 0),
                host->make_constant(context, host->type(context, x), &one, 4));
  return FUSEC_RULE_REMOVED;
}
RULE(bytes, "wrong.bytes", "fuse.relu", NULL);

/* An operation that needs an attribute, without. */
static fusec_rule_effect invalid_apply(PARAMETERS) {
  (void)self;
  return become(host, context, op, "fuse.softmax");
}
RULE(invalid, "wrong.invalid", "fuse.relu", NULL);

static fusec_rule_effect unknown_apply(PARAMETERS) {
  (void)self;
  return become(host, context, op, "fuse.rleu");
}
RULE(unknown, "wrong.unknown", "fuse.relu", NULL);

/* An attribute that the operation does not have. */
static fusec_rule_effect attribute_apply(PARAMETERS) {
  const int64_t one = 1;
  fusec_rule_attribute alpha = {sizeof(alpha), FUSEC_RULE_INT, "alhpa", 1,
                                &one,          NULL,           NULL};
  const fusec_rule_attribute *attributes[] = {&alpha};
  fusec_rule_value x = host->operand(context, op, 0);
  const fusec_rule_type *types[1];
  (void)self;
  types[0] = host->type(context, x);
  host->make(context, "fuse.leaky_relu", &x, 1, attributes, 1, types, 1);
  return FUSEC_RULE_NONE;
}
RULE(attribute, "wrong.attribute", "fuse.relu", NULL);

/* Reads what is computed behind it. */
static fusec_rule_effect order_apply(PARAMETERS) {
  fusec_rule_value y = host->result(context, op, 0);
  fusec_rule_value z =
      host->result(context, host->user(context, y, 0), 0);
  (void)self;
  host->set_operand(context, op, 0, z);
  return FUSEC_RULE_UPDATED;
}
RULE(order, "wrong.order", "fuse.relu", NULL);

/* A number that nobody gave. */
static fusec_rule_effect number_apply(PARAMETERS) {
  (void)self;
  host->replace(context, host->result(context, op, 0), 4711);
  return FUSEC_RULE_REMOVED;
}
RULE(number, "wrong.number", "fuse.relu", NULL);

/* Changes something in its condition. */
static uint32_t early_condition(PARAMETERS) {
  (void)self;
  become(host, context, op, "fuse.abs");
  return 1;
}
#define early_apply keep_apply
RULE(early, "wrong.early", "fuse.relu", early_condition);

/* Is applied to what it makes. */
static fusec_rule_effect loop_apply(PARAMETERS) {
  (void)self;
  return become(host, context, op, "fuse.relu");
}
RULE(loop, "wrong.loop", "fuse.relu", NULL);

/* Two that undo each other. */
static fusec_rule_effect there_apply(PARAMETERS) {
  (void)self;
  return become(host, context, op, "fuse.sigmoid");
}
RULE(there, "wrong.there", "fuse.tanh", NULL);
static fusec_rule_effect back_apply(PARAMETERS) {
  (void)self;
  return become(host, context, op, "fuse.tanh");
}
RULE(back, "wrong.back", "fuse.sigmoid", NULL);

/* Is tried on what there is not. */
#define anchor_apply keep_apply
RULE(anchor, "wrong.anchor", "fuse.rleu", NULL);

static const fusec_rule_desc *const all[] = {
    &quiet, &litter,  &boast,   &rest,      &keep,  &hide,   &effect, &type,  &bytes, 
    &invalid, &unknown, &attribute, &order, &number, &early, &loop, &there, &back, &anchor};
static const fusec_rule_library library = {
    sizeof(library), 1, sizeof(all) / sizeof(all[0]), 0, all};

const fusec_rule_library *fusec_rule_query(uint32_t abi_version) {
  (void)abi_version;
  return &library;
}
