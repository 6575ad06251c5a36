/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Running compiled models, in C.
 *
 * A model is the descriptor of a compiled network with its weights mapped; it
 * is immutable and may be shared by threads. A session is the memory of one run
 * at a time; to run concurrently, create several sessions on one model. After a
 * session is created, running it allocates nothing.
 *
 * No function throws or prints. Those that can fail return a status; the text
 * is in fusec_last_error.
 */
#ifndef FUSEC_RUNTIME_H
#define FUSEC_RUNTIME_H

#include "fusec/abi.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef int32_t fusec_status;
enum {
  FUSEC_OK = 0,
  FUSEC_INVALID_ARGUMENT = 1, /* an argument, an input or an output is wrong */
  FUSEC_ABI_MISMATCH = 2,     /* the model was compiled for another runtime */
  FUSEC_IO_ERROR = 3,         /* the weights file cannot be read */
  FUSEC_BAD_WEIGHTS = 4,      /* the weights are not those of the model */
  FUSEC_OUT_OF_MEMORY = 5,
  FUSEC_UNSUPPORTED = 6,  /* no kernels for this CPU or device, or no such
                             variant */
  FUSEC_BUSY = 7,         /* the session is running on another thread */
  FUSEC_DEVICE_ERROR = 8, /* a device failed: a launch, a copy, its driver */
  FUSEC_OP_FAILED = 9,    /* an operator of a user's said that it failed */
  FUSEC_BAD_STATE = 10    /* saved states are damaged, or another model's */
};

/* "invalid argument", ... for any status. */
FUSEC_API const char *fusec_status_name(fusec_status status);

typedef struct fusec_model fusec_model;
typedef struct fusec_session fusec_session;
typedef struct fusec_thread_pool fusec_thread_pool;
typedef struct fusec_device fusec_device;

/* The text of the last failure on `session`; with NULL, of the last failure on
 * this thread in a function that has no session. Empty when there was none. */
FUSEC_API const char *fusec_last_error(const fusec_session *session);

/* -------------------------------------------------------------------- model */

typedef void (*fusec_log_fn)(void *self, const char *message);

/* All fields may be zero. */
typedef struct fusec_model_options {
  const void *weights; /* the weights file in memory, FUSEC_ALIGNMENT-aligned,
                          instead of a path; stays the caller's */
  uint64_t weights_bytes; /* its size */
  fusec_log_fn log;       /* gets remarks, such as the chosen instruction set */
  void *log_self;
} fusec_model_options;

/* Checks the descriptor and maps the weights. `weights_path` may be NULL where
 * the options have the weights, the program holds them, or the model has none.
 */
FUSEC_API fusec_status fusec_model_create(const fusec_model_desc *desc,
                                          const char *weights_path,
                                          const fusec_model_options *options,
                                          fusec_model **model);

/* Whether the weights that the model has now are to the byte those that were
 * compiled: FUSEC_BAD_WEIGHTS where not. Reads all of them, which
 * fusec_model_create does not. What it asks is a hash in the model's code, or,
 * of other weights, in their file; it is no signature. */
FUSEC_API fusec_status fusec_model_check_weights(const fusec_model *model);

/* Gives a model that was compiled with --swappable-weights other weights: those
 * that fusec has compiled of the same model with other values, with the same
 * options, from a file, or from the memory of `options` (whose other fields are
 * not used), or with neither those that the program holds. Sessions that are
 * created from then on have them; those that there are keep the weights that
 * they were created with until they are destroyed, so that neither a run nor a
 * state is of both. Weights go with the last session that has them; until then
 * a file must not be written over (replace it by renaming another one), and
 * memory stays the caller's.
 *
 * Any thread may call it at any time. All of the weights are read and checked
 * first: FUSEC_BAD_WEIGHTS where they are damaged, another model's, or were
 * compiled with other options; FUSEC_UNSUPPORTED for a model that was compiled
 * without --swappable-weights. Then the model keeps the weights that it has. */
FUSEC_API fusec_status
fusec_model_swap_weights(fusec_model *model, const char *weights_path,
                         const fusec_model_options *options);

/* Its sessions must be gone. NULL is allowed. */
FUSEC_API void fusec_model_destroy(fusec_model *model);

/* For the first of its targets and entries. */
FUSEC_API const fusec_model_desc *
fusec_model_descriptor(const fusec_model *model);

/* -------------------------------------------------------------- thread pool */

/* A pool of `threads` threads, the caller's own included (0: one per CPU that
 * this process may use, by its affinity and by the CPU quotas of its control
 * groups, rounded up). Sessions share a pool; where it is busy, a session's
 * loop runs on the thread that called it. Workers spin for about 100 us and
 * then sleep. */
FUSEC_API fusec_status fusec_thread_pool_create(uint32_t threads,
                                                fusec_thread_pool **pool);
FUSEC_API void fusec_thread_pool_destroy(fusec_thread_pool *pool);
FUSEC_API uint32_t fusec_thread_pool_threads(const fusec_thread_pool *pool);

/* The pool as a fusec_parallel_for_fn; `self` is the pool. */
FUSEC_API void fusec_thread_pool_parallel_for(void *self, int64_t n,
                                              int64_t grain,
                                              fusec_range_fn body, void *ctx);

/* ------------------------------------------------------------------- tuning */

/* What sessions find out, while they run, about which variants are fastest. It
 * is shared by sessions, of one model or of several, and outlives them: what
 * one has found out no other one searches again. Runs are counted over all of
 * them, from 0. */
typedef struct fusec_tuner fusec_tuner;

enum {
  FUSEC_TUNER_REPRODUCIBLE = 1u,    /* only variants with the same bits on any
                                       number of threads */
  FUSEC_TUNER_LIMIT_WORKSPACE = 2u, /* only variants within `workspace_limit`;
                                       where a group has none, its default */
  FUSEC_TUNER_FULL_RUN = 4u,        /* naive variants, too */
  FUSEC_TUNER_EXHAUSTIVE = 8u       /* each variant as often as all others;
                                       without it one that takes more than twice
                                       the time of the fastest is left early */
};

/* All fields may be zero: nothing is searched, and no cache is read. */
typedef struct fusec_tuner_options {
  /* Runs from `begin` to before `end` each try another variant of every group
   * that has several; their results are right, their bits may differ. Runs
   * before take the defaults, runs after it what was fastest; a group of which
   * some variant ran fewer than 3 times keeps its default. While it lasts,
   * sessions that share the tuner run one after the other. Both 0: no search.
   */
  uint64_t begin, end;
  /* A folder of records (`fusec tune`, or an earlier process): groups that it
   * knows for this machine are not searched. What a search finds is added to it
   * when the range is over. */
  const char *cache;
  const char *read_only;    /* the same, never written: a folder or a file */
  uint64_t workspace_limit; /* of a variant, in bytes */
  uint32_t flags;           /* FUSEC_TUNER_* */
  uint32_t reserved;
  const char *compiler; /* what compiled the kernels, as records name it; with
                           NULL records of any compiler count */
  fusec_log_fn log;     /* gets what is amiss with caches and ranges */
  void *log_self;
  uint64_t (*clock)(void *self); /* nanoseconds; NULL: the system's */
  void *clock_self;
} fusec_tuner_options;

FUSEC_API fusec_status fusec_tuner_create(const fusec_tuner_options *options,
                                          fusec_tuner **tuner);
/* Its sessions must be gone. NULL is allowed. */
FUSEC_API void fusec_tuner_destroy(fusec_tuner *tuner);

/* What happened so far, as JSON: the hit rate of each run (launches whose group
 * was known, of all), and for each group the variants, their times and what was
 * taken. Writes up to `capacity` bytes to `text`, with a terminating zero;
 * `*bytes` is how many all of it takes. */
FUSEC_API fusec_status fusec_tuner_report(fusec_tuner *tuner, char *text,
                                          uint64_t capacity, uint64_t *bytes);

/* ------------------------------------------------------------------ session */

/* Chooses a variant of one group, or of all groups (`group` NULL) that have one
 * of that name. Later choices win. */
typedef struct fusec_choice {
  const char *group;
  const char *variant;
} fusec_choice;

/* All fields may be zero: one thread, own memory, default variants. Of a model
 * for several targets a session takes the one for the device, of the highest
 * architecture that it runs, and where there is no such device the one for
 * CPUs. On a device, `threads` are those of what the CPU does in between. */
typedef struct fusec_session_options {
  uint32_t threads; /* more than 1: the session makes a pool of its own */
  uint32_t num_choices;
  fusec_thread_pool *pool;            /* shared; must outlive the session */
  fusec_parallel_for_fn parallel_for; /* the caller's own threads, `threads` of
                                         them; wins over `pool` */
  void *parallel_self;
  void *arena; /* the caller's memory (of the device, if there is one),
                  FUSEC_ALIGNMENT-aligned, of at least fusec_session_memory
                  bytes; must outlive the session */
  uint64_t arena_bytes;
  const fusec_choice *choices;
  const int64_t *symbols; /* a value for each of the model's symbols. Of a model
                             with entries: the session has this one alone, and
                             memory for no more; NULL: it has all */
  const fusec_profile_hook *profile; /* called around each step; must outlive
                                        the session */
  const char *isa;    /* "baseline", "avx2", "avx512", "avx512vnni",
                       * "avx512bf16", "amx": use no stronger one */
  fusec_tuner *tuner; /* chooses the variants of groups that `choices` does not
                         name; must outlive the session; not on a device */
  const char *target; /* "cpu", "cuda-sm80", ...: take no other one */
  const fusec_device *device; /* must outlive the session. NULL: the first GPU
                                 that there is, for a model that was built with
                                 the code of its kernels */
  void *stream; /* of the device, the caller's: a run whose inputs and outputs
                   all lie on the device does not wait for its end; must outlive
                   the session. NULL: the session has one, and runs wait */
  const fusec_device_image *image; /* in place of the descriptor's */
  uint64_t
      workspace_limit; /* bytes that a variant may need besides its operands
                          and results; 0: as many as it likes. Holds for
                          what `choices` and `tuner` do not name */
  uint32_t mark_every; /* of a device: an error names so many steps at most, for
                          which the device writes to the host's memory how far
                          it has come; 1: it names the very step, and the device
                          is given step by step what otherwise are graphs. 0:
                          16 */
  uint32_t reserved;
} fusec_session_options;

/* How many bytes of arena a session with these options needs. */
FUSEC_API fusec_status fusec_session_memory(
    fusec_model *model, const fusec_session_options *options, uint64_t *bytes);

FUSEC_API fusec_status
fusec_session_create(fusec_model *model, const fusec_session_options *options,
                     fusec_session **session);
FUSEC_API void fusec_session_destroy(fusec_session *session);

/* For the target that the session has taken, which it names, and the entry of
 * the last run or fusec_session_pick, at first the first one; steps of a
 * profile are this one's. */
FUSEC_API const fusec_model_desc *
fusec_session_descriptor(const fusec_session *session);

/* "baseline", "avx2", "avx512", "avx512vnni", "avx512bf16" or "amx": whose
 * kernels run on the CPU. */
FUSEC_API const char *fusec_session_isa(const fusec_session *session);

/* The name of the variant that group number `group` had in the last run; NULL
 * if there is no such group. */
FUSEC_API const char *fusec_session_variant(const fusec_session *session,
                                            uint32_t group);

/* ---------------------------------------------------------------------- run */

/* A caller's array: row-major, contiguous, aligned to its element; on a device
 * or on the host. */
typedef struct fusec_tensor {
  void *data; /* inputs are not written to */
  uint64_t bytes;
  const int64_t *dims;
  uint32_t rank;
  fusec_dtype dtype;
} fusec_tensor;

/* Takes the entry with these extents, of the model's symbols in their order,
 * for the runs that follow: then its descriptor has the dims of all outputs.
 * FUSEC_INVALID_ARGUMENT where there is none, with a text that lists them; the
 * session stays as it was. Nothing is allocated. */
FUSEC_API fusec_status fusec_session_pick(fusec_session *session,
                                          const int64_t *extents,
                                          uint32_t num_extents);

/* Runs the model: inputs and outputs in the order of the descriptor. Of a model
 * with entries the one runs that the dims of the inputs fit; where none does,
 * the text lists them. Outputs may overlap nothing, except an input they are
 * declared to alias. Its states are neither: the session has them. */
FUSEC_API fusec_status fusec_session_run(fusec_session *session,
                                         const fusec_tensor *inputs,
                                         uint32_t num_inputs,
                                         const fusec_tensor *outputs,
                                         uint32_t num_outputs);

/* -------------------------------------------------------------------- state */

/* A model that was compiled with --state carries values from one run to the
 * next (fusec_model_desc.states). A session keeps them, each session its own,
 * in memory that it takes when it is created, on the device if it has one. A
 * run that is refused, or fails before it begins, leaves them as they are; one
 * that fails on the way may have changed those that it writes in place.
 *
 * They have the shapes of the entry that has run last. A run of an entry in
 * which one has another shape fails with FUSEC_INVALID_ARGUMENT until they are
 * reset. */

/* Makes all states zeros, as they are at first. */
FUSEC_API fusec_status fusec_session_reset(fusec_session *session);

/* Copies one state, which is called as the input that reads it: out of the
 * session to `to`, or into it from `from`, in memory of the host or of the
 * device. FUSEC_INVALID_ARGUMENT, and nothing is changed, where there is no
 * such state, or it has another shape or type. Before the first run the shapes
 * are those of the session's entry. */
FUSEC_API fusec_status fusec_session_get_state(fusec_session *session,
                                               const char *name,
                                               const fusec_tensor *to);
FUSEC_API fusec_status fusec_session_set_state(fusec_session *session,
                                               const char *name,
                                               const fusec_tensor *from);

/* Writes all states to `memory`, of `capacity` bytes, for fusec_session_restore
 * of any session of the model, on whatever target; `*bytes` is how many they
 * take. With `memory` NULL it only counts them. */
FUSEC_API fusec_status fusec_session_save(fusec_session *session, void *memory,
                                          uint64_t capacity, uint64_t *bytes);
/* Takes states that fusec_session_save has written. FUSEC_BAD_STATE, and
 * nothing is changed, where they are those of another model, of one with other
 * weights, or damaged. */
FUSEC_API fusec_status fusec_session_restore(fusec_session *session,
                                             const void *memory,
                                             uint64_t bytes);

/* "f32", ... and the bytes of an element; "?" and 0 for an unknown one. */
FUSEC_API const char *fusec_dtype_name(fusec_dtype dtype);
FUSEC_API uint64_t fusec_dtype_bytes(fusec_dtype dtype);

#ifdef __cplusplus
}
#endif

#endif /* FUSEC_RUNTIME_H */
