// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Operators each of which breaks a rule.
#include "fusec/op.h"

#include <csignal>
#include <cstdio>
#include <fcntl.h>
#include <unistd.h>

using namespace fusec::op;
using Shapes = std::vector<Shape>;

static void copy(const std::vector<Tensor> &in, const Param &,
                 std::vector<Tensor> &out) {
  for (int64_t i = 0; i < in[0].shape().elements(); ++i)
    out[0].data<float>()[i] = in[0].data<float>()[i];
}

#define FUSEC_BAD_SHAPE(name, body)                                            \
  FUSEC_OP(name)                                                               \
      .inputs(1)                                                               \
      .outputs(1)                                                              \
      .shape([](const Shapes &in, const Param &, Shapes &out) {                \
        out[0] = in[0];                                                        \
        body;                                                                  \
      })                                                                       \
      .compute("cpu", copy)

FUSEC_BAD_SHAPE(Crash, raise(SIGSEGV));
FUSEC_BAD_SHAPE(Hang, for (;;) pause());
FUSEC_BAD_SHAPE(Exit, _exit(0));
FUSEC_BAD_SHAPE(Throw, throw std::runtime_error("no such shape"));
FUSEC_BAD_SHAPE(ThrowNumber, throw 3);
FUSEC_BAD_SHAPE(Change, out[0][0] = getpid());
FUSEC_BAD_SHAPE(Negative, out[0][0] = -1);
FUSEC_BAD_SHAPE(Rank17, for (int i = 0; i < 17; ++i) out[0].push_back(1));
FUSEC_BAD_SHAPE(Fork, if (fork() == 0) for (;;) pause(); out[0][0] = -1);
FUSEC_BAD_SHAPE(Close, for (int i = 0; i < 64; ++i) close(i));
FUSEC_BAD_SHAPE(Print, for (int i = 0; i < 1 << 20; ++i) std::puts("words"));
FUSEC_BAD_SHAPE(Take, out[0][0] = std::vector<char>(size_t(8) << 30)[0]);

#define FUSEC_BAD_COMPUTE(name, ...)                                           \
  FUSEC_OP(name).inputs(1).outputs(1).compute(                                 \
      "cpu", [](const std::vector<Tensor> &in, const Param &values,            \
                std::vector<Tensor> &out, const Context &context) {            \
        float *x = const_cast<float *>(in[0].data<float>());                   \
        float *y = out[0].data<float>();                                       \
        int64_t n = in[0].shape().elements();                                  \
        (void)x, (void)y, (void)n, (void)context;                              \
        copy(in, values, out);                                                 \
        __VA_ARGS__;                                                           \
      })

FUSEC_BAD_COMPUTE(PastEnd, y[n] = 1);
FUSEC_BAD_COMPUTE(BeforeBegin, y[-1] = 1);
// Behind all memory that a program can have.
FUSEC_BAD_COMPUTE(FarAway, y[int64_t(1) << 45] = 1);
FUSEC_BAD_COMPUTE(WritesInput, x[0] = 1);
FUSEC_BAD_COMPUTE(Counts, static float calls; y[0] = ++calls);
FUSEC_BAD_COMPUTE(ByThreads, y[0] = float(context.threads()));
FUSEC_BAD_COMPUTE(Endless, for (;;) pause());
FUSEC_BAD_COMPUTE(Leaves, for (int i = 3; i < 64; ++i) close(i);
                  for (;;) pause());
FUSEC_BAD_COMPUTE(Fails, throw std::runtime_error("needs other numbers"));

// What was there before shows in the result.
FUSEC_OP(Accumulates)
    .inputs(1)
    .outputs(1)
    .compute("cpu", [](const std::vector<Tensor> &in, const Param &,
                       std::vector<Tensor> &out) {
      for (int64_t i = 1; i < in[0].shape().elements(); ++i)
        out[0].data<float>()[i] = in[0].data<float>()[i];
    });

// Says with its tensor that the result is the input, which it does not declare.
FUSEC_OP(Aliases).inputs(1).outputs(1).compute(
    "cpu", [](const std::vector<Tensor> &in, const Param &,
              std::vector<Tensor> &out) { out[0] = in[0]; });

FUSEC_OP(Workspace)
    .inputs(1)
    .outputs(1)
    .workspace([](const std::vector<Tensor> &, const Param &) { return 100; })
    .compute("cpu", [](const std::vector<Tensor> &in, const Param &values,
                       std::vector<Tensor> &out, const Context &context) {
      copy(in, values, out);
      context.workspace<char>()[100] = 1;
    });
