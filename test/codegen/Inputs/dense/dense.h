// Emitted by fusec. This file may be used under any terms.
// The typed interface of `dense`:
//
//   fusec::Model model(fusec_dense_query, "weights.bin");
//   fusec::Session session(model);
//   fusec_status status = dense::run(session, {x_0}, {y});
//
// Each of them is a pointer, or a container that knows its size. For the
// compiler, dense::in::x_0::size is how many elements `x_0` has, and ::dims its
// shape.
#ifndef DENSE_H
#define DENSE_H

#ifdef __cplusplus
#include "fusec/runtime.hpp"

extern "C" FUSEC_API const fusec_model_desc *fusec_dense_query(
    uint32_t abi_version);

namespace dense {

struct Inputs {
  fusec::Span<const float, 6, 4> x_0; // f32[6, 4] `x:0`
};
namespace in {
using x_0 = decltype(Inputs::x_0);
} // namespace in

struct Outputs {
  fusec::Span<float, 6, 4> y; // f32[6, 4]
};
namespace out {
using y = decltype(Outputs::y);
} // namespace out

/// Runs the model once on `session`, a session of this model.
inline fusec_status run(fusec::Session &session, const Inputs &inputs,
                        const Outputs &outputs) {
  const fusec_tensor in[] = {inputs.x_0.tensor()};
  const fusec_tensor out[] = {outputs.y.tensor()};
  return session.run(in, 1, out, 1);
}

} // namespace dense

#else /* C: fusec_session_run, with the tensors in this order */
#include "fusec/runtime.h"

FUSEC_API const fusec_model_desc *fusec_dense_query(uint32_t abi_version);
#endif

#endif
