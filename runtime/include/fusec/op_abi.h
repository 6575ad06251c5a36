/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The binary interface between a library of operators and whoever calls them:
 * fusec, the programs that it emits, and other frameworks. fusec/op.h is how it
 * is written in C++.
 *
 * A library exports one function for each of its translation units that has
 * operators, `fusec_op_query` (with a suffix for all but the first), which
 * returns what the unit has. This header is plain C (C99 and later, C++11 and
 * later), includes nothing of fusec, and has a version of its own.
 *
 * How it grows
 *  - Each struct is handed over by pointer, lists of structs are lists of
 *    pointers, and each struct begins with its size as its writer knew it. New
 *    fields come behind the old ones; who reads a field that is not in version
 * 1 looks at the size first (FUSEC_OP_HAS).
 *  - A library says the least version that it needs, never that of the header
 *    that it was compiled with. A caller of a lower version refuses it and
 * names both; a caller of a higher one takes it.
 *
 * Conventions
 *  - Sizes are in bytes, dims in elements; tensors are row-major and
 * contiguous.
 *  - Nothing here throws, and no callback may throw through it. A function that
 *    returns int32_t returns 0 if all went well; else it has called `fail` of
 * its call with the reason.
 *  - Operators have no state of their own but what `create` makes, of which one
 *    call at a time is made; several states may be used at once.
 *  - `reserved` fields are zero.
 */
#ifndef FUSEC_OP_ABI_H
#define FUSEC_OP_ABI_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define FUSEC_OP_ABI_VERSION 3u

/* Whether the struct that `pointer` points to has `field`. */
#define FUSEC_OP_HAS(pointer, field)                                           \
  ((pointer)->struct_bytes >=                                                  \
   (size_t)((const char *)&(pointer)->field - (const char *)(pointer)) +       \
       sizeof((pointer)->field))

/* The most dimensions that a tensor has. */
#define FUSEC_OP_MAX_RANK 16u

/* Element types; the codes are those of ONNX TensorProto.DataType. */
typedef uint32_t fusec_op_dtype;
enum {
  FUSEC_OP_F32 = 1,
  FUSEC_OP_U8 = 2,
  FUSEC_OP_I8 = 3,
  FUSEC_OP_U16 = 4,
  FUSEC_OP_I16 = 5,
  FUSEC_OP_I32 = 6,
  FUSEC_OP_I64 = 7,
  FUSEC_OP_BOOL = 9, /* one byte, 0 or 1 */
  FUSEC_OP_F16 = 10,
  FUSEC_OP_F64 = 11,
  FUSEC_OP_U32 = 12,
  FUSEC_OP_U64 = 13,
  FUSEC_OP_BF16 = 16
};

/* Where data lie and who computes. */
typedef uint32_t fusec_op_device;
enum { FUSEC_OP_CPU = 0, FUSEC_OP_CUDA = 1 };

/* ------------------------------------------------------------------- values */

typedef uint32_t fusec_op_kind;
enum {
  FUSEC_OP_FLAG = 1, /* one of `ints`, 0 or 1 */
  FUSEC_OP_INT = 2,
  FUSEC_OP_FLOAT = 3,
  FUSEC_OP_TEXT = 4,
  FUSEC_OP_LIST = 16 /* or-ed with INT, FLOAT or TEXT: `count` of them */
};

/* A parameter and its value. */
typedef struct fusec_op_value {
  uint32_t struct_bytes;
  fusec_op_kind kind;
  const char *name;
  uint64_t count; /* 1, or as many as a list has */
  const int64_t *ints;
  const double *floats;
  const char *const *texts; /* UTF-8 */
} fusec_op_value;

/* A tensor of a call. Of calls that only ask about types `data` is NULL. */
typedef struct fusec_op_tensor {
  uint32_t struct_bytes;
  fusec_op_dtype dtype;
  fusec_op_device device;
  uint32_t rank;
  const int64_t *dims;
  void *data; /* of an input: only read */
  /* What an input that is declared quantised stands for: (value - zero) *
   * scale. One of each, or as many as dimension `quantized_axis` has. */
  const float *scales;
  const int64_t *zero_points;
  uint64_t num_scales; /* 0: it is not quantised */
  int32_t quantized_axis;
  uint32_t reserved;
} fusec_op_tensor;

/* -------------------------------------------------------------------- calls */

/* `body(ctx, begin, end)` handles the iterations [begin, end). */
typedef void (*fusec_op_range_fn)(void *ctx, int64_t begin, int64_t end);

typedef struct fusec_op_call {
  uint32_t struct_bytes;
  fusec_op_device device;
  uint32_t num_inputs;
  uint32_t num_outputs;
  uint32_t num_params;
  uint32_t threads; /* how many may run at once, >= 1 */
  const fusec_op_tensor *const *inputs;
  const fusec_op_tensor *const *outputs; /* none, where types are asked for */
  const fusec_op_value *const *params; /* all that are declared, in any order */
  /* Scratch memory, of as many bytes as the operator asked for, aligned to 64.
   */
  void *workspace;
  uint64_t workspace_bytes;
  /* Calls `body` on disjoint ranges that cover [0, n), each of `grain`
   * iterations or more but for the last, on any threads, and returns after all
   * of them. */
  void (*parallel_for)(void *self, int64_t n, int64_t grain,
                       fusec_op_range_fn body, void *ctx);
  void *parallel_self;
  void *stream; /* of the device, where it has streams */
  /* Says why the function is about to return a number other than 0. Called by
   * the thread that was called. */
  void (*fail)(void *self, const char *text);
  void *fail_self;
} fusec_op_call;

/* What an output will be; filled in by `infer`. */
typedef struct fusec_op_type {
  uint32_t struct_bytes;
  fusec_op_dtype dtype;
  uint32_t rank;
  uint32_t reserved;
  int64_t *dims; /* room for FUSEC_OP_MAX_RANK */
} fusec_op_type;

/* ---------------------------------------------------------------- operators */

/* How an output uses memory of an input. */
enum {
  FUSEC_OP_APART = 0,
  FUSEC_OP_MAY_ALIAS = 1, /* it may have the same address */
  FUSEC_OP_MUST_ALIAS = 2
};

/* An input or an output, as it is declared. */
typedef struct fusec_op_operand {
  uint32_t struct_bytes;
  uint32_t num_dtypes; /* 0: any type */
  const fusec_op_dtype *dtypes;
  const char *name;
  uint32_t least_rank, most_rank;
  uint32_t quantized; /* an input takes 8-bit values with scales */
  uint32_t alias;     /* of outputs: FUSEC_OP_APART, ... */
  uint32_t alias_of;  /* the input */
  uint32_t reserved;
} fusec_op_operand;

/* What a form says of itself, or-ed together. */
enum {
  /* It may give other bits in each run, or on another number of threads. */
  FUSEC_OP_VARIES = 1
};

/* One way to compute an operator on a device. Since version 3 there may be
 * several for one, with names of their own, which are identifiers: algorithms,
 * of which whoever compiles a model takes one, the first unless told. */
typedef struct fusec_op_form {
  uint32_t struct_bytes;
  fusec_op_device device;
  const char *name; /* of the algorithm */
  void *self;
  /* Makes what calls of these types and parameters share; data may be NULL. */
  int32_t (*create)(void *self, const fusec_op_call *call, void **state);
  /* Computes; nothing that it does takes memory or time for the first time. */
  int32_t (*compute)(void *self, void *state, const fusec_op_call *call);
  void (*destroy)(void *self, void *state);
  /* Since version 3. */
  uint32_t flags; /* FUSEC_OP_VARIES, or 0 */
  uint32_t reserved;
  /* The scratch memory that a call of this form needs; NULL: what the operator
   * says. */
  int32_t (*workspace)(void *self, const fusec_op_call *call, uint64_t *bytes);
  /* Whether the form takes a call that the operator takes; NULL: each. */
  int32_t (*supports)(void *self, const fusec_op_call *call, uint32_t *yes);
} fusec_op_form;

/* Since version 2. What an operator does to each element, as a function of its
 * own, which fusec puts into kernels together with other elementwise operators.
 * Its arguments are an element of each input, then the parameters. */
typedef struct fusec_op_scalar {
  uint32_t struct_bytes;
  uint32_t steps; /* how many additions take as long; 0: not said */
  const char
      *file; /* its header, from the folder of the source that names it */
  const char *function; /* its name within fusec::scalars */
} fusec_op_scalar;

/* Since version 3. How blocks of a GPU's threads share a call. */
typedef struct fusec_op_grid {
  uint32_t struct_bytes;
  uint32_t supported;   /* 1, or 0 where the function does not take the call */
  int64_t blocks;       /* 0: there is nothing to do */
  int64_t threads;      /* of each block */
  int64_t shared_bytes; /* of each block, besides what the function declares */
} fusec_op_grid;

/* Since version 3. A function for GPUs that all threads of a block call
 * together, in a kernel of fusec's. fusec/op_block.h says how it is written. */
typedef struct fusec_op_block {
  uint32_t struct_bytes;
  uint32_t reserved;
  const char
      *file; /* its header, from the folder of the source that names it */
  const char *function; /* its name: acme::row_softmax */
  void *self;
  /* How a call is shared, on FUSEC_OP_CUDA, whose outputs are known, too; no
   * tensor has data. */
  int32_t (*grid)(void *self, const fusec_op_call *call, fusec_op_grid *grid);
} fusec_op_block;

/* One without inputs and outputs only has further forms of the operator of its
 * name, domain and version, which another unit of the library declares. */
typedef struct fusec_op_desc {
  uint32_t struct_bytes;
  uint32_t version;   /* of the operator set that it is of, from 1 on */
  const char *name;   /* an identifier, the type of its ONNX nodes */
  const char *domain; /* NULL: whatever the library is built for */
  uint32_t num_inputs;
  uint32_t num_outputs;
  uint32_t num_params;
  uint32_t num_forms;
  const fusec_op_operand *const *inputs;
  const fusec_op_operand *const *outputs;
  const fusec_op_value *const *params; /* with their defaults */
  const fusec_op_form *const *forms;
  void *self;
  /* The types of the results; `types` has num_outputs. */
  int32_t (*infer)(void *self, const fusec_op_call *call,
                   fusec_op_type *const *types);
  /* The scratch memory that a call needs. */
  int32_t (*workspace)(void *self, const fusec_op_call *call, uint64_t *bytes);
  /* Whether the operator takes such a call, on call->device. */
  int32_t (*supports)(void *self, const fusec_op_call *call, uint32_t *yes);
  /* Since version 2; NULL: none. An operator that has one needs no form: one
   * that calls it for each element is made where the library is built. */
  const fusec_op_scalar *scalar;
  /* Since version 3; NULL: none. The operator that computes the gradient of
   * this one, by its name, or by its domain, a point and its name. Its inputs
   * are those of this one, and behind them the gradients of its outputs; its
   * outputs are the gradients of its inputs. Only floats have gradients. */
  const char *gradient;
  /* Since version 3; NULL: none. An operator that has one needs no form. */
  const fusec_op_block *block;
} fusec_op_desc;

/* What a translation unit has. */
typedef struct fusec_op_unit {
  uint32_t struct_bytes;
  uint32_t least_abi; /* the least FUSEC_OP_ABI_VERSION that a caller needs */
  uint32_t num_ops;
  uint32_t reserved;
  const fusec_op_desc *const *ops;
  const char *problem; /* NULL, or what is wrong with the declarations */
} fusec_op_unit;

/* Never NULL, whatever the version of the caller. Its result lives as long as
 * the library is loaded. */
typedef const fusec_op_unit *(*fusec_op_query_fn)(uint32_t abi_version);

#ifdef __cplusplus
}
#endif

#endif /* FUSEC_OP_ABI_H */
