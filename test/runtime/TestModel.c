/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "test/runtime/TestModel.h"

#include <string.h>

#include "fusec/runtime.h"

enum { weights_id = 41, structure = 5, weight_offset = 64, file_bytes = 68 };
static _Atomic uint32_t packs;

typedef void scale_fn(const fusec_kernel_ctx *ctx, int64_t n, const float *x,
                      const float *w, const float *packed, float *y);
typedef void accumulate_fn(const fusec_kernel_ctx *ctx, int64_t n,
                           const float *x, float *cache);

typedef struct scale_args {
  const float *x;
  float w;
  float *y;
} scale_args;

static void scale_range(void *ctx, int64_t begin, int64_t end) {
  const scale_args *args = (const scale_args *)ctx;
  for (int64_t i = begin; i < end; ++i)
    args->y[i] = args->x[i] * args->w;
}

static void scale_default(const fusec_kernel_ctx *ctx, int64_t n,
                          const float *x, const float *w, const float *packed,
                          float *y) {
  (void)packed;
  scale_args args = {x, *w, y};
  ctx->parallel_for(ctx->parallel_self, n, 16, scale_range, &args);
}

static void scale_packed(const fusec_kernel_ctx *ctx, int64_t n, const float *x,
                         const float *w, const float *packed, float *y) {
  (void)w;
  scale_args args = {x, -*packed, y};
  ctx->parallel_for(ctx->parallel_self, n, 16, scale_range, &args);
}

/* By way of its workspace. */
static void scale_copying(const fusec_kernel_ctx *ctx, int64_t n,
                          const float *x, const float *w, const float *packed,
                          float *y) {
  (void)packed;
  float *scratch = (float *)ctx->workspace;
  const int64_t room = (int64_t)(ctx->workspace_bytes / sizeof(float));
  for (int64_t i = 0; i < n; i += room) {
    const int64_t count = n - i < room ? n - i : room;
    memcpy(scratch, x + i, (size_t)count * sizeof(float));
    for (int64_t j = 0; j < count; ++j)
      y[i + j] = scratch[j] * *w;
  }
}

static void accumulate(const fusec_kernel_ctx *ctx, int64_t n, const float *x,
                       float *cache) {
  (void)ctx;
  for (int64_t i = 0; i < n; ++i)
    cache[i] += x[i];
}

static void pack_negated(const void *weights, uint32_t launch, void *packed) {
  (void)launch;
  float w;
  memcpy(&w, (const char *)weights + weight_offset, sizeof(w));
  w = -w;
  memcpy(packed, &w, sizeof(w));
  ++packs;
}

enum { first_scale, second_scale, accumulation, num_launches };

static void launch_scale(const fusec_run_ctx *run, uint32_t launch, int64_t n,
                         const float *x, float *y) {
  if (run->profile)
    run->profile->begin(run->profile->self, launch);
  ((scale_fn *)run->kernels[launch])(
      run->kernel_ctx, n, x,
      (const float *)((const char *)run->weights + weight_offset),
      (const float *)run->packed[launch], y);
  if (run->profile)
    run->profile->end(run->profile->self, launch);
}

static int32_t run_model(const fusec_run_ctx *run) {
  const int64_t n = run->symbols[0];
  const float *x = (const float *)run->inputs[0];
  if (*(const int64_t *)run->inputs[2] == 7)
    return FUSEC_UNSUPPORTED;
  launch_scale(run, first_scale, n, x, (float *)run->arena);
  launch_scale(run, second_scale, n, (const float *)run->arena,
               (float *)run->outputs[0]);
  if (run->outputs[1] != run->inputs[1])
    memcpy(run->outputs[1], run->inputs[1], (size_t)n * sizeof(float));
  ((accumulate_fn *)run->kernels[accumulation])(run->kernel_ctx, n, x,
                                                (float *)run->outputs[1]);
  return FUSEC_OK;
}

static int32_t plan_model(const int64_t *symbols, const uint32_t *selection,
                          fusec_plan *plan) {
  (void)selection;
  if (symbols[0] < 1)
    return FUSEC_INVALID_ARGUMENT;
  plan->arena_bytes = (uint64_t)symbols[0] * sizeof(float);
  plan->workspace_bytes = 0;
  plan->output_dims[0] = symbols[0];
  plan->output_dims[1] = symbols[0];
  return FUSEC_OK;
}

static const char *const symbols[] = {"n"};
static const int64_t dims[] = {-1};
static const fusec_tensor_desc inputs[] = {
    {"x", dims, 1, FUSEC_F32, 4, FUSEC_TENSOR_CONTIGUOUS, -1, 0},
    {"cache", dims, 1, FUSEC_F32, 4, FUSEC_TENSOR_CONTIGUOUS, -1, 0},
    {"mode", NULL, 0, FUSEC_I64, 8, FUSEC_TENSOR_CONTIGUOUS, -1, 0}};
static const fusec_tensor_desc outputs[] = {
    {"y", dims, 1, FUSEC_F32, 4, FUSEC_TENSOR_CONTIGUOUS, -1, 0},
    {"cache_out", dims, 1, FUSEC_F32, 4, FUSEC_TENSOR_CONTIGUOUS, 1, 0}};
static const fusec_variant_desc scale_variants[] = {
    {"default", NULL, NULL, (fusec_kernel_fn)scale_default, NULL, 0, 0, 0, 0,
     FUSEC_VARIANT_REPRODUCIBLE},
    {"packed", NULL, NULL, (fusec_kernel_fn)scale_packed, pack_negated,
     sizeof(float), 0, 0, 0, 0},
    {"copying", NULL, NULL, (fusec_kernel_fn)scale_copying, NULL, 0, 64, 0, 0,
     FUSEC_VARIANT_NAIVE}};
static const fusec_variant_desc accumulate_variants[] = {
    {"default", NULL, NULL, (fusec_kernel_fn)accumulate, NULL, 0, 0, 0, 0,
     FUSEC_VARIANT_REPRODUCIBLE}};
static const fusec_variant_list scale_list = FUSEC_VARIANT_LIST(scale_variants),
                                accumulate_list =
                                    FUSEC_VARIANT_LIST(accumulate_variants);
static const fusec_variant_list *const kernels[] = {&scale_list,
                                                    &accumulate_list};
static const fusec_group_desc groups[] = {{"scale", NULL, 0},
                                          {"accumulate", NULL, 0}};
static const fusec_launch_desc launches[] = {
    {"scale_0", 0, 0}, {"scale_1", 0, 0}, {"accumulate", 1, 0}};

static const fusec_model_desc model = {FUSEC_ABI_VERSION,
                                       sizeof(fusec_model_desc),
                                       "testmodel",
                                       inputs,
                                       outputs,
                                       groups,
                                       launches,
                                       symbols,
                                       3,
                                       2,
                                       2,
                                       num_launches,
                                       1,
                                       sizeof(kernels) / sizeof(kernels[0]),
                                       1,
                                       0,
                                       file_bytes,
                                       weights_id,
                                       structure,
                                       {kernels, NULL, NULL},
                                       plan_model,
                                       run_model,
                                       NULL,
                                       "cpu",
                                       NULL,
                                       NULL,
                                       NULL,
                                       NULL,
                                       0,
                                       0,
                                       NULL,
                                       NULL};

const fusec_model_desc *fusec_testmodel_query(uint32_t abi_version) {
  return abi_version == FUSEC_ABI_VERSION ? &model : NULL;
}

typedef struct weights_file {
  fusec_weights_header header;
  float w;
} weights_file;

const void *testmodel_weights(uint64_t *bytes) {
  static const _Alignas(64)
      weights_file file = {{{'F', 'U', 'S', 'E', 'C', 'W', 'T', '1'},
                            file_bytes,
                            weights_id,
                            structure,
                            {0}},
                           3.0f};
  *bytes = file_bytes;
  return &file;
}

uint32_t testmodel_packs(void) { return packs; }
