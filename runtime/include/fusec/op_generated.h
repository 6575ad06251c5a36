// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Operators that `fusec op gen` makes of their text: models that fusec has
// compiled, one for each choice of element types and extents. What is here
// finds the one for a call and runs it, for whichever face was called.
//
// Rows: where an operand begins with any number of dimensions (`*b`), their
// product is how many rows it has. A model has entries for several numbers of
// rows; a call takes the largest one that does not have more rows than itself,
// as often as that fits, side by side, and once more for what is left, from the
// end: each row is computed by the kernels of that one entry.
#ifndef FUSEC_OP_GENERATED_H
#define FUSEC_OP_GENERATED_H

#include "fusec/op.h"
#include "fusec/runtime.h"

#include <algorithm>
#include <cstdio>
#include <deque>
#include <mutex>

namespace fusec {
namespace op {
inline namespace FUSEC_OP_NAMESPACE {

/// Who runs loops: `count` threads.
struct Threads {
  fusec_parallel_for_fn run;
  void *self;
  uint32_t count;
};

/// A tensor of a call, whoever made it.
struct View {
  DType type;
  Shape shape;
  void *data = nullptr;
};

/// A model that computes the operator for some element types and extents.
class Kernels {
public:
  /// `inputs` and `outputs` say which operands have rows.
  Kernels(fusec_query_fn entry, std::vector<bool> inputs,
          std::vector<bool> outputs)
      : query(entry), inputRows(std::move(inputs)),
        outputRows(std::move(outputs)) {}
  Kernels(const Kernels &) = delete;
  ~Kernels() {
    while (Slot *slot = idle) {
      idle = slot->next;
      delete slot;
    }
    fusec_model_destroy(model);
  }

  const fusec_model_desc &desc() const { return *query(FUSEC_ABI_VERSION); }
  DType inputType(size_t i) const {
    return DType::ofCode(desc().inputs[i].dtype);
  }
  DType outputType(size_t i) const {
    return DType::ofCode(desc().outputs[i].dtype);
  }

  bool takesTypes(const std::vector<DType> &types) const {
    for (size_t i = 0; i < inputRows.size(); ++i)
      if (types.at(i) != inputType(i))
        return false;
    return true;
  }
  /// Whether it is for inputs of these shapes, and the shapes of its results.
  bool takesShapes(const std::vector<Shape> &inputs,
                   std::vector<Shape> &outputs) const;

  /// Computes: the shapes are those that it takes, and of results its own.
  /// Throws std::runtime_error.
  void run(const std::vector<View> &inputs, const std::vector<View> &outputs,
           const Threads &threads);

  /// "(x: float32[*, 768], g: float32[768])"
  std::string describe() const;

private:
  /// A session, which one thread has at a time.
  struct Slot {
    fusec_session *session = nullptr;
    const Threads *threads = nullptr; ///< of the call; null: the thread alone
    Slot *next = nullptr;

    ~Slot() { fusec_session_destroy(session); }
    static void loop(void *self, int64_t n, int64_t grain, fusec_range_fn body,
                     void *ctx) {
      const Threads *threads = static_cast<Slot *>(self)->threads;
      if (threads)
        threads->run(threads->self, n, grain, body, ctx);
      else if (n > 0)
        body(ctx, 0, n);
    }
  };
  /// Those `count` rows of a call that begin with row `first`.
  struct Piece {
    const std::vector<View> &inputs, &outputs;
    int64_t first, count;
  };

  static size_t tailOf(const fusec_tensor_desc &desc, bool hasRows) {
    return desc.rank - (hasRows ? 1 : 0);
  }
  std::vector<int64_t> listEntries() const;
  Slot &take(const Threads &threads);
  void give(Slot &slot) {
    const std::lock_guard<std::mutex> lock(mutex);
    slot.next = idle;
    idle = &slot;
  }
  void compute(const Piece &piece, const Threads &threads, bool alone);

  const fusec_query_fn query;
  std::vector<bool> inputRows, outputRows;
  std::mutex mutex; // of what follows
  fusec_model *model = nullptr;
  Slot *idle = nullptr;
};

inline bool Kernels::takesShapes(const std::vector<Shape> &inputs,
                                 std::vector<Shape> &outputs) const {
  const fusec_model_desc &known = desc();
  Shape rows; // the dimensions that stand for them
  bool hasRows = false;
  for (size_t i = 0; i < inputRows.size(); ++i) {
    const fusec_tensor_desc &expected = known.inputs[i];
    const Shape &given = inputs.at(i);
    const size_t tail = tailOf(expected, inputRows[i]);
    if (given.rank() < tail || (!inputRows[i] && given.rank() != tail))
      return false;
    const size_t lead = given.rank() - tail;
    if (!std::equal(given.begin() + lead, given.end(),
                    expected.dims + (expected.rank - tail)))
      return false;
    if (!inputRows[i])
      continue;
    const Shape own(given.begin(), lead);
    if (hasRows && own != rows)
      return false;
    rows = own;
    hasRows = true;
  }
  for (size_t i = 0; i < outputRows.size(); ++i) {
    const fusec_tensor_desc &made = known.outputs[i];
    outputs.at(i) = outputRows[i] ? rows : Shape();
    for (uint32_t d = outputRows[i] ? 1 : 0; d < made.rank; ++d)
      outputs[i].push_back(made.dims[d]);
  }
  return true;
}

inline std::string Kernels::describe() const {
  const fusec_model_desc &known = desc();
  std::string text = "(";
  for (size_t i = 0; i < inputRows.size(); ++i) {
    const fusec_tensor_desc &input = known.inputs[i];
    text += std::string(i ? ", " : "") + input.name + ": " +
            inputType(i).name() + "[";
    for (uint32_t d = 0; d < input.rank; ++d)
      text += (d ? ", " : "") + (d == 0 && inputRows[i]
                                     ? std::string("*")
                                     : std::to_string(input.dims[d]));
    text += "]";
  }
  return text + ")";
}

/// The numbers of rows that there are kernels for, ascending; 1 where the
/// operator has no rows.
inline std::vector<int64_t> Kernels::listEntries() const {
  const fusec_model_desc &known = desc();
  std::vector<int64_t> all = {known.num_symbols ? known.extents[0] : 1};
  for (uint32_t i = 0; i < known.num_others; ++i)
    all.push_back(known.others[i]->extents[0]);
  std::sort(all.begin(), all.end());
  return all;
}

inline Kernels::Slot &Kernels::take(const Threads &threads) {
  const std::lock_guard<std::mutex> lock(mutex);
  if (Slot *slot = idle) {
    idle = slot->next;
    return *slot;
  }
  const auto fail = [](const char *what) {
    throw std::runtime_error(std::string(what) + ": " +
                             fusec_last_error(nullptr));
  };
  const fusec_model_options none = {};
  if (!model && fusec_model_create(&desc(), nullptr, &none, &model))
    fail("its kernels cannot be used here");
  auto slot = std::make_unique<Slot>();
  fusec_session_options options = {};
  options.threads = threads.count;
  options.parallel_for = Slot::loop;
  options.parallel_self = slot.get();
  if (fusec_session_create(model, &options, &slot->session))
    fail("there is no session for its kernels");
  return *slot.release();
}

inline void Kernels::compute(const Piece &piece, const Threads &threads,
                             bool alone) {
  const fusec_model_desc &known = desc();
  std::vector<Shape> shapes;
  shapes.reserve(inputRows.size() + outputRows.size());
  const auto slice = [&](const fusec_tensor_desc &as, const View &whole,
                         bool hasRows) {
    Shape &shape = shapes.emplace_back();
    uint64_t bytes = whole.type.size();
    for (uint32_t d = 0; d < as.rank; ++d) {
      shape.push_back(d == 0 && hasRows ? piece.count : as.dims[d]);
      bytes *= uint64_t(shape[d]);
    }
    const uint64_t before =
        hasRows ? bytes / uint64_t(piece.count) * uint64_t(piece.first) : 0;
    return fusec_tensor{static_cast<char *>(whole.data) + before, bytes,
                        shape.data(), as.rank, as.dtype};
  };
  std::vector<fusec_tensor> in, out;
  for (size_t i = 0; i < inputRows.size(); ++i)
    in.push_back(slice(known.inputs[i], piece.inputs[i], inputRows[i]));
  for (size_t i = 0; i < outputRows.size(); ++i)
    out.push_back(slice(known.outputs[i], piece.outputs[i], outputRows[i]));
  Slot &slot = take(threads);
  slot.threads = alone ? nullptr : &threads;
  const fusec_status status =
      fusec_session_run(slot.session, in.data(), uint32_t(in.size()),
                        out.data(), uint32_t(out.size()));
  const std::string why =
      status ? fusec_last_error(slot.session) : std::string();
  give(slot);
  if (status)
    throw std::runtime_error(why);
}

inline void Kernels::run(const std::vector<View> &inputs,
                         const std::vector<View> &outputs,
                         const Threads &threads) {
  int64_t rows = 1;
  for (size_t i = 0; i < inputRows.size(); ++i)
    if (inputRows[i]) {
      const Shape &shape = inputs[i].shape;
      rows = Shape(shape.begin(), shape.rank() - tailOf(desc().inputs[i], true))
                 .elements();
    }
  if (rows == 0)
    return;
  int64_t extent = 1;
  for (int64_t entry : listEntries())
    if (entry <= rows)
      extent = entry;
  const int64_t whole = rows / extent;
  if (whole == 1) {
    compute({inputs, outputs, 0, extent}, threads, /*alone=*/false);
  } else {
    // Each piece by one thread, the first reason why one fails is kept.
    struct Pieces {
      Kernels &kernels;
      const std::vector<View> &inputs, &outputs;
      const Threads &threads;
      int64_t extent;
      std::mutex mutex;
      std::string why;
    } pieces{*this, inputs, outputs, threads, extent, {}, {}};
    threads.run(
        threads.self, whole, 1,
        [](void *self, int64_t begin, int64_t end) {
          Pieces &all = *static_cast<Pieces *>(self);
          try {
            for (int64_t i = begin; i < end; ++i)
              all.kernels.compute(
                  {all.inputs, all.outputs, i * all.extent, all.extent},
                  all.threads, /*alone=*/true);
          } catch (const std::exception &error) {
            const std::lock_guard<std::mutex> lock(all.mutex);
            all.why = error.what();
          }
        },
        &pieces);
    if (!pieces.why.empty())
      throw std::runtime_error(pieces.why);
  }
  if (rows % extent)
    compute({inputs, outputs, rows - extent, extent}, threads,
            /*alone=*/false);
}

/// A model, and which of its operands have rows.
struct GeneratedModel {
  fusec_query_fn query;
  std::vector<bool> inputRows, outputRows;
};

/// An operator with its kernels.
class Generated {
public:
  /// `values` are those that the parameters had when the kernels were made.
  Generated(const char *domainOf, const char *nameOf, unsigned versionOf,
            std::vector<std::pair<std::string, ParamVal>> values,
            const std::vector<GeneratedModel> &models)
      : domain(domainOf), name(nameOf), version(versionOf),
        params(std::move(values)) {
    for (const GeneratedModel &model : models)
      kernels.emplace_back(model.query, model.inputRows, model.outputRows);
  }

  const char *const domain, *const name;
  const unsigned version;
  const std::vector<std::pair<std::string, ParamVal>> params;
  std::deque<Kernels> kernels;

  size_t numInputs() const { return kernels.front().desc().num_inputs; }
  size_t numOutputs() const { return kernels.front().desc().num_outputs; }

  /// Declares how `op`, which has its operands and parameters, is computed.
  void declare(Op &op);
  /// The kernels for these inputs, and the shapes of the results. Throws
  /// std::invalid_argument, which says what there are kernels for.
  Kernels &find(const std::vector<View> &inputs, std::vector<Shape> &outputs);
  /// Throws std::invalid_argument where it is another value than the kernels
  /// were made with.
  void checkParam(const std::string &param, const ParamVal &value) const;

private:
  void checkParams(const Param &values) const {
    for (const auto &[param, value] : params)
      checkParam(param, values[param]);
  }
  [[noreturn]] void refuse(const std::string &given) const {
    std::string text = "there are kernels for";
    for (const Kernels &known : kernels)
      text += (&known == &kernels.front() ? " " : ", ") + known.describe();
    throw std::invalid_argument(text + ", and not for " + given);
  }
};

inline Kernels &Generated::find(const std::vector<View> &inputs,
                                std::vector<Shape> &outputs) {
  std::vector<Shape> shapes;
  std::vector<DType> types;
  std::string given = "(";
  for (const View &input : inputs) {
    given += (shapes.empty() ? "" : ", ") + std::string(input.type.name()) +
             input.shape.text();
    shapes.push_back(input.shape);
    types.push_back(input.type);
  }
  outputs.resize(numOutputs());
  for (Kernels &known : kernels)
    if (known.takesTypes(types) && known.takesShapes(shapes, outputs))
      return known;
  refuse(given + ")");
}

/// As a command line has it; attributes are of single precision.
inline std::string writeParam(const ParamVal &value) {
  std::string text;
  for (double item : value.isList() ? std::vector<double>(value)
                                    : std::vector<double>{double(value)}) {
    char buffer[32];
    std::snprintf(buffer, sizeof(buffer), "%.9g", double(float(item)));
    text += (text.empty() ? "" : ",") + std::string(buffer);
  }
  return text;
}

inline void Generated::checkParam(const std::string &param,
                                  const ParamVal &value) const {
  for (const auto &[known, expected] : params)
    if (known == param && writeParam(value) != writeParam(expected))
      throw std::invalid_argument(
          "its kernels were made with " + param + "=" + writeParam(expected) +
          ", and it has " + param + "=" + writeParam(value) +
          " here: make others by fusec op gen --param " + param + "=" +
          writeParam(value));
}

inline std::vector<View> viewAll(const Tensors &tensors) {
  std::vector<View> all;
  for (const Tensor &tensor : tensors)
    all.push_back({tensor.dtype(), tensor.shape(),
                   const_cast<void *>(tensor.data<void>())});
  return all;
}

inline void Generated::declare(Op &op) {
  op.domain(domain).version(version);
  op.supports([this](const Tensors &in, const Param &values, Device) {
    checkParams(values);
    std::vector<Shape> outputs;
    find(viewAll(in), outputs);
    return true;
  });
  op.shape([this](const std::vector<Shape> &in, const Param &,
                  std::vector<Shape> &out) {
    for (const Kernels &known : kernels)
      if (known.takesShapes(in, out))
        return;
    refuse("these shapes");
  });
  op.dtype([this](const std::vector<DType> &in, const Param &,
                  std::vector<DType> &out) {
    for (const Kernels &known : kernels)
      if (known.takesTypes(in)) {
        for (size_t i = 0; i < out.size(); ++i)
          out[i] = known.outputType(i);
        return;
      }
    refuse("these types");
  });
  op.compute("cpu", [this](const Tensors &in, const Param &values, Tensors &out,
                           const Context &context) {
    checkParams(values);
    const auto loop = [](void *self, int64_t n, int64_t grain,
                         fusec_range_fn body, void *ctx) {
      static_cast<const Context *>(self)->parallelFor(
          n, grain, [=](int64_t begin, int64_t end) { body(ctx, begin, end); });
    };
    std::vector<Shape> shapes;
    const std::vector<View> inputs = viewAll(in);
    find(inputs, shapes)
        .run(inputs, viewAll(out),
             {loop, const_cast<Context *>(&context), context.threads()});
  });
}

} // namespace FUSEC_OP_NAMESPACE
} // namespace op
} // namespace fusec

#endif
