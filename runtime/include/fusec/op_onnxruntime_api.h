/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * What libraries of operators need of ONNX Runtime's C interface, in words of
 * our own, so that none of its headers is there when they are built, and no
 * library of it is linked: it hands over all that it has, as a table.
 *
 * Both the table and fusec_ort_custom_op only ever grow at the end.
 * FUSEC_ORT_API_VERSION is the version of the interface from which on
 * everything here is there (that of ONNX Runtime 1.17); every later ONNX
 * Runtime answers for it.
 */
#ifndef FUSEC_OP_ONNXRUNTIME_API_H
#define FUSEC_OP_ONNXRUNTIME_API_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define FUSEC_ORT_API_VERSION 17u

/* Objects of ONNX Runtime's. A status that is NULL says that all went well. */
typedef struct OrtStatus OrtStatus;
typedef struct OrtSessionOptions OrtSessionOptions;
typedef struct OrtCustomOpDomain OrtCustomOpDomain;
typedef struct OrtKernelInfo OrtKernelInfo;
typedef struct OrtKernelContext OrtKernelContext;
typedef struct OrtValue OrtValue;
typedef struct OrtTensorTypeAndShapeInfo OrtTensorTypeAndShapeInfo;

enum { FUSEC_ORT_FAIL = 1, FUSEC_ORT_INVALID_ARGUMENT = 2 };

/* Its table of functions, of which these are the places. */
enum {
  FUSEC_ORT_CreateStatus = 0,
  FUSEC_ORT_GetErrorMessage = 2,
  FUSEC_ORT_CreateCustomOpDomain = 26,
  FUSEC_ORT_CustomOpDomain_Add = 27,
  FUSEC_ORT_AddCustomOpDomain = 28,
  FUSEC_ORT_GetTensorMutableData = 51,
  FUSEC_ORT_GetTensorElementType = 60,
  FUSEC_ORT_GetDimensionsCount = 61,
  FUSEC_ORT_GetDimensions = 62,
  FUSEC_ORT_GetTensorTypeAndShape = 65,
  FUSEC_ORT_KernelInfoGetAttribute_float = 85,
  FUSEC_ORT_KernelInfoGetAttribute_int64 = 86,
  FUSEC_ORT_KernelInfoGetAttribute_string = 87,
  FUSEC_ORT_KernelContext_GetInput = 90,
  FUSEC_ORT_KernelContext_GetOutput = 91,
  FUSEC_ORT_ReleaseStatus = 93,
  FUSEC_ORT_ReleaseTensorTypeAndShapeInfo = 99,
  FUSEC_ORT_ReleaseCustomOpDomain = 101,
  FUSEC_ORT_KernelInfoGetAttributeArray_float = 162,
  FUSEC_ORT_KernelInfoGetAttributeArray_int64 = 163,
  FUSEC_ORT_KernelContext_ParallelFor = 274
};
typedef void (*fusec_ort_function)(void);

typedef OrtStatus *(*fusec_ort_create_status)(int code, const char *text);
typedef const char *(*fusec_ort_get_error_message)(const OrtStatus *status);
typedef void (*fusec_ort_release_status)(OrtStatus *status);
typedef OrtStatus *(*fusec_ort_create_domain)(const char *name,
                                              OrtCustomOpDomain **domain);
typedef void (*fusec_ort_release_domain)(OrtCustomOpDomain *domain);
struct fusec_ort_custom_op;
typedef OrtStatus *(*fusec_ort_add_op)(OrtCustomOpDomain *domain,
                                       const struct fusec_ort_custom_op *op);
typedef OrtStatus *(*fusec_ort_add_domain)(OrtSessionOptions *options,
                                           OrtCustomOpDomain *domain);
typedef OrtStatus *(*fusec_ort_get_data)(OrtValue *value, void **data);
typedef OrtStatus *(*fusec_ort_get_type)(const OrtValue *value,
                                         OrtTensorTypeAndShapeInfo **type);
typedef void (*fusec_ort_release_type)(OrtTensorTypeAndShapeInfo *type);
typedef OrtStatus *(*fusec_ort_get_element)(
    const OrtTensorTypeAndShapeInfo *type, int *element);
typedef OrtStatus *(*fusec_ort_get_rank)(const OrtTensorTypeAndShapeInfo *type,
                                         size_t *rank);
typedef OrtStatus *(*fusec_ort_get_dims)(const OrtTensorTypeAndShapeInfo *type,
                                         int64_t *dims, size_t rank);
typedef OrtStatus *(*fusec_ort_get_float)(const OrtKernelInfo *info,
                                          const char *name, float *value);
typedef OrtStatus *(*fusec_ort_get_int)(const OrtKernelInfo *info,
                                        const char *name, int64_t *value);
/* With `values` NULL they say how many bytes, or numbers, there are. */
typedef OrtStatus *(*fusec_ort_get_text)(const OrtKernelInfo *info,
                                         const char *name, char *values,
                                         size_t *count);
typedef OrtStatus *(*fusec_ort_get_floats)(const OrtKernelInfo *info,
                                           const char *name, float *values,
                                           size_t *count);
typedef OrtStatus *(*fusec_ort_get_ints)(const OrtKernelInfo *info,
                                         const char *name, int64_t *values,
                                         size_t *count);
typedef OrtStatus *(*fusec_ort_get_input)(const OrtKernelContext *context,
                                          size_t index, const OrtValue **value);
typedef OrtStatus *(*fusec_ort_get_output)(OrtKernelContext *context,
                                           size_t index, const int64_t *dims,
                                           size_t rank, OrtValue **value);
/* Calls `body` with each number below `total`, on ONNX Runtime's threads; with
 * `batches` 0 it says itself how many go together. */
typedef OrtStatus *(*fusec_ort_parallel_for)(const OrtKernelContext *context,
                                             void (*body)(void *, size_t),
                                             size_t total, size_t batches,
                                             void *self);

/* What RegisterCustomOps gets. */
typedef struct OrtApiBase {
  /* The table, or NULL where ONNX Runtime is of an earlier version. */
  const fusec_ort_function *(*get_api)(uint32_t version);
  const char *(*get_version)(void);
} OrtApiBase;

/* An operator for certain element types, which are ONNX's codes. */
typedef struct fusec_ort_custom_op {
  uint32_t version; /* FUSEC_ORT_API_VERSION: which fields are there */
  void *(*create_kernel)(const struct fusec_ort_custom_op *op,
                         const fusec_ort_function *api,
                         const OrtKernelInfo *info);
  const char *(*get_name)(const struct fusec_ort_custom_op *op);
  /* NULL: on the CPU. */
  const char *(*get_provider)(const struct fusec_ort_custom_op *op);
  int (*get_input_type)(const struct fusec_ort_custom_op *op, size_t index);
  size_t (*count_inputs)(const struct fusec_ort_custom_op *op);
  int (*get_output_type)(const struct fusec_ort_custom_op *op, size_t index);
  size_t (*count_outputs)(const struct fusec_ort_custom_op *op);
  void (*compute)(void *kernel, OrtKernelContext *context);
  void (*destroy_kernel)(void *kernel);
  /* 0: the operand has to be there. */
  int (*get_input_kind)(const struct fusec_ort_custom_op *op, size_t index);
  int (*get_output_kind)(const struct fusec_ort_custom_op *op, size_t index);
  /* 0: where the provider has its tensors. */
  int (*get_input_memory)(const struct fusec_ort_custom_op *op, size_t index);
  int (*count_variadic_inputs)(const struct fusec_ort_custom_op *op);
  int (*are_inputs_alike)(const struct fusec_ort_custom_op *op);
  int (*count_variadic_outputs)(const struct fusec_ort_custom_op *op);
  int (*are_outputs_alike)(const struct fusec_ort_custom_op *op);
  /* Those that may fail, which go before the two above. */
  OrtStatus *(*create_kernel_v2)(const struct fusec_ort_custom_op *op,
                                 const fusec_ort_function *api,
                                 const OrtKernelInfo *info, void **kernel);
  OrtStatus *(*compute_v2)(void *kernel, OrtKernelContext *context);
  void *infer_shapes; /* NULL: shapes are what `compute` says */
  /* Of the domain, from which to which the operator is so. */
  int (*get_first_version)(const struct fusec_ort_custom_op *op);
  int (*get_last_version)(const struct fusec_ort_custom_op *op);
} fusec_ort_custom_op;

#ifdef __cplusplus
}
#endif

#endif /* FUSEC_OP_ONNXRUNTIME_API_H */
