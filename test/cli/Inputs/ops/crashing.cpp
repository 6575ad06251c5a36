// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Operators whose compute ends the process.
#include "fusec/op.h"

#include <chrono>
#include <csignal>
#include <cstdlib>
#include <thread>

using namespace fusec::op;

static void copy(const std::vector<Tensor> &in, const Param &,
                 std::vector<Tensor> &out) {
  for (int64_t i = 0; i < in[0].shape().elements(); ++i)
    out[0].data<float>()[i] = in[0].data<float>()[i];
}

static void copySlowly(const std::vector<Tensor> &in, const Param &params,
                       std::vector<Tensor> &out) {
  std::this_thread::sleep_for(std::chrono::milliseconds(5));
  copy(in, params, out);
}

static void end(const std::string &how) {
  if (how == "write")
    *reinterpret_cast<volatile int *>(8) = 1;
  if (how == "abort")
    std::abort();
  if (how == "divide")
    std::raise(SIGFPE);
  if (how == "exit")
    std::exit(0);
}

/// Ends where it is called, or on another thread.
static void crash(const std::vector<Tensor> &in, const Param &params,
                  std::vector<Tensor> &out, const Context &context) {
  copy(in, params, out);
  const std::string how = params["how"];
  if (how != "worker")
    return end(how);
  const std::thread::id own = std::this_thread::get_id();
  for (int i = 0; i < 1000; ++i)
    context.parallelFor(64, 1, [=](int64_t, int64_t) {
      if (std::this_thread::get_id() != own)
        end("write");
      std::this_thread::sleep_for(std::chrono::microseconds(50));
    });
}

FUSEC_OP(Crash)
    .inputs(1)
    .outputs(1)
    .param("how", "write")
    .compute("cpu", crash);

FUSEC_OP(Either)
    .inputs(1)
    .outputs(1)
    .param("how", "write")
    .compute("cpu", copy, "fine")
    .compute("cpu", crash, "crashes");

FUSEC_OP(First)
    .inputs(1)
    .outputs(1)
    .param("how", "write")
    .compute("cpu", crash, "crashes")
    .compute("cpu", copy, "fine");

FUSEC_OP(Slow)
    .inputs(1)
    .outputs(1)
    .param("how", "")
    .compute("cpu", copySlowly, "slow")
    .compute("cpu", copy, "quick");
