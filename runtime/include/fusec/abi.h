/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The binary interface between a compiled model and the fusec runtime.
 *
 * A model exports one function, `fusec_<model>_query`, that returns its
 * descriptor. Everything else is reached through pointers in it. This header is
 * plain C (C99 and later, C++11 and later), includes nothing of fusec but
 * abi_device.h, which has what models for devices have besides, and
 * abi_layout.h, which fixes the layout of every struct: a model and a runtime
 * of the same FUSEC_ABI_VERSION may come from different compilers.
 *
 * Conventions
 *  - Sizes are in bytes, dims in elements. No dimension is assumed to be a
 * number: `dims[i] < 0` is symbol number `-1 - dims[i]` (so -1 is symbol 0).
 *  - Arrays are row-major and contiguous unless a descriptor says otherwise.
 *  - Nothing here throws, and no callback may throw through it.
 *  - `reserved` fields are zero.
 */
#ifndef FUSEC_ABI_H
#define FUSEC_ABI_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
#define FUSEC_STATIC_ASSERT(cond, text) static_assert(cond, text)
extern "C" {
#else
#define FUSEC_STATIC_ASSERT(cond, text) _Static_assert(cond, text)
#endif

#define FUSEC_ABI_VERSION 17u

/* What a shared library with a model exports, where all else is hidden. */
#if defined(__GNUC__)
#define FUSEC_API __attribute__((visibility("default")))
#else
#define FUSEC_API
#endif

/* Where arena tensors, weights and workspace start: multiples of this. */
#define FUSEC_ALIGNMENT 64u

/* Element types; the codes are those of ONNX TensorProto.DataType. An element
 * of 8 bits or fewer takes a byte: f8, f6 and f4 their code, numbers of 4 and 2
 * bits as the (u)int8_t of that value. */
typedef uint32_t fusec_dtype;
enum {
  FUSEC_F32 = 1,
  FUSEC_U8 = 2,
  FUSEC_I8 = 3,
  FUSEC_U16 = 4,
  FUSEC_I16 = 5,
  FUSEC_I32 = 6,
  FUSEC_I64 = 7,
  FUSEC_BOOL = 9, /* one byte, 0 or 1 */
  FUSEC_F16 = 10,
  FUSEC_F64 = 11,
  FUSEC_U32 = 12,
  FUSEC_U64 = 13,
  FUSEC_BF16 = 16,
  FUSEC_F8E4M3FN = 17,
  FUSEC_F8E4M3FNUZ = 18,
  FUSEC_F8E5M2 = 19,
  FUSEC_F8E5M2FNUZ = 20,
  FUSEC_U4 = 21,
  FUSEC_I4 = 22,
  FUSEC_F4E2M1FN = 23,
  FUSEC_F8E8M0FNU = 24,
  FUSEC_U2 = 25,
  FUSEC_I2 = 26,
  FUSEC_F6E2M3FN = 27,
  FUSEC_F6E3M2FN = 28
};

/* Instruction sets that a kernels file is compiled for, weakest first. */
typedef uint32_t fusec_isa;
enum {
  FUSEC_ISA_BASELINE =
      0,                /* what the platform's ABI guarantees (x86-64: SSE2) */
  FUSEC_ISA_AVX2 = 1,   /* x86-64-v3: AVX2, FMA, F16C, BMI2 */
  FUSEC_ISA_AVX512 = 2, /* x86-64-v4: AVX-512 F, BW, CD, DQ, VL */
  /* The kernels for AVX-512 where products of bytes are one instruction (VNNI),
   * those of bf16 too (BF16), and those of matrices of both (AMX). Only models
   * that have such products are compiled for them. */
  FUSEC_ISA_AVX512VNNI = 3,
  FUSEC_ISA_AVX512BF16 = 4,
  FUSEC_ISA_AMX = 5,
  FUSEC_ISA_COUNT = 6
};

/* ------------------------------------------------------------------ tensors */

enum { FUSEC_TENSOR_CONTIGUOUS = 1u };

/* An input or an output of the model. */
typedef struct fusec_tensor_desc {
  const char *name;    /* as in the model's source, UTF-8 */
  const int64_t *dims; /* `rank` entries, negative: symbolic */
  uint32_t rank;
  fusec_dtype dtype;
  uint32_t alignment; /* required of the caller's pointer, bytes */
  uint32_t flags;     /* FUSEC_TENSOR_* */
  int32_t alias_of;   /* outputs: the input that may share memory, or -1 */
  uint32_t reserved;
} fusec_tensor_desc;

/* What a model carries from one run to the next: an input, and the output that
 * is its value in the next run. Neither is among the model's inputs and
 * outputs; whoever runs it keeps the value, which is zeros at first. */
typedef struct fusec_state_desc {
  fusec_tensor_desc tensor; /* both, named as the input; alias_of is -1 */
  const char *output;       /* the name of the output */
  uint32_t in_place;        /* 1: the next value may be written over the last
                               one, and then what stays is not copied; 0: it lies
                               elsewhere */
  /* Of an i64 that says how many rows other states hold: how many a run adds,
   * and how many they have room for. 0 and 0: it is no such number. */
  uint32_t rows, room;
  uint32_t reserved;
} fusec_state_desc;

/* What an input is padded with. */
enum {
  FUSEC_FILL_LAST = 0, /* copies of the last element along the symbol */
  FUSEC_FILL_VALUE = 1
};

/* Where an input or an output of an entry has a symbol of which a run may have
 * a smaller extent. Element i, in row-major order, is at (i / inner) % extent
 * of it; the run has those that are at less than its extent. */
typedef struct fusec_padding_desc {
  uint32_t tensor; /* the number of the input, or num_inputs and that of the
                      output; rows of one tensor stand together, outermost
                      first */
  uint32_t axis;   /* the dim that has the extent as a factor */
  uint32_t symbol;
  uint32_t fill; /* FUSEC_FILL_*, of an input */
  uint64_t inner;
  uint64_t value; /* FUSEC_FILL_VALUE: begins with the bytes of the element */
} fusec_padding_desc;

/* ------------------------------------------------------------------ kernels */

/* `body(ctx, begin, end)` handles the iterations [begin, end). */
typedef void (*fusec_range_fn)(void *ctx, int64_t begin, int64_t end);

/* Calls `body` on disjoint ranges that cover [0, n), each of them `grain`
 * iterations or more except the last, on any threads, and returns after all of
 * them. n <= 0 calls nothing. */
typedef void (*fusec_parallel_for_fn)(void *self, int64_t n, int64_t grain,
                                      fusec_range_fn body, void *ctx);

/* What each kernel gets as its first argument. */
typedef struct fusec_kernel_ctx {
  fusec_parallel_for_fn parallel_for;
  void *parallel_self;
  void *workspace; /* scratch of the chosen variant, FUSEC_ALIGNMENT-aligned */
  uint64_t workspace_bytes;
  uint32_t threads; /* how many may run at once, >= 1 */
  uint32_t reserved;
} fusec_kernel_ctx;

/* A CPU's kernel with its type erased. Every kernel is
 *     void name(const fusec_kernel_ctx *ctx, <typed operands...>);
 * all variants of a group share one signature; the host program casts back. */
typedef void (*fusec_kernel_fn)(void);

/* ----------------------------------------------------------------- dispatch */

/* Attributes of a variant. */
enum {
  FUSEC_VARIANT_NAIVE = 1u,        /* plain loops, for comparison */
  FUSEC_VARIANT_REPRODUCIBLE = 2u, /* same bits on any thread count and run */
  /* And in each model that differs from this one in extents that no sum runs
   * over, such as a batch: what an element is computed from, in which order and
   * how rounded, depends on no such extent. */
  FUSEC_VARIANT_BATCH_INVARIANT = 4u
};

/* Rearranges the weights that launch `launch` reads into `packed`. */
typedef void (*fusec_pack_fn)(const void *weights, uint32_t launch,
                              void *packed);

/* Or-ed with the number of a call of the library, in a list of launches. */
#define FUSEC_CALL 0x80000000u

/* One way to compute a group: a kernel, or launches that the host program makes
 * where this variant is selected. */
typedef struct fusec_variant_desc {
  const char *name;         /* "default", "naive", ... */
  const char *config;       /* what a fusec.lock says of it; NULL: nothing */
  const uint32_t *launches; /* those that run, in order, and then the calls
                               (FUSEC_CALL); NULL: `kernel` does */
  fusec_kernel_fn kernel;   /* NULL: `launches` do, or a device's kernel */
  fusec_pack_fn pack;       /* NULL: reads the weights as they lie */
  uint64_t pack_bytes;      /* per launch */
  uint64_t workspace_bytes; /* of fusec_kernel_ctx.workspace; with launches: of
                               the arena, for what lies between them */
  uint64_t hash;            /* of what is emitted for it; 0: unknown */
  uint32_t num_launches;
  uint32_t attributes; /* FUSEC_VARIANT_* */
} fusec_variant_desc;

/* Where a variant runs in place of the default: what was found out when the
 * model was compiled. All of its conditions must hold; 0 and NULL always do. */
typedef struct fusec_selector {
  uint32_t variant; /* its number in the list */
  fusec_isa isa;    /* the session takes this instruction set or a stronger
                       one */
  uint32_t threads; /* the session has as many, or more */
  uint32_t reserved;
  const int64_t *least; /* each symbol of the model has this value or a larger
                           one */
} fusec_selector;

/* Variants that compute the same, each name once, the default first. The first
 * selector whose conditions hold says which one runs; where none does, it is
 * the default. */
typedef struct fusec_variant_list {
  const fusec_variant_desc *variants;
  const fusec_selector *selectors;
  uint32_t num_variants;
  uint32_t num_selectors;
} fusec_variant_list;

/* The list of all of an array, without selectors and with those of another. */
#define FUSEC_VARIANT_LIST(variants)                                           \
  {variants, NULL, sizeof(variants) / sizeof((variants)[0]), 0}
#define FUSEC_SELECTED_LIST(variants, selectors)                               \
  {variants, selectors, sizeof(variants) / sizeof((variants)[0]),              \
   sizeof(selectors) / sizeof((selectors)[0])}

/* A fusion group, or a choice between several of them. */
typedef struct fusec_group_desc {
  const char *name;
  const fusec_variant_list *variants; /* NULL: each instruction set has a list
                                         of its own, in its table */
  uint64_t key; /* a hash of what it computes, for which target; 0: unknown */
} fusec_group_desc;

/* One kernel call of the host program, in program order. Groups with equal
 * kernels are one group with several launches. */
typedef struct fusec_launch_desc {
  const char *name;
  uint32_t group;
  uint32_t reserved;
} fusec_launch_desc;

/* --------------------------------------------------------------------- runs */

/* Optional; called around every launch and every call of a library routine from
 * the thread that runs the model. `step` is an index into the model's launches;
 * num_launches and more are its calls, in program order. */
typedef struct fusec_profile_hook {
  void (*begin)(void *self, uint32_t step);
  void (*end)(void *self, uint32_t step);
  void *self;
  /* Before the end of a launch on a device: how long the device took. NULL: it
   * does not matter. */
  void (*took)(void *self, uint32_t step, double milliseconds);
} fusec_profile_hook;

/* Between which memories a copy is. */
enum {
  FUSEC_COPY_TO_DEVICE = 1,
  FUSEC_COPY_TO_HOST = 2, /* the host waits for it */
  FUSEC_COPY_ON_DEVICE = 3
};

/* What a host program has a device do, one step after another, and its memory
 * on the host. Behind a step that failed none does anything. */
typedef struct fusec_device_run {
  void *self;
  /* Runs the chosen variant of a launch; `operands` are its pointers. */
  void (*launch)(void *self, uint32_t launch, const void *const *operands);
  void (*copy)(void *self, void *to, const void *from, uint64_t bytes,
               uint32_t kind);
  /* Writes `count` times the 1, 2, 4 or 8 bytes of `value`. */
  void (*fill)(void *self, void *to, const void *value, uint32_t value_bytes,
               uint64_t count);
  int32_t (*status)(void *self); /* 0, or the fusec_status of what failed */
  const void *weights;           /* start of the weights file */
  void *arena;                   /* FUSEC_ALIGNMENT-aligned */
  /* Has `body` give the device the work of an operator, as the step `step` that
   * messages call `name`. Both return 0, or a fusec_status, and have explained
   * it then. NULL: nothing runs but kernels of the model. */
  int32_t (*enqueue)(void *self, uint32_t step, const char *name,
                     int32_t (*body)(void *ctx, void *stream), void *ctx);
} fusec_device_run;

/* What one run of the host program works on; valid during the call. Of a model
 * for a device, all memory is the device's, but for that of `device`. */
typedef struct fusec_run_ctx {
  const fusec_kernel_ctx *kernel_ctx;
  const void *const *inputs;         /* per input, then per state: its value */
  void *const *outputs;              /* per output, then per state: where its
                                        next value goes */
  const void *weights;               /* start of the weights file */
  void *arena;                       /* FUSEC_ALIGNMENT-aligned */
  const fusec_kernel_fn *kernels;    /* per launch: the chosen variant */
  const void *const *packed;         /* per launch: packed weights or NULL */
  const int64_t *symbols;            /* per symbol: its value */
  const fusec_profile_hook *profile; /* NULL when off */
  const uint32_t *selection;         /* per group: the variant that runs */
  const fusec_device_run *device;    /* NULL for a model for CPUs */
  /* Keeps a copy of `text`: why the run is about to fail. On its thread. */
  void (*explain)(void *self, const char *text);
  void *explain_self;
} fusec_run_ctx;

/* Runs the model; 0 or a fusec_status. */
typedef int32_t (*fusec_run_fn)(const fusec_run_ctx *ctx);

/* Sizes for given values of the symbols and variants. */
typedef struct fusec_plan {
  uint64_t arena_bytes;
  uint64_t workspace_bytes;  /* host program's own need; variants add theirs */
  int64_t *output_dims;      /* the caller's: all outputs' dims, concatenated */
  uint64_t host_arena_bytes; /* of fusec_device_run.arena; zero at the call */
} fusec_plan;

/* Fills `plan` for the variant that `selection` has for each group; a static
 * model ignores `symbols`. 0 or a fusec_status. */
typedef int32_t (*fusec_plan_fn)(const int64_t *symbols,
                                 const uint32_t *selection, fusec_plan *plan);

#include "fusec/abi_device.h"

/* -------------------------------------------------------------------- model */

/* A weights file starts with this header; offsets of weights count from the
 * start of the file and are multiples of FUSEC_ALIGNMENT. */
#define FUSEC_WEIGHTS_MAGIC "FUSECWT1" /* 8 bytes, without the terminator */
typedef struct fusec_weights_header {
  char magic[8];
  uint64_t file_bytes; /* of the whole file, this header included */
  uint64_t id;         /* equals fusec_model_desc.weights_id */
  uint64_t structure;  /* equals fusec_model_desc.weights_structure */
  uint8_t reserved[32];
} fusec_weights_header;

/* A model as it is compiled for a target, and, where it is compiled for several
 * extents of its symbols, for one of these: an entry. */
typedef struct fusec_model_desc {
  uint32_t abi_version;  /* FUSEC_ABI_VERSION */
  uint32_t struct_bytes; /* sizeof(fusec_model_desc) */
  const char *name;
  const fusec_tensor_desc *inputs;
  const fusec_tensor_desc *outputs;
  const fusec_group_desc *groups;
  const fusec_launch_desc *launches;
  const char *const *symbols; /* names of symbolic dimensions */
  uint32_t num_inputs;
  uint32_t num_outputs;
  uint32_t num_groups;
  uint32_t num_launches;
  uint32_t num_symbols;
  uint32_t num_kernels; /* entries in each table of `kernels`: the groups that
                           are computed by kernels, which stand first */
  uint32_t algorithms;  /* version of the set that variants are of, or 0 */
  uint32_t num_others;
  uint64_t weights_bytes; /* size of the weights file; 0: the model has none */
  uint64_t weights_id;    /* any number that changes with the weights */
  /* What programs have in common that differ in nothing but the values of their
   * weights, each of which runs with the weights file of each; 0: this one runs
   * with its own alone. */
  uint64_t weights_structure;
  const fusec_variant_list *const *kernels[FUSEC_ISA_COUNT]; /* NULL: not
                                                                compiled */
  fusec_plan_fn plan;
  fusec_run_fn run;
  const fusec_device_desc *device; /* NULL: the kernels are for CPUs */
  const char *target;              /* "cpu", "cuda-sm80", ... */
  /* The same for further targets and further entries: with the same inputs and
   * outputs but for their dims, the same symbols and weights file, and without
   * others of their own. A session takes one of the targets, with all of its
   * entries. */
  const struct fusec_model_desc *const *others;
  const void *weights; /* the weights file, where the program holds it,
                          FUSEC_ALIGNMENT-aligned; NULL: it does not, or one of
                          the others */
  /* Of an entry: the value of each symbol, for which all dims are numbers.
   * NULL: who makes a session chooses the values. */
  const int64_t *extents;
  const fusec_state_desc *states; /* of all entries and targets the same but for
                                     their dims, and in_place */
  uint32_t num_states;
  uint32_t num_padding;
  /* Of an entry: the least value of each symbol that a run of it may have,
   * whose inputs are padded as `padding` says. NULL: `extents` alone. */
  const int64_t *least;
  const fusec_padding_desc *padding;
} fusec_model_desc;

/* The one exported function of a model, `fusec_<model>_query`. NULL when the
 * model was compiled for another version than `abi_version`. */
typedef const fusec_model_desc *(*fusec_query_fn)(uint32_t abi_version);

#ifdef __cplusplus
}
#endif

#include "fusec/abi_layout.h"

#endif /* FUSEC_ABI_H */
