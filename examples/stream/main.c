/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 * Prints, behind each sample of a stream, what a model makes of all so far. An
 * empty line begins another stream.
 *   stream_demo WEIGHTS < SAMPLES */
#include "stream.h"

#include <stdio.h>
#include <stdlib.h>

static fusec_status run(fusec_session *session, float sample, float *level) {
  const int64_t in_dims[] = {1, 1, 1}, out_dims[] = {1, 1};
  const fusec_tensor in = {&sample, sizeof sample, in_dims, 3, FUSEC_F32};
  const fusec_tensor out = {level, sizeof *level, out_dims, 2, FUSEC_F32};
  return fusec_session_run(session, &in, 1, &out, 1);
}

int main(int argc, char **argv) {
  if (argc != 2) {
    fprintf(stderr, "usage: %s WEIGHTS < SAMPLES\n", argv[0]);
    return 64;
  }
  fusec_model *model = NULL;
  fusec_session *session = NULL;
  if (fusec_model_create(fusec_stream_query(FUSEC_ABI_VERSION), argv[1], NULL,
                         &model) != FUSEC_OK ||
      fusec_session_create(model, NULL, &session) != FUSEC_OK) {
    fprintf(stderr, "stream_demo: %s\n", fusec_last_error(NULL));
    return 4;
  }
  fusec_status status = FUSEC_OK;
  char line[64];
  while (status == FUSEC_OK && fgets(line, sizeof line, stdin)) {
    float level = 0;
    if (line[0] == '\n') {
      status = fusec_session_reset(session);
      putchar('\n');
      continue;
    }
    status = run(session, strtof(line, NULL), &level);
    printf("%.5f\n", (double)level);
  }
  if (status != FUSEC_OK)
    fprintf(stderr, "stream_demo: %s\n", fusec_last_error(session));
  fusec_session_destroy(session);
  fusec_model_destroy(model);
  return status == FUSEC_OK ? 0 : 4;
}
