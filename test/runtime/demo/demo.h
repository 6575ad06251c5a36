// Written by fusec from demo.onnx; this file may be used under any terms.
// demo: the model's typed interface.
//
//   fusec::Model model(fusec_demo_query, "weights.bin");
//   fusec::Session session(model);
//   fusec_status status = demo::run(session, {x}, {y});
#ifndef DEMO_H
#define DEMO_H

#ifdef __cplusplus
#include "fusec/runtime.hpp"

extern "C" const fusec_model_desc *fusec_demo_query(uint32_t abi_version);

namespace demo {

struct Inputs {
  const float *x; // f32[10, 20]
};

struct Outputs {
  float *y; // f32[10, 24]
};

/// Runs the model once on `session`, a session of this model.
inline fusec_status run(fusec::Session &session, const Inputs &inputs,
                        const Outputs &outputs) {
  static constexpr int64_t x_dims[] = {10, 20};
  static constexpr int64_t y_dims[] = {10, 24};
  const fusec_tensor in[] = {fusec::tensor(inputs.x, x_dims)};
  const fusec_tensor out[] = {fusec::tensor(outputs.y, y_dims)};
  return session.run(in, 1, out, 1);
}

} // namespace demo

#else /* C: fusec_session_run, with the tensors in this order */
#include "fusec/runtime.h"

const fusec_model_desc *fusec_demo_query(uint32_t abi_version);
#endif

#endif
