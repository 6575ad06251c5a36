// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// An operator in the C interface itself, whose result says what it was given:
// the version that the caller has, and, where the header has it, whether the
// structs have the field `grown`.
#include "fusec/op_abi.h"

static uint32_t callerVersion;

static int32_t infer(void *, const fusec_op_call *call,
                     fusec_op_type *const *types) {
  types[0]->dtype = FUSEC_OP_F32;
  types[0]->rank = call->inputs[0]->rank;
  for (uint32_t axis = 0; axis < types[0]->rank; ++axis)
    types[0]->dims[axis] = call->inputs[0]->dims[axis];
  return 0;
}

static int32_t workspace(void *, const fusec_op_call *, uint64_t *bytes) {
  *bytes = 0;
  return 0;
}

static int32_t supports(void *, const fusec_op_call *, uint32_t *yes) {
  *yes = 1;
  return 0;
}

static int32_t create(void *, const fusec_op_call *, void **state) {
  *state = nullptr;
  return 0;
}

static int32_t compute(void *, void *, const fusec_op_call *call) {
  float said = float(callerVersion);
#if FUSEC_OP_ABI_VERSION > 1
  said += FUSEC_OP_HAS(call, grown) ? 0.5f : 0.0f;
  said += FUSEC_OP_HAS(call->inputs[0], grown) ? 0.25f : 0.0f;
#endif
  int64_t count = 1;
  for (uint32_t axis = 0; axis < call->outputs[0]->rank; ++axis)
    count *= call->outputs[0]->dims[axis];
  for (int64_t i = 0; i < count; ++i)
    static_cast<float *>(call->outputs[0]->data)[i] = said;
  return 0;
}

static void destroy(void *, void *) {}

#ifndef FUSEC_OP_QUERY
#define FUSEC_OP_QUERY fusec_op_query
#endif

extern "C" {
__attribute__((visibility("default"))) const fusec_op_unit *
FUSEC_OP_QUERY(uint32_t version);

const fusec_op_unit *FUSEC_OP_QUERY(uint32_t version) {
  static fusec_op_operand x, y;
  static const fusec_op_operand *const ins[] = {&x}, *const outs[] = {&y};
  static fusec_op_form form;
  static const fusec_op_form *const forms[] = {&form};
  static fusec_op_desc op;
  static const fusec_op_desc *const ops[] = {&op};
  static fusec_op_unit unit;
  callerVersion = version;
  x.struct_bytes = y.struct_bytes = sizeof(fusec_op_operand);
  x.name = "x";
  y.name = "y";
  x.most_rank = y.most_rank = FUSEC_OP_MAX_RANK;
  form.struct_bytes = sizeof(form);
  form.name = "default";
  form.create = create;
  form.compute = compute;
  form.destroy = destroy;
  op.struct_bytes = sizeof(op);
  op.version = 1;
  op.name = "Plain";
  op.num_inputs = op.num_outputs = op.num_forms = 1;
  op.inputs = ins;
  op.outputs = outs;
  op.forms = forms;
  op.infer = infer;
  op.workspace = workspace;
  op.supports = supports;
  unit.struct_bytes = sizeof(unit);
  unit.least_abi = 1;
  unit.num_ops = 1;
  unit.ops = ops;
  return &unit;
}
}
