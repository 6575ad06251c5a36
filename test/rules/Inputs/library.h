/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 * What libraries of rules in these tests have in common. */
#include "fusec/rule_abi.h"

#include <stdlib.h>
#include <string.h>

/* A rule on `operation`, with the functions NAME_condition, which may be NULL, and
 * NAME_apply. */
#define RULE(NAME, TEXT, ANCHOR, CONDITION)                                    \
  static const fusec_rule_desc NAME = {sizeof(fusec_rule_desc),                \
                                       2,                                      \
                                       FUSEC_RULE_COMPUTE,                     \
                                       0,                                      \
                                       TEXT,                                   \
                                       "A rule of a test.",                    \
                                       ANCHOR,                                 \
                                       NULL,                                   \
                                       CONDITION,                              \
                                       NAME##_apply}

#define PARAMETERS                                                             \
  void *self, const fusec_rule_host *host, fusec_rule_context *context,        \
      fusec_rule_op op

/* The operation `name` of `operand`, with the type of the result of `op`. */
static fusec_rule_op make_like(const fusec_rule_host *host,
                               fusec_rule_context *context, fusec_rule_op op,
                               const char *name, fusec_rule_value operand) {
  const fusec_rule_type *type =
      host->type(context, host->result(context, op, 0));
  return host->make(context, name, &operand, 1, NULL, 0, &type, 1);
}

/* Puts the operation `name`, of what `op` is of, in the place of `op`. */
static fusec_rule_effect become(const fusec_rule_host *host,
                                fusec_rule_context *context, fusec_rule_op op,
                                const char *name) {
  fusec_rule_op made =
      make_like(host, context, op, name, host->operand(context, op, 0));
  host->replace(context, host->result(context, op, 0),
                host->result(context, made, 0));
  return FUSEC_RULE_REMOVED;
}
