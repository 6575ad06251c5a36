// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Runs a model whose variants are tried while it runs, and prints what that
// found out. All variants give the same here: each number is one product.
#include "scale.h"
#include "scale_tuning.h"

#include <algorithm>
#include <cstdio>
#include <cstring>

int main(int, char **argv) {
  fusec_tuner_options tuning = scale_tuning_options();
  if (std::strcmp(tuning.cache, "tuned \\ \"here\"") != 0)
    return 2;
  tuning.cache = argv[2];
  fusec::Tuner tuner(tuning);
  fusec::Model model(fusec_scale_query, argv[1]);
  fusec_session_options options = {};
  options.tuner = tuner.get();
  fusec::Session session(model, options);
  if (!tuner || !session) {
    std::printf("%s%s\n", tuner.error(), session.error());
    return 1;
  }
  float x[12] = {1, 1, 1, 1, 0}, first[12];
  for (uint64_t i = 0; i < tuning.end + 2; ++i) {
    float y[12];
    if (scale::run(session, {x}, {i == 0 ? first : y}) != FUSEC_OK ||
        (i != 0 && !std::equal(y, y + 12, first)))
      return 1;
  }
  std::printf("%s\n", tuner.report().c_str());
}
