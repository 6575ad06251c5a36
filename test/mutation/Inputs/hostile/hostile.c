/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * What .github/SECURITY.md promises of values and processes, of the model
 * `indices` and a copy of its weights, which this program cuts short.
 *   hostile WEIGHTS
 */
#define _POSIX_C_SOURCE 200809L
#include <float.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "fusec/runtime.h"

extern const fusec_model_desc *fusec_indices_query(uint32_t abi_version);

enum { MOST = 64 };

static void demand(int holds, const char *what) {
  if (holds)
    return;
  fprintf(stderr, "%s: %s\n", what, fusec_last_error(NULL));
  exit(1);
}

static uint64_t size_of(fusec_dtype type) {
  switch (type) {
  case FUSEC_I64:
    return 8;
  case FUSEC_F32:
  case FUSEC_I32:
    return 4;
  default:
    exit(64);
  }
}

/* As much memory as the tensor has: one byte more is an error. */
static fusec_tensor make_tensor(const fusec_tensor_desc *desc) {
  uint64_t bytes = size_of(desc->dtype);
  for (uint32_t i = 0; i < desc->rank; ++i)
    bytes *= (uint64_t)desc->dims[i];
  fusec_tensor tensor = {NULL, bytes, desc->dims, desc->rank, desc->dtype};
  demand(posix_memalign(&tensor.data, FUSEC_ALIGNMENT, bytes) == 0, "memory");
  memset(tensor.data, 0, bytes);
  return tensor;
}

/* Values at and beyond the ends of what an index may be, all in turn at each
 * place; each tensor begins with another one of them. */
static void fill(fusec_tensor tensor, unsigned round) {
  static const int64_t i64[] = {0,  INT64_MIN, INT64_MAX, -1,      100,
                                99, -100,      -101,      INT32_MAX, INT32_MIN,
                                1,  (int64_t)1 << 32, -((int64_t)1 << 32), 8,
                                7,  -9,        (int64_t)1 << 61, 16, -17};
  static const int32_t i32[] = {0,  INT32_MIN, INT32_MAX, -1, 100, 99, -100,
                                -101, 1 << 30, 8, 7, -9, 1, 16, -17};
  const float f32[] = {0,        NAN,  INFINITY, -INFINITY, FLT_MAX,
                       -FLT_MAX, 1e10f, -1e10f,  2.5f,      -0.5f,
                       3e9f,     FLT_MIN, -1,    1,         4};
  const uint64_t count = tensor.bytes / size_of(tensor.dtype);
  for (uint64_t i = 0; i < count; ++i)
    if (tensor.dtype == FUSEC_I64)
      ((int64_t *)tensor.data)[i] = i64[(i + round) % (sizeof(i64) / 8)];
    else if (tensor.dtype == FUSEC_I32)
      ((int32_t *)tensor.data)[i] = i32[(i + round) % (sizeof(i32) / 4)];
    else
      ((float *)tensor.data)[i] = f32[(i + round) % (sizeof(f32) / 4)];
}

typedef struct run {
  const fusec_model_desc *desc;
  fusec_tensor inputs[MOST], outputs[MOST];
} run;

static run make_run(void) {
  run all = {.desc = fusec_indices_query(FUSEC_ABI_VERSION)};
  demand(all.desc && all.desc->num_inputs <= MOST &&
             all.desc->num_outputs <= MOST,
         "query");
  for (uint32_t i = 0; i < all.desc->num_inputs; ++i)
    all.inputs[i] = make_tensor(&all.desc->inputs[i]);
  for (uint32_t i = 0; i < all.desc->num_outputs; ++i)
    all.outputs[i] = make_tensor(&all.desc->outputs[i]);
  return all;
}

static void free_run(run *all) {
  for (uint32_t i = 0; i < MOST; ++i) {
    free(all->inputs[i].data);
    free(all->outputs[i].data);
  }
}

static fusec_session *make_session(fusec_model *model) {
  fusec_session_options options = {.threads = 2};
  fusec_session *session = NULL;
  demand(fusec_session_create(model, &options, &session) == FUSEC_OK,
         "session");
  return session;
}

static void execute(fusec_session *session, run *all) {
  demand(fusec_session_run(session, all->inputs, all->desc->num_inputs,
                           all->outputs, all->desc->num_outputs) == FUSEC_OK,
         "run");
}

/* How a child that calls `body` ends, as waitpid says it. */
static int end_of_child(void (*body)(fusec_model *, const char *),
                        fusec_model *model, const char *weights) {
  fflush(NULL);
  const pid_t child = fork();
  demand(child >= 0, "fork");
  if (child == 0) {
    alarm(100);
    body(model, weights);
    _exit(0);
  }
  int status = 0;
  demand(waitpid(child, &status, 0) == child, "waitpid");
  return status;
}

static void run_in_child(fusec_model *model, const char *weights) {
  (void)weights;
  run all = make_run();
  fusec_session *session = make_session(model);
  execute(session, &all);
  fusec_session_destroy(session);
  free_run(&all);
}

static void run_with_short_weights(fusec_model *model, const char *weights) {
  if (truncate(weights, 0) != 0)
    _exit(1);
  run_in_child(model, weights);
}

int main(int argc, char **argv) {
  if (argc != 2)
    return 64;
  fusec_model *model = NULL;
  run all = make_run();
  demand(fusec_model_create(all.desc, argv[1], NULL, &model) == FUSEC_OK,
         "model");
  fusec_session *session = make_session(model);
  unsigned rounds = 0;
  for (; rounds < 20; ++rounds) {
    for (uint32_t i = 0; i < all.desc->num_inputs; ++i)
      fill(all.inputs[i], rounds * (i + 1));
    execute(session, &all);
  }
  printf("%u inputs with hostile values: %u runs\n", all.desc->num_inputs,
         rounds);
  const int forked = end_of_child(run_in_child, model, argv[1]);
  printf("a session that a child made after a run with threads: status %d\n",
         forked);
  const int cut = end_of_child(run_with_short_weights, model, argv[1]);
  printf("weights that were cut short while they were mapped: %s\n",
         WIFSIGNALED(cut) && WTERMSIG(cut) == SIGBUS ? "SIGBUS" : "no SIGBUS");
  fusec_session_destroy(session);
  fusec_model_destroy(model);
  free_run(&all);
  return 0;
}
