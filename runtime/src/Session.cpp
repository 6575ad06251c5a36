// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A session owns everything that a run touches, for each entry of its model
// that it may run, in tables that are allocated once, so that running allocates
// nothing. The entries share one arena.
#include <algorithm>
#include <atomic>
#include <new>

#include "Cpu.h"
#include "Entries.h"
#include "Model.h"
#include "Padding.h"
#include "Program.h"
#include "States.h"

using namespace fusec::rt;

namespace {

void serialFor(void *, int64_t n, int64_t, fusec_range_fn body, void *ctx) {
  if (n > 0)
    body(ctx, 0, n);
}

/// The weights that a model has when a session is created, which are the
/// session's until its end.
class WeightsUse {
public:
  WeightsUse() = default;
  WeightsUse(const WeightsUse &) = delete;
  WeightsUse &operator=(const WeightsUse &) = delete;
  ~WeightsUse() {
    if (model)
      model->leaveWeights(used);
  }

  Weights &take(const fusec_model &of) {
    model = &of;
    used = of.useWeights();
    return *used;
  }

private:
  const fusec_model *model = nullptr;
  Weights *used = nullptr;
};

/// Where a session has its arena, if it is its own and on a device.
struct DeviceArena {
  const fusec_device *device = nullptr;
  void *memory = nullptr;

  ~DeviceArena() {
    if (memory)
      device->release(device->self, memory);
  }
};

} // namespace

struct fusec_session {
  fusec_model *model = nullptr;
  WeightsUse weights;
  Target target;
  Entries entries;
  Mapping ownArena;
  DeviceArena deviceArena;
  Array<Program> programs; // per entry
  uint32_t current = 0;    // of them
  States states;
  Padding padding;
  Array<const void *> inputs;
  Array<void *> outputs;
  fusec_thread_pool *ownPool = nullptr;
  std::atomic<bool> running{false};
  Error lastError;

  ~fusec_session() { fusec_thread_pool_destroy(ownPool); }

  /// Takes the target and the entries, chooses variants and plans memory.
  fusec_status prepare(fusec_model &of, const fusec_session_options &options,
                       Error &error);
  fusec_status build(const fusec_session_options &options, Error &error);
  fusec_status chooseThreads(const fusec_session_options &options,
                             Error &error);
  fusec_status chooseArena(const fusec_session_options &options, Error &error);
  fusec_status buildOnDevice(fusec_session_options options, Error &error);
  fusec_status pick(const int64_t *extents, uint32_t count);
  fusec_status run(const fusec_tensor *in, uint32_t numInputs,
                   const fusec_tensor *out, uint32_t numOutputs);

  /// That of the entry that needs most.
  uint64_t countBytes() const {
    uint64_t bytes = 0;
    for (uint32_t e = 0; e < entries.size(); ++e)
      bytes = std::max(bytes, programs[e].getSetup().totalBytes());
    return bytes;
  }
};

fusec_status fusec_session::prepare(fusec_model &of,
                                    const fusec_session_options &options,
                                    Error &error) {
  model = &of;
  if (const fusec_status status = pickTarget(of, options, target, error))
    return status;
  if (const fusec_status status =
          entries.collect(*of.desc, *target.desc, options.symbols, error))
    return status;
  if (!programs.allocate(entries.size()))
    return error.set(FUSEC_OUT_OF_MEMORY, "cannot allocate the session");
  for (uint32_t e = 0; e < entries.size(); ++e)
    if (const fusec_status status =
            programs[e].prepare(entries[e], options, error))
      return status;
  return FUSEC_OK;
}

fusec_status fusec_session::build(const fusec_session_options &options,
                                  Error &error) {
  const fusec_model_desc &desc = entries[0];
  Weights &own = weights.take(*model);
  if (!inputs.allocate(desc.num_inputs + desc.num_states) ||
      !outputs.allocate(desc.num_outputs + desc.num_states))
    return error.set(FUSEC_OUT_OF_MEMORY, "cannot allocate the session");
  if (programs[0].getTuning().isActive())
    programs[0].getTuning().warn(desc);
  for (uint32_t e = 0; e < entries.size(); ++e)
    if (const fusec_status status = programs[e].build(
            own, options, inputs.data(), outputs.data(), lastError, error))
      return status;
  if (const fusec_status status = chooseArena(options, error))
    return status;
  if (const fusec_status status = chooseThreads(options, error))
    return status;
  if (const fusec_status status = states.build(
          entries, own.getId(), target.device, options.stream, error))
    return status;
  if (const fusec_status status = padding.build(entries, target.device, error))
    return status;
  model->remark(
      "model '%s': %s kernels, %u threads, %llu bytes of arena", desc.name,
      target.device ? desc.target : isaName(programs[0].getSetup().isa),
      programs[0].getThreads(), static_cast<unsigned long long>(countBytes()));
  return FUSEC_OK;
}

fusec_status fusec_session::chooseArena(const fusec_session_options &options,
                                        Error &error) {
  const uint64_t bytes = countBytes();
  void *base = options.arena;
  if (base) {
    if (reinterpret_cast<uintptr_t>(base) % FUSEC_ALIGNMENT != 0)
      return error.set(FUSEC_INVALID_ARGUMENT,
                       "the arena must be aligned to %u bytes",
                       FUSEC_ALIGNMENT);
    if (options.arena_bytes < bytes)
      return error.set(FUSEC_INVALID_ARGUMENT,
                       "the arena has %llu bytes, needed are %llu",
                       static_cast<unsigned long long>(options.arena_bytes),
                       static_cast<unsigned long long>(bytes));
  } else if (bytes && !target.device) {
    if (const fusec_status status = ownArena.allocate(bytes, error))
      return status;
    base = ownArena.data();
  }
  if (target.device)
    return buildOnDevice(options, error);
  for (uint32_t e = 0; e < entries.size(); ++e)
    programs[e].takeArena(base);
  return FUSEC_OK;
}

/// A single entry has its arena beside its inputs and outputs; several share
/// one.
fusec_status fusec_session::buildOnDevice(fusec_session_options options,
                                          Error &error) {
  if (options.tuner)
    return error.set(FUSEC_UNSUPPORTED,
                     "model '%s' runs on a device, where a session cannot find "
                     "out which variants are fastest: leave out the tuner",
                     target.desc->name);
  const fusec_device &device = *target.device;
  if (const uint64_t bytes = countBytes();
      bytes && entries.size() > 1 && !options.arena) {
    if (const fusec_status status =
            device.allocate(device.self, bytes, &deviceArena.memory))
      return error.set(status, "model '%s': %s has no memory for a session: %s",
                       target.desc->name, device.name,
                       device.last_error(device.self));
    deviceArena.device = &device;
    options.arena = deviceArena.memory;
  }
  for (uint32_t e = 0; e < entries.size(); ++e)
    if (const fusec_status status =
            programs[e].buildOnDevice(*model, device, options, error))
      return status;
  return FUSEC_OK;
}

fusec_status fusec_session::chooseThreads(const fusec_session_options &options,
                                          Error &error) {
  fusec_parallel_for_fn parallelFor = serialFor;
  void *self = nullptr;
  uint32_t threads = 1;
  fusec_thread_pool *pool = options.pool;
  if (options.parallel_for) {
    parallelFor = options.parallel_for;
    self = options.parallel_self;
    threads = std::max(options.threads, 1u);
    pool = nullptr;
  } else if (!pool && options.threads > 1) {
    if (const fusec_status status =
            fusec_thread_pool_create(options.threads, &ownPool)) {
      // The text lies in the thread's error, which may be `error` itself.
      if (&error != &threadError())
        error = threadError();
      return status;
    }
    pool = ownPool;
  }
  if (pool) {
    parallelFor = fusec_thread_pool_parallel_for;
    self = pool;
    threads = fusec_thread_pool_threads(pool);
  }
  for (uint32_t e = 0; e < entries.size(); ++e)
    programs[e].takeThreads(parallelFor, self, threads);
  return FUSEC_OK;
}

fusec_status fusec_session::pick(const int64_t *extents, uint32_t count) {
  const fusec_status status = entries.find(extents, count, current, lastError);
  if (status == FUSEC_OK)
    padding.take(entries[current], extents);
  return status;
}

fusec_status fusec_session::run(const fusec_tensor *in, uint32_t numInputs,
                                const fusec_tensor *out, uint32_t numOutputs) {
  if (const fusec_status status =
          entries.findFor(in, numInputs, current, lastError))
    return status;
  Program &program = programs[current];
  padding.take(entries[current], entries.getGiven());
  const bool isPadded = padding.isActive();
  if (const fusec_status status =
          isPadded ? padding.check(in, numInputs, out, numOutputs, lastError)
                   : program.check(in, numInputs, out, numOutputs, lastError))
    return status;
  if (const fusec_status status = states.check(current, lastError))
    return status;
  const fusec_tensor *const asked = out;
  if (isPadded) {
    in = padding.pad(in);
    out = padding.place(out);
  }
  for (uint32_t i = 0; i < numInputs; ++i)
    inputs[i] = in[i].data;
  for (uint32_t i = 0; i < numOutputs; ++i)
    outputs[i] = out[i].data;
  states.bind(current, inputs.data(), outputs.data());
  const fusec_status status =
      program.run(in, out, inputs.data(), outputs.data(), lastError);
  if (status == FUSEC_OK && isPadded)
    padding.cut(asked);
  if (status == FUSEC_OK)
    states.advance(current);
  return status;
}

/// What `body` does with a session that is not running; `what` is the function.
template <typename Body>
static fusec_status whileIdle(fusec_session *session, const char *what,
                              Body body) {
  if (!session)
    return threadError().set(FUSEC_INVALID_ARGUMENT, "%s: no session", what);
  // The text would race with that of the run in progress, so there is none.
  if (session->running.exchange(true))
    return FUSEC_BUSY;
  const fusec_status status = body();
  session->running.store(false);
  return status;
}

extern "C" fusec_status
fusec_session_memory(fusec_model *model, const fusec_session_options *options,
                     uint64_t *bytes) {
  Error &error = threadError();
  if (!model || !bytes)
    return error.set(FUSEC_INVALID_ARGUMENT,
                     "fusec_session_memory: null argument");
  const fusec_session_options none = {};
  fusec_session session;
  const fusec_status status = guarded(error, [&] {
    return session.prepare(*model, options ? *options : none, error);
  });
  *bytes = status == FUSEC_OK ? session.countBytes() : 0;
  return status;
}

extern "C" fusec_status
fusec_session_create(fusec_model *model, const fusec_session_options *options,
                     fusec_session **result) {
  Error &error = threadError();
  if (result)
    *result = nullptr;
  if (!model || !result)
    return error.set(FUSEC_INVALID_ARGUMENT,
                     "fusec_session_create: null argument");
  fusec_session *session = new (std::nothrow) fusec_session;
  if (!session)
    return error.set(FUSEC_OUT_OF_MEMORY, "cannot allocate the session");
  const fusec_session_options none = {};
  const fusec_session_options &given = options ? *options : none;
  const fusec_status status = guarded(error, [&] {
    const fusec_status prepared = session->prepare(*model, given, error);
    return prepared ? prepared : session->build(given, error);
  });
  if (status != FUSEC_OK) {
    delete session;
    return status;
  }
  *result = session;
  return FUSEC_OK;
}

extern "C" void fusec_session_destroy(fusec_session *session) {
  delete session;
}

extern "C" const fusec_model_desc *
fusec_session_descriptor(const fusec_session *session) {
  return session->padding.isActive()
             ? &session->padding.getDesc()
             : &session->programs[session->current].getDesc();
}

extern "C" const char *fusec_session_isa(const fusec_session *session) {
  return isaName(session->programs[session->current].getSetup().isa);
}

extern "C" const char *fusec_session_variant(const fusec_session *session,
                                             uint32_t group) {
  const Program &program = session->programs[session->current];
  const fusec_model_desc &desc = program.getDesc();
  if (group >= desc.num_groups)
    return nullptr;
  const Setup &setup = program.getSetup();
  return variantsOf(desc, setup.isa, group)
      .variants[setup.variants[group]]
      .name;
}

extern "C" fusec_status fusec_session_pick(fusec_session *session,
                                           const int64_t *extents,
                                           uint32_t num_extents) {
  return whileIdle(session, "fusec_session_pick",
                   [&] { return session->pick(extents, num_extents); });
}

extern "C" fusec_status fusec_session_run(fusec_session *session,
                                          const fusec_tensor *inputs,
                                          uint32_t num_inputs,
                                          const fusec_tensor *outputs,
                                          uint32_t num_outputs) {
  return whileIdle(session, "fusec_session_run", [&] {
    return session->run(inputs, num_inputs, outputs, num_outputs);
  });
}

extern "C" fusec_status fusec_session_reset(fusec_session *session) {
  return whileIdle(session, "fusec_session_reset",
                   [&] { return session->states.reset(session->lastError); });
}

extern "C" fusec_status fusec_session_get_state(fusec_session *session,
                                                const char *name,
                                                const fusec_tensor *to) {
  return whileIdle(session, "fusec_session_get_state", [&] {
    return to ? session->states.get(session->current, name, to,
                                    session->lastError)
              : session->lastError.set(FUSEC_INVALID_ARGUMENT,
                                       "no tensor to copy the state to");
  });
}

extern "C" fusec_status fusec_session_set_state(fusec_session *session,
                                                const char *name,
                                                const fusec_tensor *from) {
  return whileIdle(session, "fusec_session_set_state", [&] {
    return from ? session->states.set(session->current, name, from,
                                      session->lastError)
                : session->lastError.set(FUSEC_INVALID_ARGUMENT,
                                         "no tensor to copy the state from");
  });
}

extern "C" fusec_status fusec_session_save(fusec_session *session, void *memory,
                                           uint64_t capacity, uint64_t *bytes) {
  return whileIdle(session, "fusec_session_save", [&] {
    return bytes ? session->states.save(session->current, memory, capacity,
                                        bytes, session->lastError)
                 : session->lastError.set(FUSEC_INVALID_ARGUMENT,
                                          "no place for the number of bytes");
  });
}

extern "C" fusec_status fusec_session_restore(fusec_session *session,
                                              const void *memory,
                                              uint64_t bytes) {
  return whileIdle(session, "fusec_session_restore", [&] {
    return session->states.restore(memory, memory ? bytes : 0,
                                   session->lastError);
  });
}

extern "C" const char *fusec_last_error(const fusec_session *session) {
  return session ? session->lastError.text : threadError().text;
}
