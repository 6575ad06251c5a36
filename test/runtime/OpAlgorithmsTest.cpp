// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// fusec/op.h: several ways to compute an operator on one device.
#define FUSEC_OP_QUERY fusec_op_query_algorithms
#include "fusec/op.h"

#include "fusec/op_call.h"

#include <gtest/gtest.h>

using namespace fusec::op;

/// Writes `number` to the result.
static auto write(float number) {
  return [=](const std::vector<Tensor> &, const Param &,
             std::vector<Tensor> &out) { out[0].data<float>()[0] = number; };
}

FUSEC_OP(Sum)
    .inputs(1)
    .outputs(1)
    .workspace([](const std::vector<Tensor> &, const Param &) { return 8; })
    .compute("cpu", write(1))
    .compute("cuda", write(5))
    .compute("cpu", write(2),
             Algorithm("blocked")
                 .workspace([](const std::vector<Tensor> &in, const Param &) {
                   return size_t(in[0].shape().elements()) * 4;
                 })
                 .supports([](const std::vector<Tensor> &in, const Param &,
                              Device device) {
                   return device == "cpu" && in[0].shape().elements() > 2;
                 }))
    .compute(
        "cpu",
        [](const std::vector<Tensor> &, const Param &, std::vector<Tensor> &out,
           const Context &context) {
          out[0].data<float>()[0] = float(context.threads()) + 10;
        },
        Algorithm("atomic").reproducible(false));

namespace {

const fusec_op_desc &getSum() {
  const fusec_op_unit *unit = fusec_op_query_algorithms(FUSEC_OP_ABI_VERSION);
  EXPECT_EQ(unit->problem, nullptr);
  return *unit->ops[0];
}

/// The call of a tensor of so many elements.
struct Call {
  explicit Call(int64_t elements) : dims(elements) {
    tensor.struct_bytes = sizeof(tensor);
    tensor.dtype = FUSEC_OP_F32;
    tensor.rank = 1;
    tensor.dims = &dims;
    call.struct_bytes = sizeof(call);
    call.num_inputs = 1;
    call.inputs = &pointer;
  }
  int64_t dims;
  fusec_op_tensor tensor = {};
  const fusec_op_tensor *pointer = &tensor;
  fusec_op_call call = {};
};

} // namespace

TEST(OpAlgorithms, AreFormsWithNames) {
  const fusec_op_desc &op = getSum();
  ASSERT_EQ(op.num_forms, 4u);
  const char *names[] = {"default", "default", "blocked", "atomic"};
  for (uint32_t i = 0; i < op.num_forms; ++i) {
    EXPECT_STREQ(op.forms[i]->name, names[i]);
    EXPECT_EQ(op.forms[i]->flags, i == 3 ? uint32_t(FUSEC_OP_VARIES) : 0u);
    EXPECT_EQ(op.forms[i]->workspace != nullptr, i == 2);
    EXPECT_EQ(op.forms[i]->supports != nullptr, i == 2);
  }
}

TEST(OpAlgorithms, HaveMemoryAndConditionsOfTheirOwn) {
  const fusec_op_form &form = *getSum().forms[2];
  const Call small(2), large(3);
  uint32_t yes = 7;
  EXPECT_EQ(form.supports(form.self, &small.call, &yes), 0);
  EXPECT_EQ(yes, 0u);
  EXPECT_EQ(form.supports(form.self, &large.call, &yes), 0);
  EXPECT_EQ(yes, 1u);
  uint64_t bytes = 0;
  EXPECT_EQ(form.workspace(form.self, &large.call, &bytes), 0);
  EXPECT_EQ(bytes, 12u);
  EXPECT_EQ(getSum().workspace(getSum().self, &large.call, &bytes), 0);
  EXPECT_EQ(bytes, 8u);
}

TEST(OpAlgorithms, NeedTheVersionThatHasThem) {
  EXPECT_EQ(fusec_op_query_algorithms(FUSEC_OP_ABI_VERSION)->least_abi, 3u);
  auto leastOf = [](Algorithm algorithm) {
    Unit unit;
    unit.add("One").inputs(1).outputs(1).compute("cpu", write(1), algorithm);
    return unit.describe()->least_abi;
  };
  EXPECT_EQ(leastOf({}), 1u);
  EXPECT_EQ(leastOf("default"), 1u);
  EXPECT_EQ(leastOf("other"), 3u);
  EXPECT_EQ(leastOf(Algorithm().reproducible(false)), 3u);
  EXPECT_EQ(leastOf(Algorithm().reproducible(true)), 1u);
}

TEST(OpAlgorithms, HaveNamesOfTheirOwn) {
  Unit unit;
  unit.add("Twins")
      .inputs(1)
      .outputs(1)
      .compute("cpu", write(1))
      .compute("cpu", write(2));
  EXPECT_STREQ(unit.describe()->problem,
               "Twins has two algorithms 'default' for one device; name them, "
               "as in .compute(\"cpu\", f, Algorithm(\"blocked\"))");
  Unit elements;
  elements.add("Elements")
      .inputs(1)
      .outputs(1)
      .scalar("f.h", "f")
      .compute("cpu", write(1), "other");
  EXPECT_STREQ(elements.describe()->problem,
               "Elements computes elements by a function, beside which there "
               "are no algorithms");
}

TEST(OpAlgorithms, ProgramsCallOneByName) {
  fusec_run_ctx run = {};
  fusec_kernel_ctx kernels = {};
  kernels.threads = 3;
  run.kernel_ctx = &kernels;
  std::string said;
  run.explain_self = &said;
  run.explain = [](void *self, const char *text) {
    *static_cast<std::string *>(self) = text;
  };
  const int64_t dims[] = {1};
  const fusec::OpTensor type = {FUSEC_OP_F32, 1, dims};
  float x = 0, y = 0;
  const void *in[] = {&x};
  void *out[] = {&y};
  auto call = [&](const char *algorithm,
                  fusec_op_device device = FUSEC_OP_CPU) {
    fusec::OpSite site(fusec_op_query_algorithms, "custom", "Sum", 1, &type, 1,
                       &type, 1, nullptr, 0, algorithm,
                       fusec_op_query_algorithms);
    return site.run(&run, {in, out, nullptr, 0}, device);
  };
  EXPECT_EQ(call(nullptr), 0);
  EXPECT_EQ(y, 1);
  EXPECT_EQ(call("blocked"), 0);
  EXPECT_EQ(y, 2);
  EXPECT_EQ(call("atomic"), 0);
  EXPECT_EQ(y, 13);
  // They are those for CPUs.
  EXPECT_EQ(call("blocked", FUSEC_OP_CUDA), 0);
  EXPECT_EQ(y, 5);
  EXPECT_EQ(call("other"), int32_t(FUSEC_OP_FAILED));
  EXPECT_EQ(said, "the operator custom.Sum: its sources do not declare it for "
                  "CPUs, by the algorithm other");
}
