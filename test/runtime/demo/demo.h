// Written by fusec from demo.onnx; this file may be used under any terms.
// demo: the model's typed interface.
//
//   fusec::Model model(fusec_demo_query, "weights.bin");
//   fusec::Session session(model);
//   fusec_status status = demo::run(session, {x}, {y});
//
// Each of them is a pointer, or a container that knows its size. For the
// compiler, demo::in::x::size is how many elements `x` has, and ::dims its
// shape.
#ifndef DEMO_H
#define DEMO_H

#ifdef __cplusplus
#include "fusec/runtime.hpp"

extern "C" FUSEC_API const fusec_model_desc *fusec_demo_query(uint32_t abi_version);

namespace demo {

struct Inputs {
  fusec::Span<const float, 10, 20> x; // f32[10, 20]
};
namespace in {
using x = decltype(Inputs::x);
} // namespace in

struct Outputs {
  fusec::Span<float, 10, 24> y; // f32[10, 24]
};
namespace out {
using y = decltype(Outputs::y);
} // namespace out

/// Runs the model once on `session`, a session of this model.
inline fusec_status run(fusec::Session &session, const Inputs &inputs,
                        const Outputs &outputs) {
  const fusec_tensor in[] = {inputs.x.tensor()};
  const fusec_tensor out[] = {outputs.y.tensor()};
  return session.run(in, 1, out, 1);
}

} // namespace demo

#else /* C: fusec_session_run, with the tensors in this order */
#include "fusec/runtime.h"

FUSEC_API const fusec_model_desc *fusec_demo_query(uint32_t abi_version);
#endif

#endif
