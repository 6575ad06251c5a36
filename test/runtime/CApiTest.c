/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The C API from C: the demo model, start to end. Exit code 0 if it is right.
 */
#include <math.h>
#include <stdio.h>

#include "fusec/runtime.h"

extern const fusec_model_desc *fusec_demo_query(uint32_t abi_version);

static int fail(const char *what, const fusec_session *session) {
  fprintf(stderr, "%s: %s\n", what, fusec_last_error(session));
  return 1;
}

int main(int argc, char **argv) {
  if (argc != 2)
    return 64;
  fusec_model *model;
  if (fusec_model_create(fusec_demo_query(FUSEC_ABI_VERSION), argv[1], NULL,
                         &model))
    return fail("model", NULL);
  fusec_session *session;
  if (fusec_session_create(model, NULL, &session))
    return fail("session", NULL);

  float x[200], y[240];
  for (int i = 0; i < 200; ++i)
    x[i] = (float)i * 0.01f;
  const int64_t x_dims[] = {10, 20}, y_dims[] = {10, 24};
  const fusec_tensor input = {x, sizeof(x), x_dims, 2, FUSEC_F32};
  const fusec_tensor output = {y, sizeof(y), y_dims, 2, FUSEC_F32};
  if (fusec_session_run(session, &input, 1, &output, 1))
    return fail("run", session);

  for (int row = 0; row < 10; ++row) {
    float sum = 0.0f;
    for (int j = 0; j < 24; ++j)
      sum += y[row * 24 + j];
    if (fabsf(sum - 1.0f) > 1e-5f) {
      fprintf(stderr, "row %d of the softmax adds up to %g\n", row,
              (double)sum);
      return 1;
    }
  }
  fusec_session_destroy(session);
  fusec_model_destroy(model);
  return 0;
}
