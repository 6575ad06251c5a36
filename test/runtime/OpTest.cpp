// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// fusec/op.h: values as users write them, what a declaration becomes in the C
// interface, and what its functions do there.
#include "fusec/op.h"

#include "fusec/op_call.h"

#include <gtest/gtest.h>

using namespace fusec::op;

static void inferProduct(const std::vector<Shape> &inputs, const Param &,
                         std::vector<Shape> &outputs) {
  outputs[0] = {inputs[0][0], inputs[1][1]};
}

static void multiply(const std::vector<Tensor> &in, const Param &params,
                     std::vector<Tensor> &out) {
  Shape a = in[0].shape(), b = in[1].shape();
  float scale = params["scale"];
  const float *x = in[0].data<float>(), *w = in[1].data<float>();
  float *y = out[0].data<float>();
  for (int64_t i = 0; i < a[0]; ++i)
    for (int64_t j = 0; j < b[1]; ++j) {
      float sum = 0;
      for (int64_t k = 0; k < a[1]; ++k)
        sum += x[i * a[1] + k] * w[k * b[1] + j];
      y[i * b[1] + j] = scale * sum;
    }
}

FUSEC_OP(MatMulScale)
    .inputs(2)
    .outputs(1)
    .param("scale", 1.0f)
    .shape(inferProduct)
    .compute("cpu", multiply);

FUSEC_OP(Parts)
    .domain("acme")
    .version(3)
    .inputs({Operand("x").types({"float32", "int32"}).ranks(1, 2)})
    .outputs({Operand("y").mayAlias(0), "z"})
    .param("mode", "plain")
    .param("axes", {1, 2})
    .param("names", {"a", "b"})
    .param("flip", false)
    .gradient("PartsGrad")
    .dtype([](const std::vector<DType> &, const Param &,
              std::vector<DType> &out) { out[1] = "int64"; })
    .workspace([](const std::vector<Tensor> &in, const Param &) {
      return size_t(in[0].shape().elements()) * in[0].dtype().size();
    })
    .supports([](const std::vector<Tensor> &, const Param &params, Device) {
      return params["mode"].text() != "never";
    })
    .compute("x86", [](const std::vector<Tensor> &in, const Param &,
                       std::vector<Tensor> &out, const Context &context) {
      if (in[0].data<float>()[0] < 0)
        throw std::runtime_error("needs numbers above 0");
      context.parallelFor(in[0].shape().elements(), 1,
                          [&](int64_t begin, int64_t end) {
                            for (int64_t i = begin; i < end; ++i)
                              out[1].data<int64_t>()[i] = i;
                          });
      context.workspace<float>()[0] = 1;
    });

TEST(Op, ValuesAreWrittenAsNumbersAndNames) {
  Shape shape = {16, 3, 224, 224};
  bool equal = (shape[3] == 224);
  EXPECT_TRUE(equal);
  shape = {128, 100};
  EXPECT_EQ(shape.rank(), 2u);
  EXPECT_EQ(shape, Shape({128, 100}));
  EXPECT_NE(shape, Shape({128}));
  EXPECT_EQ(shape.elements(), 12800);
  EXPECT_THROW(shape[2], std::out_of_range);
  for (int i = 2; i < 16; ++i)
    shape.push_back(1);
  EXPECT_THROW(shape.push_back(1), std::length_error);

  Device device = "x86";
  EXPECT_TRUE(device == "cpu");
  device = "cuda";
  EXPECT_TRUE(device == "cuda");
  EXPECT_FALSE(device == "x86");
  EXPECT_THROW(Device("tpu"), std::invalid_argument);

  DType dtype = "float32";
  EXPECT_FALSE(dtype == "int8");
  EXPECT_TRUE(dtype == "f32");
  EXPECT_EQ(dtype.size(), 4u);
  EXPECT_THROW(DType("complex"), std::invalid_argument);
}

TEST(Op, ParametersComputeAndConvert) {
  ParamVal a = 1.0, b = 2, c = false, d = {1, 2};
  ParamVal e = a + b;
  ParamVal f = e - 2;
  EXPECT_TRUE(d.isList());
  d = c;
  EXPECT_FALSE(bool(d));
  EXPECT_EQ(double(f), 1.0);
  EXPECT_EQ(e.words(), "a number");
  EXPECT_EQ((b * 3).words(), "an integer");
  EXPECT_EQ(int(7 / b), 3);
  EXPECT_TRUE(f == 1.0);
  EXPECT_TRUE(a < b);
  EXPECT_THROW(b / 0, std::invalid_argument);

  ParamVal text = "mode", list = {1, 2, 3};
  EXPECT_EQ(text.words(), "a string"); // and no boolean, as pointers are
  std::string word = text;
  EXPECT_EQ(word, "mode");
  std::vector<int64_t> numbers = list;
  EXPECT_EQ(numbers, (std::vector<int64_t>{1, 2, 3}));
  EXPECT_THROW((void)float(text), std::invalid_argument);
  EXPECT_THROW((void)int(list), std::invalid_argument);
}

namespace {

/// The descriptor of that name, as a caller finds it.
const fusec_op_desc &find(const std::string &name) {
  const fusec_op_unit *unit = fusec_op_query(FUSEC_OP_ABI_VERSION);
  EXPECT_EQ(unit->problem, nullptr);
  EXPECT_EQ(unit->least_abi, 1u);
  for (uint32_t i = 0; i < unit->num_ops; ++i)
    if (unit->ops[i]->name == name)
      return *unit->ops[i];
  throw std::out_of_range(name);
}

/// A call with inputs of f32, and the defaults of an operator.
struct Call {
  explicit Call(const fusec_op_desc &op, std::vector<std::vector<int64_t>> in)
      : dims(std::move(in)) {
    for (const std::vector<int64_t> &shape : dims) {
      fusec_op_tensor tensor = {};
      tensor.struct_bytes = sizeof(tensor);
      tensor.dtype = FUSEC_OP_F32;
      tensor.rank = uint32_t(shape.size());
      tensor.dims = shape.data();
      tensors.push_back(tensor);
    }
    for (const fusec_op_tensor &tensor : tensors)
      pointers.push_back(&tensor);
    call.struct_bytes = sizeof(call);
    call.num_inputs = op.num_inputs;
    call.num_params = op.num_params;
    call.inputs = pointers.data();
    call.params = op.params;
    call.fail = [](void *self, const char *text) {
      *static_cast<std::string *>(self) = text;
    };
    call.fail_self = &failure;
  }

  std::vector<std::vector<int64_t>> dims;
  std::vector<fusec_op_tensor> tensors;
  std::vector<const fusec_op_tensor *> pointers;
  fusec_op_call call = {};
  std::string failure;
};

/// Room for the types of results.
struct Types {
  explicit Types(size_t count) : types(count), dims(count) {
    for (size_t i = 0; i < count; ++i) {
      types[i] = {sizeof(fusec_op_type), 0, 0, 0, dims[i].extents};
      pointers.push_back(&types[i]);
    }
  }
  struct Extents {
    int64_t extents[FUSEC_OP_MAX_RANK];
  };
  std::vector<fusec_op_type> types;
  std::vector<Extents> dims;
  std::vector<fusec_op_type *> pointers;
};

} // namespace

TEST(Op, DeclarationsBecomeDescriptors) {
  const fusec_op_desc &op = find("Parts");
  EXPECT_STREQ(op.domain, "acme");
  EXPECT_EQ(op.version, 3u);
  ASSERT_EQ(op.num_inputs, 1u);
  EXPECT_STREQ(op.inputs[0]->name, "x");
  EXPECT_EQ(op.inputs[0]->num_dtypes, 2u);
  EXPECT_EQ(op.inputs[0]->most_rank, 2u);
  ASSERT_EQ(op.num_outputs, 2u);
  EXPECT_EQ(op.outputs[0]->alias, uint32_t(FUSEC_OP_MAY_ALIAS));
  ASSERT_EQ(op.num_params, 4u);
  EXPECT_EQ(op.params[0]->kind, fusec_op_kind(FUSEC_OP_TEXT));
  EXPECT_STREQ(op.params[0]->texts[0], "plain");
  EXPECT_EQ(op.params[1]->kind, fusec_op_kind(FUSEC_OP_LIST | FUSEC_OP_INT));
  EXPECT_EQ(op.params[1]->count, 2u);
  EXPECT_STREQ(op.params[2]->texts[1], "b");
  EXPECT_EQ(op.params[3]->kind, fusec_op_kind(FUSEC_OP_FLAG));
  EXPECT_STREQ(find("MatMulScale").inputs[1]->name, "in1");
  EXPECT_EQ(find("MatMulScale").domain, nullptr);
  EXPECT_STREQ(op.gradient, "PartsGrad");
  EXPECT_EQ(find("MatMulScale").gradient, nullptr);
}

TEST(Op, TypesFollowFromTheFunctionsOrInput0) {
  const fusec_op_desc &product = find("MatMulScale");
  Call call(product, {{2, 3}, {3, 5}});
  Types types(1);
  ASSERT_EQ(product.infer(product.self, &call.call, types.pointers.data()), 0);
  EXPECT_EQ(types.types[0].rank, 2u);
  EXPECT_EQ(types.dims[0].extents[1], 5);
  EXPECT_EQ(types.types[0].dtype, fusec_op_dtype(FUSEC_OP_F32));

  Call wrong(product, {{2}, {3}});
  EXPECT_NE(product.infer(product.self, &wrong.call, types.pointers.data()), 0);
  EXPECT_EQ(wrong.failure, "dimension 1 of the shape [3]");

  const fusec_op_desc &parts = find("Parts");
  Call two(parts, {{7}});
  Types both(2);
  ASSERT_EQ(parts.infer(parts.self, &two.call, both.pointers.data()), 0);
  EXPECT_EQ(both.dims[1].extents[0], 7);
  EXPECT_EQ(both.types[1].dtype, fusec_op_dtype(FUSEC_OP_I64));
  uint64_t bytes = 0;
  uint32_t yes = 0;
  EXPECT_EQ(parts.workspace(parts.self, &two.call, &bytes), 0);
  EXPECT_EQ(bytes, 28u);
  EXPECT_EQ(parts.supports(parts.self, &two.call, &yes), 0);
  EXPECT_EQ(yes, 1u);
  EXPECT_EQ(product.workspace(product.self, &call.call, &bytes), 0);
  EXPECT_EQ(bytes, 0u);
}

TEST(Op, FunctionsOfElementsNeedNoForm) {
  Unit unit;
  auto nothing = [](const std::vector<Tensor> &, const Param &,
                    std::vector<Tensor> &) {};
  unit.add("Both")
      .inputs({Operand("x").types({"float64"}), "w"})
      .outputs(1)
      .scalar("f.h", "acme::f", 7)
      .compute("cpu", nothing);
  // An older fusec computes it as any other operator.
  EXPECT_EQ(unit.describe()->least_abi, 1u);
  Unit second;
  second.add("Alone").inputs(1).outputs(1).scalar("g.h", "acme::g");
  const fusec_op_unit &needs = *second.describe();
  EXPECT_EQ(needs.least_abi, 2u);
  EXPECT_EQ(needs.ops[0]->num_forms, 0u);
  ASSERT_NE(needs.ops[0]->scalar, nullptr);
  EXPECT_EQ(needs.ops[0]->scalar->steps, 0u);
  EXPECT_STREQ(needs.ops[0]->scalar->file, "g.h");
  EXPECT_STREQ(needs.ops[0]->scalar->function, "acme::g");
  EXPECT_EQ(needs.ops[0]->inputs[0]->num_dtypes, 3u);
  EXPECT_EQ(find("Parts").scalar, nullptr);
}

TEST(Op, DeclarationsThatAreWrongSayWhy) {
  auto reasonOf = [](auto build) {
    Op op("Wrong");
    build(op);
    try {
      op.describe();
    } catch (const std::exception &error) {
      return std::string(error.what());
    }
    return std::string("none");
  };
  auto nothing = [](const std::vector<Tensor> &, const Param &,
                    std::vector<Tensor> &) {};
  EXPECT_EQ(reasonOf([](Op &op) { op.inputs(1).outputs(1); }),
            "has no .compute");
  EXPECT_EQ(reasonOf([&](Op &op) { op.inputs(1).compute("cpu", nothing); }),
            "declares no outputs");
  EXPECT_EQ(reasonOf([&](Op &op) {
              op.inputs(1).outputs(1).param("a", 1).param("a", 2).compute(
                  "cpu", nothing);
            }),
            "declares the parameter 'a' twice");
  EXPECT_EQ(reasonOf([&](Op &op) {
              op.inputs(1)
                  .outputs({Operand("y").mustAlias(1)})
                  .compute("cpu", nothing);
            }),
            "says that the output 'y' aliases input 1, which there is not");
}

namespace {

/// A run of a host program that calls one operator.
struct Program {
  Program() {
    kernel.parallel_for = [](void *self, int64_t n, int64_t,
                             fusec_range_fn body, void *ctx) {
      ++*static_cast<int *>(self);
      body(ctx, 0, n);
    };
    kernel.parallel_self = &loops;
    kernel.threads = 1;
    run.kernel_ctx = &kernel;
    run.explain = [](void *self, const char *text) {
      *static_cast<std::string *>(self) = text;
    };
    run.explain_self = &explanation;
  }
  int loops = 0;
  std::string explanation;
  fusec_kernel_ctx kernel = {};
  fusec_run_ctx run = {};
};

const int64_t kDims[] = {3};
const fusec::OpTensor kIn[] = {{FUSEC_OP_F32, 1, kDims}};
const fusec::OpTensor kOut[] = {{FUSEC_OP_F32, 1, kDims},
                                {FUSEC_OP_I64, 1, kDims}};

} // namespace

TEST(Op, HostProgramsCallOperators) {
  const fusec_op_desc &parts = find("Parts");
  fusec::OpSite site(fusec_op_query, "acme", "Parts", 3, kIn, 1, kOut, 2,
                     parts.params, parts.num_params);
  Program program;
  float x[3] = {1, 2, 3}, y[3], space[3] = {};
  int64_t z[3] = {};
  EXPECT_EQ(fusec::call_op(&program.run, 0, site, {x}, {y, z}, space, 12), 0);
  EXPECT_EQ(z[2], 2);
  EXPECT_EQ(space[0], 1.0f);
  EXPECT_EQ(program.loops, 1); // the threads are the caller's
  x[0] = -1;
  EXPECT_EQ(fusec::call_op(&program.run, 0, site, {x}, {y, z}, space, 12),
            FUSEC_OP_FAILED);
  EXPECT_EQ(program.explanation,
            "the operator acme.Parts: needs numbers above 0");
  x[0] = 1;
  EXPECT_EQ(fusec::call_op(&program.run, 0, site, {x}, {y, z}, space, 12), 0);

  fusec::OpSite other(fusec_op_query, "acme", "Parts", 4, kIn, 1, kOut, 2,
                      parts.params, parts.num_params);
  EXPECT_EQ(fusec::call_op(&program.run, 0, other, {x}, {y, z}, space, 12),
            FUSEC_OP_FAILED);
  EXPECT_EQ(program.explanation,
            "the operator acme.Parts: its sources do not declare it for CPUs");
}
