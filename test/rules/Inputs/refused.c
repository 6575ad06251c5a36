/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 * A library with what the macros say: its version, and the name, the level and the
 * second name of its rules; CRASH is what the first does. */
#include "library.h"

#ifndef ABI
#define ABI 1
#endif
#ifndef LEVEL
#define LEVEL 2
#endif
#ifndef NAME
#define NAME "one.rule"
#endif
#ifndef OTHER
#define OTHER "another.rule"
#endif
#ifndef CRASH
#define CRASH
#endif

static fusec_rule_effect apply(PARAMETERS) {
  (void)self, (void)host, (void)context, (void)op;
  CRASH;
  return FUSEC_RULE_NONE;
}

static const fusec_rule_desc first = {
    sizeof(first), LEVEL,       FUSEC_RULE_COMPUTE, 0,    NAME,
    "A rule.",     "fuse.relu", NULL,               NULL, apply};
static const fusec_rule_desc second = {
    sizeof(second), 3,           FUSEC_RULE_LAYOUT, 0,    OTHER,
    "A rule.",      "fuse.relu", NULL,              NULL, apply};
static const fusec_rule_desc *const all[] = {&first, &second};
static const fusec_rule_library library = {sizeof(library), ABI, 2, 0, all};

#ifndef HIDDEN
const fusec_rule_library *fusec_rule_query(uint32_t abi_version) {
  (void)abi_version;
  return &library;
}
#endif
