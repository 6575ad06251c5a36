// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Finds the edges of a picture, on a GPU where there is one that the model is
// for, and else on the CPU.
//   outlines_demo WEIGHTS
#include "outlines.h"

#include "fusec/cuda_driver.h"

#include <cstdio>
#include <vector>

namespace {

constexpr int kHeight = 24, kWidth = 48;

using Picture = std::vector<float>;

/// A bar and a diagonal.
Picture draw() {
  Picture picture(kHeight * kWidth);
  for (int y = 0; y < kHeight; ++y)
    for (int x = 0; x < kWidth; ++x) {
      const bool bar = x >= 6 && x < 14 && y >= 4 && y < 20;
      const bool diagonal = x - 2 * y >= 0 && x - 2 * y < 8;
      picture[y * kWidth + x] = bar || diagonal ? 1.0f : 0.0f;
    }
  return picture;
}

void print(const Picture &picture) {
  for (int y = 0; y < kHeight; ++y, std::putchar('\n'))
    for (int x = 0; x < kWidth; ++x)
      std::putchar(picture[y * kWidth + x] > 0.5f ? '#' : '.');
  std::putchar('\n');
}

/// Inputs and outputs in memory of the GPU, all on one stream: nothing waits
/// before the last line. A program that has CUDA's toolkit takes cudaMalloc,
/// cudaMemcpyAsync and so on; pointers and streams are the same.
bool runOnGpu(const fusec_device &gpu, void *stream, fusec::Session &session,
              const Picture &picture, Picture &edges) {
  const uint64_t bytes = picture.size() * sizeof(float);
  void *in = nullptr, *out = nullptr;
  const bool done = !gpu.allocate(gpu.self, bytes, &in) &&
                    !gpu.allocate(gpu.self, bytes, &out) &&
                    !gpu.copy(gpu.self, stream, in, picture.data(), bytes,
                              FUSEC_COPY_TO_DEVICE) &&
                    !outlines::run(session, {static_cast<const float *>(in)},
                                   {static_cast<float *>(out)}) &&
                    !gpu.copy(gpu.self, stream, edges.data(), out, bytes,
                              FUSEC_COPY_TO_HOST) &&
                    !gpu.synchronize(gpu.self, stream);
  if (!done)
    std::fprintf(stderr, "outlines_demo: %s\n",
                 *session.error() ? session.error() : gpu.last_error(gpu.self));
  gpu.release(gpu.self, in);
  gpu.release(gpu.self, out);
  return done;
}

/// `gpu` and `stream` may be null.
bool findEdges(const char *weights, const fusec_device *gpu, void *stream) {
  fusec::Model model(fusec_outlines_query, weights);
  fusec_session_options options = {};
  options.device = gpu;
  options.stream = stream; // where the kernels for CPUs run, it is not used
  fusec::Session session(model, options);
  if (!session) {
    std::fprintf(stderr, "outlines_demo: %s\n",
                 model ? session.error() : model.error());
    return false;
  }
  // There may be a GPU that the model is not for.
  const fusec_model_desc &taken = session.desc();
  std::printf("runs %s on %s\n\n", taken.target,
              taken.device ? gpu->name : "the CPU");
  const Picture picture = draw();
  Picture edges(picture.size());
  if (taken.device) {
    if (!runOnGpu(*gpu, stream, session, picture, edges))
      return false;
  } else if (outlines::run(session, {picture.data()}, {edges.data()})) {
    std::fprintf(stderr, "outlines_demo: %s\n", session.error());
    return false;
  }
  print(picture);
  print(edges);
  return true;
}

} // namespace

int main(int argc, char **argv) {
  if (argc != 2) {
    std::fprintf(stderr, "usage: %s WEIGHTS\n", argv[0]);
    return 64;
  }
  fusec_device *gpu = nullptr;
  void *stream = nullptr;
  if (fusec_cuda_device_create(nullptr, &gpu)) {
    std::printf("no GPU: %s\n", fusec_last_error(nullptr));
  } else if (gpu->create_stream(gpu->self, &stream)) {
    std::fprintf(stderr, "outlines_demo: %s\n", gpu->last_error(gpu->self));
    fusec_cuda_device_destroy(gpu);
    return 4;
  }
  const bool done = findEdges(argv[1], gpu, stream);
  if (stream)
    gpu->destroy_stream(gpu->self, stream);
  fusec_cuda_device_destroy(gpu); // its sessions are gone
  return done ? 0 : 4;
}
