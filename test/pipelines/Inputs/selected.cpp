// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What sessions of a program take, by instruction set and threads: a line for
// each, with the variant of each group.
#include <cstdio>
#include <cstring>

#include "fusec/runtime.hpp"

#define CONCAT(a, b, c) a##b##c
#define QUERY(model) CONCAT(fusec_, model, _query)

extern "C" const fusec_model_desc *QUERY(MODEL)(uint32_t version);

int main() {
  fusec::Model model(QUERY(MODEL));
  if (!model)
    return std::fprintf(stderr, "%s\n", model.error()), 1;
  for (const char *isa : {"avx2", "avx512"})
    for (uint32_t threads : {1u, 2u, 3u, 4u, 8u}) {
      fusec_session_options options = {};
      options.isa = isa;
      options.threads = threads;
      fusec::Session session(model, options);
      if (!session)
        return std::fprintf(stderr, "%s\n", session.error()), 1;
      if (std::strcmp(session.isa(), isa) != 0)
        continue; // the processor lacks it
      std::printf("%s, %u:", isa, threads);
      for (uint32_t group = 0; group < session.desc().num_groups; ++group)
        std::printf(" %s=%s", session.desc().groups[group].name,
                    fusec_session_variant(session.get(), group));
      std::printf("\n");
    }
}
