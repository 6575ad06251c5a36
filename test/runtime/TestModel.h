/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * A model written by hand, in C, with everything that the ABI has and `demo`
 * does not: a symbolic dimension, an input updated in place, packed weights,
 * workspace, two launches of one group, a run that can fail.
 *
 *   inputs   x: f32[n], cache: f32[n], mode: i64[]
 *   outputs  y: f32[n] = w * (w * x), cache_out: f32[n] = cache + x, in place
 *   weights  w: one f32; the variant "packed" reads -w from its pack and
 * negates mode     7 makes the run fail with FUSEC_UNSUPPORTED
 */
#ifndef FUSEC_TEST_MODEL_H
#define FUSEC_TEST_MODEL_H

#include "fusec/abi.h"

#ifdef __cplusplus
extern "C" {
#endif

const fusec_model_desc *fusec_testmodel_query(uint32_t abi_version);

/* The weights file, aligned to FUSEC_ALIGNMENT. */
const void *testmodel_weights(uint64_t *bytes);

/* How often weights were packed since the program began. */
uint32_t testmodel_packs(void);

#ifdef __cplusplus
}
#endif

#endif
