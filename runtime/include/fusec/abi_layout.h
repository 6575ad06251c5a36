/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The layout of the structs of abi.h, which includes this, on machines of 64
 * bits. */
#ifndef FUSEC_ABI_LAYOUT_H
#define FUSEC_ABI_LAYOUT_H

#include "fusec/abi.h"

#if UINTPTR_MAX == UINT64_MAX
#define FUSEC_LAYOUT(type, bytes)                                              \
  FUSEC_STATIC_ASSERT(sizeof(type) == (bytes), "layout of " #type)
#define FUSEC_AT(type, field, offset)                                          \
  FUSEC_STATIC_ASSERT(offsetof(type, field) == (offset),                       \
                      "layout of " #type "." #field)
FUSEC_LAYOUT(fusec_tensor_desc, 40);
FUSEC_AT(fusec_tensor_desc, rank, 16);
FUSEC_AT(fusec_tensor_desc, alignment, 24);
FUSEC_AT(fusec_tensor_desc, alias_of, 32);
FUSEC_LAYOUT(fusec_state_desc, 64);
FUSEC_AT(fusec_state_desc, output, 40);
FUSEC_LAYOUT(fusec_kernel_ctx, 40);
FUSEC_AT(fusec_kernel_ctx, workspace, 16);
FUSEC_AT(fusec_kernel_ctx, threads, 32);
FUSEC_LAYOUT(fusec_variant_desc, 72);
FUSEC_AT(fusec_variant_desc, kernel, 24);
FUSEC_AT(fusec_variant_desc, workspace_bytes, 48);
FUSEC_LAYOUT(fusec_selector, 24);
FUSEC_AT(fusec_selector, least, 16);
FUSEC_LAYOUT(fusec_variant_list, 24);
FUSEC_AT(fusec_variant_list, num_variants, 16);
FUSEC_LAYOUT(fusec_group_desc, 24);
FUSEC_AT(fusec_group_desc, key, 16);
FUSEC_LAYOUT(fusec_launch_desc, 16);
FUSEC_LAYOUT(fusec_profile_hook, 32);
FUSEC_LAYOUT(fusec_device_run, 64);
FUSEC_AT(fusec_device_run, weights, 40);
FUSEC_LAYOUT(fusec_run_ctx, 104);
FUSEC_AT(fusec_run_ctx, arena, 32);
FUSEC_AT(fusec_run_ctx, profile, 64);
FUSEC_LAYOUT(fusec_plan, 32);
FUSEC_LAYOUT(fusec_device_image, 24);
FUSEC_LAYOUT(fusec_device_kernel, 32);
FUSEC_LAYOUT(fusec_device_operand, 16);
FUSEC_LAYOUT(fusec_device_desc, 72);
FUSEC_LAYOUT(fusec_weights_header, 64);
FUSEC_LAYOUT(fusec_model_desc, 248);
FUSEC_AT(fusec_model_desc, inputs, 16);
FUSEC_AT(fusec_model_desc, num_inputs, 56);
FUSEC_AT(fusec_model_desc, weights_bytes, 88);
FUSEC_AT(fusec_model_desc, kernels, 112);
FUSEC_AT(fusec_model_desc, plan, 160);
FUSEC_AT(fusec_model_desc, device, 176);
FUSEC_AT(fusec_model_desc, others, 192);
FUSEC_AT(fusec_model_desc, weights, 200);
FUSEC_AT(fusec_model_desc, extents, 208);
FUSEC_AT(fusec_model_desc, states, 216);
FUSEC_AT(fusec_model_desc, least, 232);
FUSEC_LAYOUT(fusec_padding_desc, 32);
#undef FUSEC_LAYOUT
#undef FUSEC_AT
#endif

#endif /* FUSEC_ABI_LAYOUT_H */
