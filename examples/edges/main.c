/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 * Finds the edges of a picture with a compiled model, in C99.
 *   edges_demo WEIGHTS */
#include "edges.h"

#include <stdio.h>

enum { HEIGHT = 24, WIDTH = 48 };

static float picture[HEIGHT * WIDTH], edges[HEIGHT * WIDTH];

/* A disc and a bar; a character is twice as high as wide. */
static void draw(void) {
  for (int y = 0; y < HEIGHT; ++y)
    for (int x = 0; x < WIDTH; ++x) {
      int dx = x - 16, dy = 2 * (y - 12);
      int disc = dx * dx + dy * dy < 14 * 14;
      int bar = x >= 36 && x < 42 && y >= 3 && y < 21;
      picture[y * WIDTH + x] = disc || bar ? 1.0f : 0.0f;
    }
}

static void print(const float *pixels) {
  for (int y = 0; y < HEIGHT; ++y, putchar('\n'))
    for (int x = 0; x < WIDTH; ++x)
      putchar(pixels[y * WIDTH + x] > 0.5f ? '#' : '.');
  putchar('\n');
}

int main(int argc, char **argv) {
  if (argc != 2) {
    fprintf(stderr, "usage: %s WEIGHTS\n", argv[0]);
    return 64;
  }
  fusec_model *model = NULL;
  fusec_session *session = NULL;
  if (fusec_model_create(fusec_edges_query(FUSEC_ABI_VERSION), argv[1], NULL,
                         &model) != FUSEC_OK ||
      fusec_session_create(model, NULL, &session) != FUSEC_OK) {
    fprintf(stderr, "edges_demo: %s\n", fusec_last_error(NULL));
    return 4;
  }

  const int64_t dims[] = {1, 1, HEIGHT, WIDTH};
  const fusec_tensor in = {picture, sizeof picture, dims, 4, FUSEC_F32};
  const fusec_tensor out = {edges, sizeof edges, dims, 4, FUSEC_F32};
  draw();
  fusec_status status = fusec_session_run(session, &in, 1, &out, 1);
  if (status == FUSEC_OK) {
    print(picture);
    print(edges);
  } else {
    fprintf(stderr, "edges_demo: %s\n", fusec_last_error(session));
  }
  fusec_session_destroy(session);
  fusec_model_destroy(model);
  return status == FUSEC_OK ? 0 : 4;
}
