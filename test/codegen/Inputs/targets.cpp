// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Says which kernels a session of mlp takes, and what they compute where that
// is the CPU.
//   targets [ARCHITECTURE [TARGET]]   of the GPU, where the driver is the fake
//   one; 0: it
//                                     has none
#include "mlp.h"

#include <cstdio>
#include <cstdlib>
#include <dlfcn.h>
#include <vector>

int main(int argc, char **argv) {
  if (argc > 1) {
    void *driver = dlopen("libcuda.so.1", RTLD_NOW);
    auto *set = driver ? reinterpret_cast<void (*)(int, int)>(
                             dlsym(driver, "fake_cuda_set"))
                       : nullptr;
    if (!set)
      return 2;
    set(std::atoi(argv[1]), std::atoi(argv[1]) ? 1 : 0);
  }
  fusec_model_options remarks = {};
  remarks.log = [](void *, const char *text) { std::puts(text); };
  fusec::Model model(fusec_mlp_query, nullptr, remarks);
  fusec_session_options options = {};
  options.target = argc > 2 ? argv[2] : nullptr;
  fusec::Session session(model, options);
  std::vector<float> x(8 * 32, 0.5f), w(32 * 48, 0.25f), b(48, -1.0f),
      y(8 * 48);
  if (!session ||
      mlp::run(session, {x.data(), w.data(), b.data()}, {y.data()})) {
    std::puts(session.error());
    return 1;
  }
  std::printf("runs %s", session.desc().target);
  if (!session.desc().device)
    std::printf(", y[0][0] = %g", y[0]);
  std::puts("");
}
