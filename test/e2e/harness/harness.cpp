// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// harness MODEL FOLDER [once|RUNS]
//   Reads FOLDER/in_<i>.bin (raw, row-major) for each input, runs the model as
//   each configuration below, and writes FOLDER/<configuration>_<i>.bin for
//   each output. Prints the configurations that ran, one a line. Exit code 1
//   and a message on stderr if a run fails, allocates, or gives other bits the
//   second time or with another number of threads.
//
// Configurations: default, on two threads; one_thread, in memory of the caller
// that is full of NaN; together, two sessions at once on one pool, with loops
// shared out as finely as they can be; seven_threads, one session, which shares
// them out as finely; for each instruction set below the one that the session
// picks, its name; naive, the plain loops. With `once`: the default alone, and
// one run of it, for models that take long. With RUNS: all of them, so often in
// each session in place of ten times; once each of models that need not give
// the same bits again.
#include "harness.h"

#include "fusec/runtime.hpp"

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <string>
#include <thread>
#include <vector>

/// Runs of a configuration in a session.
static int num_runs = 10;

[[noreturn]] static void fail(const std::string &text) {
  std::fprintf(stderr, "%s\n", text.c_str());
  std::exit(1);
}

/// Static models only: the number of elements times their size.
static uint64_t bytes_of(const fusec_tensor_desc &desc) {
  uint64_t bytes = fusec_dtype_bytes(desc.dtype);
  for (uint32_t i = 0; i < desc.rank; ++i)
    bytes *= static_cast<uint64_t>(desc.dims[i]);
  return bytes;
}

/// The arrays of a model's inputs or outputs.
struct Arrays {
  std::vector<std::vector<char>> memory;
  std::vector<fusec_tensor> tensors;

  Arrays(const fusec_tensor_desc *descs, uint32_t count) : memory(count) {
    for (uint32_t i = 0; i < count; ++i) {
      // A pointer for empty arrays too. Nothing behind the others: a sanitizer
      // sees what is read or written there.
      const uint64_t bytes = bytes_of(descs[i]);
      memory[i].resize(bytes ? bytes : 1);
      tensors.push_back({memory[i].data(), bytes_of(descs[i]), descs[i].dims,
                         descs[i].rank, descs[i].dtype});
    }
  }
};

static void read_inputs(Arrays &inputs, const std::string &folder) {
  for (size_t i = 0; i < inputs.tensors.size(); ++i) {
    std::string path = folder + "/in_" + std::to_string(i) + ".bin";
    std::FILE *file = std::fopen(path.c_str(), "rb");
    if (!file)
      fail("cannot read " + path);
    size_t wanted = inputs.tensors[i].bytes;
    if (std::fread(inputs.memory[i].data(), 1, wanted, file) != wanted ||
        std::fgetc(file) != EOF)
      fail(path + " has not " + std::to_string(wanted) + " bytes, as input " +
           std::to_string(i) + " of the descriptor needs");
    std::fclose(file);
  }
}

static void write_outputs(const Arrays &outputs, const std::string &prefix) {
  for (size_t i = 0; i < outputs.tensors.size(); ++i) {
    std::string path = prefix + "_" + std::to_string(i) + ".bin";
    std::FILE *file = std::fopen(path.c_str(), "wb");
    size_t bytes = outputs.tensors[i].bytes;
    if (!file ||
        std::fwrite(outputs.memory[i].data(), 1, bytes, file) != bytes ||
        std::fclose(file))
      fail("cannot write " + path);
  }
}

static void run_once(fusec::Session &session, const Arrays &inputs,
                     Arrays &outputs) {
  fusec_status status = session.run(
      inputs.tensors.data(), static_cast<uint32_t>(inputs.tensors.size()),
      outputs.tensors.data(), static_cast<uint32_t>(outputs.tensors.size()));
  if (status != FUSEC_OK)
    fail(std::string("run: ") + fusec_status_name(status) + ": " +
         session.error());
}

static bool same_bits(const Arrays &a, const Arrays &b) {
  for (size_t i = 0; i < a.tensors.size(); ++i)
    if (std::memcmp(a.memory[i].data(), b.memory[i].data(), a.tensors[i].bytes))
      return false;
  return true;
}

/// Runs one configuration; returns the instruction set of its kernels.
static std::string run_configuration(const fusec::Model &model,
                                     const fusec_session_options &options,
                                     const std::string &name,
                                     const Arrays &inputs,
                                     const std::string &folder,
                                     bool once = false) {
  const fusec_model_desc &desc = model.desc();
  fusec::Session session(model, options);
  if (!session)
    fail(name + ": session: " + session.error());
  Arrays first(desc.outputs, desc.num_outputs);
  Arrays again(desc.outputs, desc.num_outputs);
  // What a run does not write shows as a difference.
  for (auto &memory : first.memory)
    std::memset(memory.data(), 0xFF, memory.size());
  for (auto &memory : again.memory)
    std::memset(memory.data(), 0x7F, memory.size());

  run_once(session, inputs, first);
  if (once || num_runs == 1) {
    write_outputs(first, folder + "/" + name);
    return session.isa();
  }
  start_counting_allocations();
  for (int i = 1; i < num_runs; ++i)
    run_once(session, inputs, again);
  unsigned long allocations = stop_counting_allocations();
  if (allocations)
    fail(name + ": the runs after the first allocated " +
         std::to_string(allocations) + " times");
  if (!same_bits(first, again))
    fail(name + ": other bits in the last run than in the first");
  write_outputs(first, folder + "/" + name);
  return session.isa();
}

/// A parallel_for that shares out loops of any length, however little their
/// work.
static void share_out(void *pool, int64_t n, int64_t, fusec_range_fn body,
                      void *ctx) {
  fusec_thread_pool_parallel_for(pool, n, 1, body, ctx);
}

static fusec_session_options share_out_on(const fusec::ThreadPool &pool,
                                          uint32_t threads) {
  fusec_session_options options = {};
  options.parallel_for = share_out;
  options.parallel_self = pool.get();
  options.threads = threads;
  return options;
}

/// More threads than most machines have cores to spare, and a number that
/// divides few loops. It takes turns with others' time, so it runs once.
static void run_on_seven_threads(const fusec::Model &model,
                                 const Arrays &inputs,
                                 const std::string &folder) {
  fusec::ThreadPool pool(7);
  fusec::Session session(model, share_out_on(pool, 7));
  if (!session)
    fail(std::string("seven_threads: session: ") + session.error());
  Arrays outputs(model.desc().outputs, model.desc().num_outputs);
  run_once(session, inputs, outputs);
  write_outputs(outputs, folder + "/seven_threads");
}

/// Two sessions of one model run at once; the thread sanitizer looks on.
static void run_together(const fusec::Model &model, const Arrays &inputs,
                         const std::string &folder) {
  const fusec_model_desc &desc = model.desc();
  fusec::ThreadPool pool(2);
  const fusec_session_options options = share_out_on(pool, 2);
  Arrays one(desc.outputs, desc.num_outputs);
  Arrays other(desc.outputs, desc.num_outputs);
  const auto run = [&](Arrays &outputs) {
    fusec::Session session(model, options);
    if (!session)
      fail(std::string("together: session: ") + session.error());
    for (int i = 0; i < num_runs; ++i)
      run_once(session, inputs, outputs);
  };
  std::thread thread(run, std::ref(other));
  run(one);
  thread.join();
  if (num_runs > 1 && !same_bits(one, other))
    fail("together: two sessions give different bits");
  write_outputs(one, folder + "/together");
}

/// Memory for a session, full of NaN: what is read before it was written shows.
static std::unique_ptr<void, void (*)(void *)>
make_arena(const fusec::Model &model, fusec_session_options &options) {
  if (fusec_session_memory(model.get(), &options, &options.arena_bytes))
    fail("fusec_session_memory");
  options.arena = std::aligned_alloc(FUSEC_ALIGNMENT, options.arena_bytes
                                                          ? options.arena_bytes
                                                          : FUSEC_ALIGNMENT);
  if (!options.arena)
    fail("no memory for the arena");
  std::memset(options.arena, 0xFF, options.arena_bytes);
  return {options.arena, std::free};
}

int main(int argc, char **argv) {
  const bool once = argc == 4 && !std::strcmp(argv[3], "once");
  if (argc == 4 && !once)
    num_runs = std::atoi(argv[3]);
  if (argc < 3 || argc > 4 || num_runs < 1)
    fail("usage: harness MODEL FOLDER [once|RUNS]");
  const HarnessModel *found = nullptr;
  for (unsigned i = 0; i < num_harness_models; ++i)
    if (!std::strcmp(harness_models[i].name, argv[1]))
      found = &harness_models[i];
  if (!found)
    fail(std::string("no model ") + argv[1]);
  std::string folder = argv[2];

  fusec::Model model(found->query, found->weights);
  if (!model)
    fail(std::string("model: ") + model.error());
  const fusec_model_desc &desc = model.desc();
  Arrays inputs(desc.inputs, desc.num_inputs);
  read_inputs(inputs, folder);

  fusec_session_options options = {};
  options.threads = 2;
  std::string best =
      run_configuration(model, options, "default", inputs, folder, once);
  std::puts("default");
  if (once)
    return 0;

  fusec_session_options one_thread = {};
  const auto arena = make_arena(model, one_thread);
  run_configuration(model, one_thread, "one_thread", inputs, folder);
  std::puts("one_thread");

  run_together(model, inputs, folder);
  std::puts("together");

  run_on_seven_threads(model, inputs, folder);
  std::puts("seven_threads");

  const char *const isas[FUSEC_ISA_COUNT] = {
      "baseline", "avx2", "avx512", "avx512vnni", "avx512bf16", "amx"};
  for (int isa = 0; isa < FUSEC_ISA_COUNT && isas[isa] != best; ++isa) {
    if (!desc.kernels[isa])
      continue;
    fusec_session_options weaker = {};
    weaker.isa = isas[isa];
    run_configuration(model, weaker, isas[isa], inputs, folder);
    std::puts(isas[isa]);
  }

  const fusec_choice naive = {nullptr, "naive"};
  fusec_session_options plain = {};
  plain.choices = &naive;
  plain.num_choices = 1;
  run_configuration(model, plain, "naive", inputs, folder);
  std::puts("naive");
  return 0;
}
