// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "test/fuzz-fop/Formulas.h"

#include "llvm/ADT/STLExtras.h"
#include <fmt/format.h>
#include <fmt/ranges.h>

namespace fusec {

namespace {
using Dims = std::vector<std::string>;

/// A part of a formula.
struct Part {
  std::string text;
  Dims dims;           ///< that it depends on
  bool isExact = true; ///< whether every way to compute it has the same bits
};

struct Known {
  std::string name, type;
  Dims dims;
  bool isExact;
};

class Writer {
public:
  explicit Writer(uint64_t seed) : random(seed), seed(seed) {}
  Formula write();

private:
  size_t draw(size_t count) { return random() % count; }
  bool chance(unsigned percent) { return draw(100) < percent; }
  template <typename T> const T &pick(const std::vector<T> &all) {
    return all[draw(all.size())];
  }
  std::string pickText(std::initializer_list<const char *> all) {
    return all.begin()[draw(all.size())];
  }
  static Dims join(const Dims &a, const Dims &b);

  Part real(unsigned depth);
  Part whole(unsigned depth);
  Part condition(unsigned depth);
  Part read(const std::string &type, unsigned depth);
  Part position(const std::string &dim, int64_t extent, bool &mayLeave,
                unsigned depth);
  Part reduce(Part part, const Dims &over, const std::string &type);
  /// Without the dimensions that are not in `wanted`.
  Part fit(Part part, const Dims &wanted, const std::string &type);
  Part cast(const std::string &type, Part part);
  Part pair(const std::string &op, Part a, Part b);

  std::mt19937_64 random;
  uint64_t seed;
  std::string floatType, intType;
  std::map<std::string, int64_t> extents;
  Dims dims;
  std::vector<Known> known;
};
} // namespace

Dims Writer::join(const Dims &a, const Dims &b) {
  Dims both = a;
  for (const std::string &dim : b)
    if (!llvm::is_contained(both, dim))
      both.push_back(dim);
  return both;
}

Part Writer::pair(const std::string &op, Part a, Part b) {
  return {fmt::format("({} {} {})", a.text, op, b.text), join(a.dims, b.dims),
          a.isExact && b.isExact};
}

Part Writer::cast(const std::string &type, Part part) {
  part.text = fmt::format("{}({})", type, part.text);
  return part;
}

Part Writer::reduce(Part part, const Dims &over, const std::string &type) {
  std::string kind = pickText({"sum", "sum", "max", "min", "mean"});
  if (kind == "mean" && type != floatType)
    kind = "sum";
  Dims kept;
  for (const std::string &dim : part.dims)
    if (!llvm::is_contained(over, dim))
      kept.push_back(dim);
  const bool isExact =
      part.isExact && (type != floatType || kind == "max" || kind == "min");
  return {fmt::format("{}[{}]({})", kind, fmt::join(over, ", "), part.text),
          kept, isExact};
}

Part Writer::fit(Part part, const Dims &wanted, const std::string &type) {
  Dims over;
  for (const std::string &dim : part.dims)
    if (!llvm::is_contained(wanted, dim))
      over.push_back(dim);
  return over.empty() ? part : reduce(std::move(part), over, type);
}

/// A position in a dimension of `extent` elements, which is called `dim`.
Part Writer::position(const std::string &dim, int64_t extent, bool &mayLeave,
                      unsigned depth) {
  switch (draw(9)) {
  case 0:
    return {fmt::format("size({}) - 1 - {}", dim, dim), {dim}};
  case 1:
    return {std::to_string(draw(extent)), {}};
  case 2:
    return {fmt::format("{} // 2", dim), {dim}};
  case 3:
    mayLeave = true;
    return {fmt::format("{} {} {}", dim, chance(50) ? "+" : "-", draw(3)),
            {dim}};
  case 4: {
    mayLeave = true;
    const std::string &other = pick(dims);
    return {fmt::format("{} + {} - 1", dim, other), join({dim}, {other})};
  }
  case 5: {
    const std::string &other = pick(dims);
    return {fmt::format("{} % size({})", other, dim), {other}};
  }
  case 6:
    if (depth > 0) {
      Part at = whole(depth - 1);
      if (at.isExact && at.text.find('[') == std::string::npos)
        return at;
    }
    return {dim, {dim}};
  case 7:
    if (depth > 0) {
      Part at = real(depth - 1);
      at.text = fmt::format("floor({})", at.text);
      if (at.isExact && at.text.find('[') == std::string::npos)
        return at;
    }
    return {dim, {dim}};
  default:
    return {dim, {dim}};
  }
}

Part Writer::read(const std::string &type, unsigned depth) {
  std::vector<Known> fitting;
  for (const Known &one : known)
    if (one.type == type)
      fitting.push_back(one);
  const Known from = pick(fitting);
  if (from.dims.empty() || chance(60))
    return {from.name, from.dims, from.isExact};
  Part made{"", {}, from.isExact};
  std::vector<std::string> positions;
  bool mayLeave = false;
  for (const std::string &dim : from.dims) {
    Part at = position(dim, extents[dim], mayLeave, depth);
    positions.push_back(at.text);
    made.dims = join(made.dims, at.dims);
  }
  made.text = fmt::format("{}[{}]", from.name, fmt::join(positions, ", "));
  if (mayLeave || chance(30))
    made.text = fmt::format("({} else {})", made.text,
                            type == floatType ? pickText({"0", "1", "0.25"})
                                              : pickText({"0", "3"}));
  return made;
}

Part Writer::condition(unsigned depth) {
  const bool isFloat = chance(50);
  Part a = isFloat ? real(depth) : whole(depth),
       b = isFloat ? real(depth) : whole(depth);
  // What is compared with itself is known, and nothing to look at.
  if (!a.isExact || !b.isExact || a.text == b.text)
    a = read(intType, 0), b = {"1", {}};
  if (!a.isExact)
    return {"(index(a) > 0)", {"a"}};
  Part made = pair(pickText({"<", "<=", ">", ">=", "==", "!="}), a, b);
  if (depth > 0 && chance(25))
    made = pair(pickText({"and", "or"}), made, condition(depth - 1));
  if (chance(15))
    made.text = fmt::format("(not {})", made.text);
  return made;
}

Part Writer::whole(unsigned depth) {
  if (depth == 0 || chance(20))
    return read(intType, 0);
  switch (draw(8)) {
  case 0:
    return pair(pickText({"+", "-", "*"}), whole(depth - 1), whole(depth - 1));
  case 1:
    return pair(pickText({"/", "%", "//"}), whole(depth - 1), {"3", {}});
  case 2: {
    Part a = whole(depth - 1), b = whole(depth - 1);
    return {fmt::format("{}({}, {})", pickText({"max", "min"}), a.text, b.text),
            join(a.dims, b.dims), a.isExact && b.isExact};
  }
  case 3: {
    const std::string &dim = pick(dims);
    return cast(intType, {fmt::format("index({})", dim), {dim}});
  }
  case 4: {
    Part c = condition(depth - 1), a = whole(depth - 1), b = whole(depth - 1);
    return {fmt::format("select({}, {}, {})", c.text, a.text, b.text),
            join(join(c.dims, a.dims), b.dims),
            c.isExact && a.isExact && b.isExact};
  }
  case 5: {
    Part inner = whole(depth - 1);
    if (inner.dims.empty())
      return inner;
    const std::string dim = pick(inner.dims);
    return reduce(std::move(inner), {dim}, intType);
  }
  case 6:
    return cast(intType, condition(depth - 1));
  default:
    return read(intType, depth);
  }
}

Part Writer::real(unsigned depth) {
  if (depth == 0 || chance(15))
    return read(floatType, 0);
  switch (draw(10)) {
  case 0:
  case 1:
    return pair(pickText({"+", "-", "*"}), real(depth - 1), real(depth - 1));
  case 2: {
    Part made = pair("*", real(depth - 1), {pickText({"2", "0.5", "-1"}), {}});
    return chance(50)
               ? made
               : Part{fmt::format("(-{})", made.text), made.dims, made.isExact};
  }
  case 3: {
    Part inner = real(depth - 1);
    return {fmt::format("{}({})",
                        pickText({"tanh", "sigmoid", "abs", "sin", "erf",
                                  "relu", "exp", "log1p"}),
                        fmt::format("max(min({}, 4), -0.5)", inner.text)),
            inner.dims, false};
  }
  case 4: {
    Part c = condition(depth - 1), a = real(depth - 1), b = real(depth - 1);
    return {fmt::format("select({}, {}, {})", c.text, a.text, b.text),
            join(join(c.dims, a.dims), b.dims),
            c.isExact && a.isExact && b.isExact};
  }
  case 5: {
    // A product that is summed.
    Part made = pair("*", real(depth - 1), real(depth - 1));
    if (made.dims.empty())
      return made;
    const std::string dim = pick(made.dims);
    return reduce(std::move(made), {dim}, floatType);
  }
  case 6: {
    Part inner = real(depth - 1);
    if (inner.dims.size() < 2)
      return inner;
    Dims over{inner.dims[0], inner.dims[1]};
    return reduce(std::move(inner), over, floatType);
  }
  case 7:
    return cast(floatType, whole(depth - 1));
  case 8: {
    Part top = real(depth - 1), below = real(depth - 1);
    return {fmt::format("({} / (abs({}) + 1))", top.text, below.text),
            join(top.dims, below.dims), false};
  }
  default:
    return read(floatType, depth);
  }
}

Formula Writer::write() {
  Formula made;
  floatType = pickText({"f32", "f32", "f32", "f64", "f16"});
  intType = pickText({"i32", "i32", "i64", "u8", "i8"});
  static const std::vector<int64_t> kExtents = {1, 2, 3, 4, 5, 7};
  for (const char *dim : {"a", "b", "c"}) {
    dims.push_back(dim);
    extents[dim] = pick(kExtents);
  }
  std::vector<std::string> inputs;
  auto add = [&](const std::string &name, const std::string &type, Dims own) {
    std::shuffle(own.begin(), own.end(), random);
    known.push_back({name, type, own, true});
    inputs.push_back(
        fmt::format("{}: {}[{}]", name, type, fmt::join(own, ", ")));
    fop::TensorType operand{*io::elementTypeFromName(type), {}};
    for (const std::string &dim : own)
      operand.dims.push_back(extents[dim]);
    made.inputs.push_back(operand);
  };
  add("x", floatType, dims); // so that each dimension is somebody's
  add("y", floatType, {pick(dims)});
  add("i", intType, {pick(dims)});
  if (chance(50))
    add("z", floatType, {"b", "c"});
  std::string body;
  for (size_t n = draw(4); n > 0; --n) {
    const bool isFloat = chance(70);
    const std::string &type = isFloat ? floatType : intType;
    Part part = isFloat ? real(3) : whole(2);
    // Large numbers would hide what sums of them lose.
    if (isFloat)
      part.text = fmt::format("max(min({}, 8), -8)", part.text);
    const std::string name = fmt::format("t{}", n);
    std::shuffle(part.dims.begin(), part.dims.end(), random);
    body += fmt::format("  {}[{}] = {}\n", name, fmt::join(part.dims, ", "),
                        cast(type, part).text);
    known.push_back({name, type, part.dims, part.isExact});
  }
  Dims wanted;
  for (const std::string &dim : dims)
    if (chance(60))
      wanted.push_back(dim);
  std::shuffle(wanted.begin(), wanted.end(), random);
  Part first = fit(real(4), wanted, floatType),
       second = fit(whole(3), wanted, intType);
  made.text = fmt::format(
      "op fuzz.Op{} ({}) -> (r: {}[{}], s: {}[{}])\n{{\n{}  r = {}\n  s = {}\n"
      "}}\n",
      seed, fmt::join(inputs, ", "), floatType, fmt::join(wanted, ", "),
      intType, fmt::join(wanted, ", "), body, cast(floatType, first).text,
      cast(intType, second).text);
  return made;
}

Formula writeFormula(uint64_t seed) { return Writer(seed).write(); }

} // namespace fusec
