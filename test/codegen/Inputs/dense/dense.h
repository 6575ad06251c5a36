// Emitted by fusec. This file may be used under any terms.
// The typed interface of `dense`:
//
//   fusec::Model model(fusec_dense_query, "weights.bin");
//   fusec::Session session(model);
//   fusec_status status = dense::run(session, {x_0}, {y});
#ifndef DENSE_H
#define DENSE_H

#ifdef __cplusplus
#include "fusec/runtime.hpp"

extern "C" const fusec_model_desc *fusec_dense_query(uint32_t abi_version);

namespace dense {

struct Inputs {
  const float *x_0; // f32[6, 4] `x:0`
};

struct Outputs {
  float *y; // f32[6, 4]
};

/// Runs the model once on `session`, a session of this model.
inline fusec_status run(fusec::Session &session, const Inputs &inputs,
                        const Outputs &outputs) {
  static constexpr int64_t in_x_0_dims[] = {6, 4};
  const fusec_tensor in[] = {fusec::tensor(inputs.x_0, in_x_0_dims)};
  static constexpr int64_t out_y_dims[] = {6, 4};
  const fusec_tensor out[] = {fusec::tensor(outputs.y, out_y_dims)};
  return session.run(in, 1, out, 1);
}

} // namespace dense

#else /* C: fusec_session_run, with the tensors in this order */
#include "fusec/runtime.h"

const fusec_model_desc *fusec_dense_query(uint32_t abi_version);
#endif

#endif
