// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RAII over runtime.h, without exceptions: an object that could not be made is
// false and knows why.
//
//   fusec::Model model(fusec_mlp_query, "weights.bin");
//   fusec::Session session(model);
//   if (!session)
//     complain(session.error());
#ifndef FUSEC_RUNTIME_HPP
#define FUSEC_RUNTIME_HPP

#include "fusec/runtime.h"
#include "fusec/span.hpp"

#include <string>
#include <utility>

namespace fusec {

namespace detail {

/// Owns a C object and the status of its creation.
template <typename T, void (*Destroy)(T *)> class Handle {
public:
  Handle(const Handle &) = delete;
  Handle &operator=(const Handle &) = delete;
  Handle(Handle &&other) noexcept
      : object(other.object), made(other.made), why(std::move(other.why)) {
    other.object = nullptr;
  }
  Handle &operator=(Handle &&other) noexcept {
    T *mine = object;
    object = other.object;
    other.object = mine;
    made = other.made;
    why = std::move(other.why);
    return *this;
  }
  ~Handle() { Destroy(object); }

  explicit operator bool() const { return object != nullptr; }
  T *get() const { return object; }

  /// FUSEC_OK, or why there is no object.
  fusec_status status() const { return made; }

protected:
  Handle() = default;

  /// Of what was just tried to create.
  void setStatus(fusec_status status) {
    made = status;
    if (!object)
      why = fusec_last_error(nullptr);
  }

  T *object = nullptr;
  fusec_status made = FUSEC_INVALID_ARGUMENT;
  std::string why; // there is no object
};

} // namespace detail

class Model : public detail::Handle<fusec_model, fusec_model_destroy> {
public:
  Model() = default;
  explicit Model(const fusec_model_desc *desc,
                 const char *weights_path = nullptr,
                 const fusec_model_options &options = {}) {
    setStatus(fusec_model_create(desc, weights_path, &options, &object));
  }
  explicit Model(fusec_query_fn query, const char *weights_path = nullptr,
                 const fusec_model_options &options = {})
      : Model(query(FUSEC_ABI_VERSION), weights_path, options) {}

  const fusec_model_desc &desc() const {
    return *fusec_model_descriptor(object);
  }

  /// Gives sessions that are created from now on other weights; see
  /// fusec_model_swap_weights. fusec_last_error(nullptr) says why it failed.
  fusec_status swapWeights(const char *weights_path,
                           const fusec_model_options &options = {}) {
    return fusec_model_swap_weights(object, weights_path, &options);
  }

  /// Whether the weights are to the byte those that were compiled.
  bool checkWeights() const {
    return object && fusec_model_check_weights(object) == FUSEC_OK;
  }

  /// Why this model is false; empty if it is not.
  const char *error() const { return why.c_str(); }
};

class ThreadPool
    : public detail::Handle<fusec_thread_pool, fusec_thread_pool_destroy> {
public:
  /// 0: one thread per CPU that this process may use.
  explicit ThreadPool(uint32_t threads = 0) {
    setStatus(fusec_thread_pool_create(threads, &object));
  }
  uint32_t threads() const { return fusec_thread_pool_threads(object); }
};

/// What sessions find out about variants while they run; see runtime.h.
class Tuner : public detail::Handle<fusec_tuner, fusec_tuner_destroy> {
public:
  explicit Tuner(const fusec_tuner_options &options) {
    setStatus(fusec_tuner_create(&options, &object));
  }

  /// As JSON; empty where there is no tuner.
  std::string report() const {
    uint64_t bytes = 0;
    if (!object || fusec_tuner_report(object, nullptr, 0, &bytes))
      return "";
    std::string text(bytes, '\0');
    fusec_tuner_report(object, &text[0], bytes + 1, &bytes);
    return text;
  }

  /// Why this tuner is false; empty if it is not.
  const char *error() const { return why.c_str(); }
};

class Session : public detail::Handle<fusec_session, fusec_session_destroy> {
public:
  Session() = default;
  explicit Session(const Model &model,
                   const fusec_session_options &options = {}) {
    if (model) {
      setStatus(fusec_session_create(model.get(), &options, &object));
      return;
    }
    // Why there is no model is also why there is no session.
    made = model.status();
    why = model.error();
  }

  fusec_status run(const fusec_tensor *inputs, uint32_t num_inputs,
                   const fusec_tensor *outputs, uint32_t num_outputs) {
    return fusec_session_run(object, inputs, num_inputs, outputs, num_outputs);
  }

  /// Takes the entry with these extents; see fusec_session_pick.
  fusec_status pick(const int64_t *extents, uint32_t num_extents) {
    return fusec_session_pick(object, extents, num_extents);
  }

  /// The states that it carries from run to run, if the model has any; see
  /// runtime.h.
  fusec_status reset() { return fusec_session_reset(object); }
  fusec_status getState(const char *name, const fusec_tensor &to) {
    return fusec_session_get_state(object, name, &to);
  }
  fusec_status setState(const char *name, const fusec_tensor &from) {
    return fusec_session_set_state(object, name, &from);
  }
  /// All states as bytes, which `restore` takes; empty where that failed.
  std::string save() {
    uint64_t bytes = 0;
    if (fusec_session_save(object, nullptr, 0, &bytes))
      return "";
    std::string saved(bytes, '\0');
    return fusec_session_save(object, &saved[0], bytes, &bytes) ? "" : saved;
  }
  fusec_status restore(const std::string &saved) {
    return fusec_session_restore(object, saved.data(), saved.size());
  }

  const char *isa() const { return fusec_session_isa(object); }
  /// Of the target that it has taken: `desc().target` is its name; and of the
  /// entry of the last run.
  const fusec_model_desc &desc() const {
    return *fusec_session_descriptor(object);
  }

  /// Of this session, or, when it is false, why.
  const char *error() const {
    return object ? fusec_last_error(object) : why.c_str();
  }
};

} // namespace fusec

#endif
