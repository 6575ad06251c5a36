/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The binary interface between fusec and a library of rules of its user's:
 * rewrites of a network that fusec applies before its own.
 *
 * A library exports one function, `fusec_rule_query`, which returns its rules.
 * It links nothing of fusec: whatever a rule asks or changes goes through the
 * table of functions that each call is handed. This header is plain C (C99 and
 * later, C++11 and later), includes nothing of fusec, and has a version of its
 * own.
 *
 * How it grows
 *  - Each struct begins with its size as its writer knew it, and new fields and
 *    functions come behind the old ones. Who uses one that is not in version 1
 *    looks at the size first (FUSEC_RULE_HAS).
 *  - A library says the least version that it needs. A fusec of a lower version
 *    refuses it and names both; one of a higher version takes it.
 *
 * Conventions
 *  - Operations and values are numbers. One operation, or value, has one number
 *    throughout a call of `condition` and the call of `apply` that follows; 0
 * is none. The numbers mean nothing after that.
 *  - Whatever a function of the table returns a pointer to lives as long as the
 *    numbers do.
 *  - A question about what there is not is answered by 0, NULL, or "" for a
 *    text: operand 3 of 2, the producer of an input, an attribute that is not
 *    set. A number that the table never gave is a mistake of the rule.
 *  - No function of a rule may throw.
 *
 * What happens to mistakes: a rule that makes an invalid operation, gives a
 * value another type, reports another effect than it had, or is applied without
 * end, is named in a warning. The network is then optimised once more, from the
 * beginning and without this rule.
 */
#ifndef FUSEC_RULE_ABI_H
#define FUSEC_RULE_ABI_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define FUSEC_RULE_ABI_VERSION 1u

/* Whether the struct that `pointer` points to has `field`. */
#define FUSEC_RULE_HAS(pointer, field)                                         \
  ((pointer)->struct_bytes >=                                                  \
   (size_t)((const char *)&(pointer)->field - (const char *)(pointer)) +       \
       sizeof((pointer)->field))

typedef uint32_t fusec_rule_op;
typedef uint32_t fusec_rule_value;

/* The call that a function of the table belongs to. */
typedef struct fusec_rule_context fusec_rule_context;

/* ------------------------------------------------------ types and attributes
 */

/* Element types; the codes are those of ONNX TensorProto.DataType. */
typedef uint32_t fusec_rule_dtype;
enum {
  FUSEC_RULE_F32 = 1,
  FUSEC_RULE_U8 = 2,
  FUSEC_RULE_I8 = 3,
  FUSEC_RULE_U16 = 4,
  FUSEC_RULE_I16 = 5,
  FUSEC_RULE_I32 = 6,
  FUSEC_RULE_I64 = 7,
  FUSEC_RULE_BOOL = 9, /* one byte, 0 or 1 */
  FUSEC_RULE_F16 = 10,
  FUSEC_RULE_F64 = 11,
  FUSEC_RULE_U32 = 12,
  FUSEC_RULE_U64 = 13,
  FUSEC_RULE_BF16 = 16
};

/* The type of a value, a tensor of known shape. */
typedef struct fusec_rule_type {
  uint32_t struct_bytes;
  fusec_rule_dtype dtype;
  uint32_t rank;
  uint32_t reserved; /* 0 */
  const int64_t *dims;
} fusec_rule_type;

typedef uint32_t fusec_rule_kind;
enum {
  FUSEC_RULE_FLAG = 1, /* ints[0] is 0 or 1; a flag that is not set is none */
  FUSEC_RULE_INT = 2,
  FUSEC_RULE_FLOAT = 3,
  FUSEC_RULE_TEXT = 4,
  /* All others, as the text of a network has them: "#fuse<pool_kind max>". */
  FUSEC_RULE_SYNTAX = 5,
  FUSEC_RULE_LIST = 16 /* or-ed with INT, FLOAT or TEXT: `count` of them */
};

typedef struct fusec_rule_attribute {
  uint32_t struct_bytes;
  fusec_rule_kind kind;
  const char *name;
  uint64_t count; /* 1, or as many as a list has */
  const int64_t *ints;
  const double *floats;
  const char *const *texts; /* UTF-8 */
} fusec_rule_attribute;

/* ------------------------------------------------------- what fusec offers */

typedef struct fusec_rule_host {
  uint32_t struct_bytes;
  uint32_t abi_version; /* FUSEC_RULE_ABI_VERSION of fusec */

  /* Questions, of `condition` and `apply`. */

  /* What an operation is: "fuse.relu". `fusec compile MODEL --until=import`
   * prints a network with its operations, as rules see it. */
  const char *(*operation)(fusec_rule_context *, fusec_rule_op);
  /* The node of the model that an operation is of, or "". */
  const char *(*node)(fusec_rule_context *, fusec_rule_op);
  uint32_t (*num_operands)(fusec_rule_context *, fusec_rule_op);
  fusec_rule_value (*operand)(fusec_rule_context *, fusec_rule_op,
                              uint32_t index);
  uint32_t (*num_results)(fusec_rule_context *, fusec_rule_op);
  fusec_rule_value (*result)(fusec_rule_context *, fusec_rule_op,
                             uint32_t index);
  const fusec_rule_attribute *(*attribute)(fusec_rule_context *, fusec_rule_op,
                                           const char *name);
  /* The operation that a value is a result of; 0 for an input of the network,
   * or of a body within it. */
  fusec_rule_op (*producer)(fusec_rule_context *, fusec_rule_value);
  /* How often operations read a value, and which do, an operation that reads it
   * twice being two of them. What the network returns is read by an operation,
   * too. */
  uint32_t (*num_uses)(fusec_rule_context *, fusec_rule_value);
  fusec_rule_op (*user)(fusec_rule_context *, fusec_rule_value, uint32_t index);
  const fusec_rule_type *(*type)(fusec_rule_context *, fusec_rule_value);
  /* What the model calls a value, or "": of an input, its name. */
  const char *(*value_name)(fusec_rule_context *, fusec_rule_value);
  /* The elements of a constant, of a weight, or of a reshape, broadcast, slice
   * or transpose of one: row-major, each of its whole bytes in the order of
   * this machine. NULL for what a run decides, for weights that a program may
   * replace (--swappable-weights), and for elements of less than a byte. */
  const void *(*constant)(fusec_rule_context *, fusec_rule_value,
                          uint64_t *bytes);
  /* In `condition`: says why the rule does not apply, for `--remarks=all`. */
  void (*explain)(fusec_rule_context *, const char *reason);

  /* Changes, of `apply` alone. */

  /* A constant of such elements, in the layout that `constant` has. */
  fusec_rule_value (*make_constant)(fusec_rule_context *,
                                    const fusec_rule_type *, const void *data,
                                    uint64_t bytes);
  /* An operation of the dialect `fuse`, in front of the one that the rule is
   * applied to. Its attributes are those that its text has, in any order;
   * of an operation with several optional operands `operandSegmentSizes`, a
   * list of integers, says how many there are of each. 0, and the rule is
   * wrong, if there is no such operation, if it would be invalid, or if it has
   * a body, a name of its own, or effects. */
  fusec_rule_op (*make)(fusec_rule_context *, const char *operation,
                        const fusec_rule_value *operands, uint32_t num_operands,
                        const fusec_rule_attribute *const *attributes,
                        uint32_t num_attributes,
                        const fusec_rule_type *const *types,
                        uint32_t num_results);
  /* Lets the operation that the rule is applied to read `value` as its operand
   * `index`; its type must be that of the operand before. */
  void (*set_operand)(fusec_rule_context *, fusec_rule_op, uint32_t index,
                      fusec_rule_value value);
  /* Lets all that reads `old_value` read `new_value`, of the same type, but for
   * operations that this call has made. */
  void (*replace)(fusec_rule_context *, fusec_rule_value old_value,
                  fusec_rule_value new_value);
} fusec_rule_host;

/* ------------------------------------------------------------------- rules */

/* What a rule is about, as `fusec compile --list-rules` groups rules. */
typedef uint32_t fusec_rule_area;
enum {
  FUSEC_RULE_COMPUTE = 0,
  FUSEC_RULE_LAYOUT = 1,
  FUSEC_RULE_QDQ = 2,
  FUSEC_RULE_TRANSPOSES = 3,
  FUSEC_RULE_SELECTORS = 4
};

/* What `apply` has done, and what is tried next. */
typedef uint32_t fusec_rule_effect;
enum {
  /* Nothing, not even made an operation. The next operation. */
  FUSEC_RULE_NONE = 0,
  /* The operation has other operands, or some of its results are read no more.
   * The operation again. */
  FUSEC_RULE_UPDATED = 1,
  /* Nothing reads the operation any more; it will go. The next operation. */
  FUSEC_RULE_REMOVED = 2,
  /* Readers of other operations, or of inputs, were changed, whatever else was.
   * All operations, from the first. */
  FUSEC_RULE_REST = 3
};

typedef struct fusec_rule_desc {
  uint32_t struct_bytes;
  /* The lowest level of optimisation (-O) that applies the rule, 2 or 3. The
   * levels 0 and 1 keep bits, which fusec cannot know of a rule of others. */
  uint32_t level;
  fusec_rule_area area;
  uint32_t reserved; /* 0 */
  /* "piece.rule", of a-z, 0-9 and -: a piece is several rules that belong
   * together. --disable-rule takes either. */
  const char *name;
  const char *summary; /* a sentence, for --list-rules */
  const char *anchor;  /* the operation that it is tried on: "fuse.softmax" */
  void *self;
  /* Whether the rule applies to `op`, other than 0; changes nothing. NULL: it
   * always does. */
  uint32_t (*condition)(void *self, const fusec_rule_host *,
                        fusec_rule_context *, fusec_rule_op op);
  /* Applies it. Operands, results and readers are as `condition` saw them. */
  fusec_rule_effect (*apply)(void *self, const fusec_rule_host *,
                             fusec_rule_context *, fusec_rule_op op);
} fusec_rule_desc;

/* What a library has. */
typedef struct fusec_rule_library {
  uint32_t struct_bytes;
  uint32_t least_abi; /* the least FUSEC_RULE_ABI_VERSION that it needs */
  uint32_t num_rules;
  uint32_t reserved; /* 0 */
  const fusec_rule_desc *const
      *rules; /* in the order in which they are tried */
} fusec_rule_library;

/* What a library defines: its rules, whatever the version of the caller. The
 * result lives as long as the library is loaded. */
#if defined(__GNUC__)
__attribute__((visibility("default")))
#endif
const fusec_rule_library *fusec_rule_query(uint32_t abi_version);

typedef const fusec_rule_library *(*fusec_rule_query_fn)(uint32_t abi_version);

#ifdef __cplusplus
}
#endif

#endif /* FUSEC_RULE_ABI_H */
