/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Calls the model `small` with one thing wrong at a time: each must be refused
 * with a text, and no memory be touched that is not the model's.
 *   arguments WEIGHTS
 */
#define _POSIX_C_SOURCE 200809L
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "fusec/runtime.h"

extern const fusec_model_desc *fusec_small_query(uint32_t abi_version);

static int failures, refusals;

static void expect_refusal(const char *what, fusec_status status,
                           const fusec_session *session) {
  if (status != FUSEC_OK && *fusec_last_error(session)) {
    ++refusals;
    return;
  }
  fprintf(stderr, "%s: status %d (%s), text '%s'\n", what, (int)status,
          fusec_status_name(status), fusec_last_error(session));
  ++failures;
}

/* As much memory as the tensor has: one byte more is an error. */
static fusec_tensor make_tensor(const int64_t *dims, uint64_t bytes) {
  fusec_tensor tensor = {calloc(1, bytes), bytes, dims, 2, FUSEC_F32};
  return tensor;
}

static fusec_tensor *add(fusec_tensor *wrong, unsigned *count,
                         fusec_tensor good) {
  wrong[*count] = good;
  return &wrong[(*count)++];
}

/* Each way to be wrong, made of `good`. */
static unsigned spoil(fusec_tensor good, fusec_tensor *wrong) {
  static const int64_t dims[][2] = {{2, 3000000000}, {INT64_MAX, INT64_MAX},
                                    {-2, -4},        {-2, -3},
                                    {0, 0},          {1, 8},
                                    {4, 2},          {3, 2},
                                    {INT64_MIN, 2},  {1, 1}};
  static const uint32_t ranks[] = {0, 1, 3, 1u << 31, UINT32_MAX};
  const uint64_t bytes[] = {0, good.bytes - 1, good.bytes + 1, good.bytes * 2,
                            UINT64_MAX};
  unsigned count = 0;
  for (unsigned i = 0; i < sizeof(dims) / sizeof(*dims); ++i)
    add(wrong, &count, good)->dims = dims[i];
  for (unsigned i = 0; i < sizeof(ranks) / sizeof(*ranks); ++i)
    add(wrong, &count, good)->rank = ranks[i];
  for (unsigned i = 0; i < sizeof(bytes) / sizeof(*bytes); ++i)
    add(wrong, &count, good)->bytes = bytes[i];
  for (int dtype = -1; dtype < 40; ++dtype)
    if (dtype != FUSEC_F32)
      add(wrong, &count, good)->dtype = (fusec_dtype)dtype;
  for (int offset = 1; offset < 4; ++offset)
    add(wrong, &count, good)->data = (char *)good.data + offset;
  add(wrong, &count, good)->data = NULL;
  add(wrong, &count, good)->dims = NULL;
  return count;
}

static void try_arguments(fusec_session *session) {
  static const int64_t x_dims[] = {2, 4}, y_dims[] = {2, 3};
  fusec_tensor x = make_tensor(x_dims, 32), y = make_tensor(y_dims, 24);
  fusec_tensor wrong[100];
  unsigned count = spoil(x, wrong);
  for (unsigned i = 0; i < count; ++i)
    expect_refusal("an input", fusec_session_run(session, &wrong[i], 1, &y, 1),
                   session);
  count = spoil(y, wrong);
  for (unsigned i = 0; i < count; ++i)
    expect_refusal("an output", fusec_session_run(session, &x, 1, &wrong[i], 1),
                   session);
  const uint32_t counts[] = {0, 2, 1000, UINT32_MAX};
  for (unsigned i = 0; i < 4; ++i) {
    expect_refusal("the number of inputs",
                   fusec_session_run(session, &x, counts[i], &y, 1), session);
    expect_refusal("the number of outputs",
                   fusec_session_run(session, &x, 1, &y, counts[i]), session);
  }
  expect_refusal("no inputs", fusec_session_run(session, NULL, 1, &y, 1),
                 session);
  expect_refusal("no outputs", fusec_session_run(session, &x, 1, NULL, 1),
                 session);
  /* The output over each part of the input. */
  for (int offset = 0; offset <= 8; offset += 4) {
    fusec_tensor inside = y;
    inside.data = (char *)x.data + offset;
    expect_refusal("overlap", fusec_session_run(session, &x, 1, &inside, 1),
                   session);
  }
  if (fusec_session_run(session, &x, 1, &y, 1) != FUSEC_OK) {
    fprintf(stderr, "right arguments: %s\n", fusec_last_error(session));
    ++failures;
  }
  free(x.data);
  free(y.data);
}

/* The weights cut short, and with another header. */
static void try_weights(const char *path) {
  FILE *file = fopen(path, "rb");
  char whole[4096];
  size_t size = file ? fread(whole, 1, sizeof(whole), file) : 0;
  if (file)
    fclose(file);
  if (size < 64 || size % FUSEC_ALIGNMENT)
    exit(64);
  for (size_t change = 0; change < size + 24; ++change) {
    /* First each length, then each byte of the magic, the size and the id. */
    size_t length = change < size ? change : size;
    char *copy = aligned_alloc(FUSEC_ALIGNMENT, size);
    memcpy(copy, whole, size);
    if (change >= size)
      copy[change - size] ^= 0x55;
    fusec_model_options options = {copy, length, NULL, NULL};
    fusec_model *model = NULL;
    expect_refusal("weights",
                   fusec_model_create(fusec_small_query(FUSEC_ABI_VERSION),
                                      NULL, &options, &model),
                   NULL);
    fusec_model_destroy(model);
    free(copy);
  }
}

/* What is no file of weights, and would be waited for or read without end. */
static void try_paths(const char *weights) {
  char pipe[4096];
  snprintf(pipe, sizeof(pipe), "%s.pipe", weights);
  remove(pipe);
  if (mkfifo(pipe, 0600) != 0)
    exit(64);
  const char *paths[] = {pipe, "/dev/zero", "/", "/dev/null", "", "no/file"};
  for (unsigned i = 0; i < sizeof(paths) / sizeof(*paths); ++i) {
    fusec_model *model = NULL;
    expect_refusal(paths[i],
                   fusec_model_create(fusec_small_query(FUSEC_ABI_VERSION),
                                      paths[i], NULL, &model),
                   NULL);
    fusec_model_destroy(model);
  }
  remove(pipe);
}

int main(int argc, char **argv) {
  if (argc != 2)
    return 64;
  fusec_model *model;
  fusec_session *session;
  if (fusec_model_create(fusec_small_query(FUSEC_ABI_VERSION), argv[1], NULL,
                         &model) ||
      fusec_session_create(model, NULL, &session)) {
    fprintf(stderr, "%s\n", fusec_last_error(NULL));
    return 1;
  }
  try_arguments(session);
  try_weights(argv[1]);
  try_paths(argv[1]);
  fusec_session_destroy(session);
  fusec_model_destroy(model);
  printf("%d refusals, %d failures\n", refusals, failures);
  return failures != 0;
}
