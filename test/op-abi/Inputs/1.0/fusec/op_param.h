// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Part of fusec/op.h: parameters of operators.
#ifndef FUSEC_OP_PARAM_H
#define FUSEC_OP_PARAM_H

#include "fusec/op_types.h"

#include <type_traits>
#include <utility>

namespace fusec {
namespace op {
inline namespace FUSEC_OP_NAMESPACE {

/// A value of any type that a parameter may have: a boolean, an integer, a
/// number, a string, or a list of integers, numbers or strings. It converts to
/// the C++ type that is asked for and computes as numbers do; what does not fit
/// throws std::invalid_argument.
class ParamVal {
  template <typename T>
  using IfNumber = std::enable_if_t<std::is_arithmetic<T>::value, int>;

public:
  ParamVal() : kind(FUSEC_OP_INT), ints{0} {}
  // Templates, so that nothing becomes a boolean that is none: not a pointer.
  template <typename T, IfNumber<T> = 0> ParamVal(T value) {
    if (std::is_same<T, bool>::value)
      kind = FUSEC_OP_FLAG;
    else
      kind = std::is_floating_point<T>::value ? FUSEC_OP_FLOAT : FUSEC_OP_INT;
    add(value);
  }
  ParamVal(const char *text) : kind(FUSEC_OP_TEXT), texts{text} {}
  ParamVal(std::string text) : kind(FUSEC_OP_TEXT), texts{std::move(text)} {}
  template <typename T>
  ParamVal(std::initializer_list<T> list)
      : ParamVal(std::vector<T>(list.begin(), list.end())) {}
  template <typename T, IfNumber<T> = 0> ParamVal(const std::vector<T> &list) {
    kind = FUSEC_OP_LIST |
           (std::is_floating_point<T>::value ? FUSEC_OP_FLOAT : FUSEC_OP_INT);
    for (T value : list)
      add(value);
  }
  ParamVal(std::vector<std::string> list)
      : kind(FUSEC_OP_LIST | FUSEC_OP_TEXT), texts(std::move(list)) {}
  ParamVal(const std::vector<const char *> &list)
      : kind(FUSEC_OP_LIST | FUSEC_OP_TEXT), texts(list.begin(), list.end()) {}
  explicit ParamVal(const fusec_op_value &value) : kind(value.kind) {
    for (uint64_t i = 0; i < value.count; ++i) {
      if (base() == FUSEC_OP_FLOAT)
        floats.push_back(value.floats[i]);
      else if (base() == FUSEC_OP_TEXT)
        texts.push_back(value.texts[i]);
      else
        ints.push_back(value.ints[i]);
    }
  }

  template <typename T, IfNumber<T> = 0> operator T() const {
    if (!isNumber())
      throw std::invalid_argument("needs a number, has " + words());
    return kind == FUSEC_OP_FLOAT ? T(floats[0]) : T(ints[0]);
  }
  operator std::string() const { return text(); }
  const std::string &text() const {
    if (kind != FUSEC_OP_TEXT)
      throw std::invalid_argument("needs a string, has " + words());
    return texts[0];
  }
  template <typename T, IfNumber<T> = 0> operator std::vector<T>() const {
    if (!isList() || base() == FUSEC_OP_TEXT)
      throw std::invalid_argument("needs a list of numbers, has " + words());
    return base() == FUSEC_OP_FLOAT
               ? std::vector<T>(floats.begin(), floats.end())
               : std::vector<T>(ints.begin(), ints.end());
  }
  operator std::vector<std::string>() const {
    if (!isList() || base() != FUSEC_OP_TEXT)
      throw std::invalid_argument("needs a list of strings, has " + words());
    return texts;
  }

  bool isList() const { return kind & FUSEC_OP_LIST; }
  bool isNumber() const { return !isList() && base() != FUSEC_OP_TEXT; }
  /// Of a list; of anything else 1.
  size_t size() const { return ints.size() + floats.size() + texts.size(); }
  fusec_op_kind abiKind() const { return kind; }
  /// "an integer", for messages.
  std::string words() const {
    if (kind == FUSEC_OP_FLAG)
      return "a boolean";
    const char *one[] = {"", "", "an integer", "a number", "a string"};
    const char *many[] = {"", "", "integers", "numbers", "strings"};
    return isList() ? std::string("a list of ") + many[base()] : one[base()];
  }

  /// As the C interface has it, under `name`. The texts are kept in `storage`,
  /// and the result is valid as long as both are there and unchanged.
  fusec_op_value abi(const char *name,
                     std::vector<const char *> &storage) const {
    storage.clear();
    for (const std::string &text : texts)
      storage.push_back(text.c_str());
    return {sizeof(fusec_op_value), kind,          name, size(), ints.data(),
            floats.data(),          storage.data()};
  }

  friend ParamVal operator+(const ParamVal &a, const ParamVal &b) {
    if (a.kind == FUSEC_OP_TEXT && b.kind == FUSEC_OP_TEXT)
      return a.texts[0] + b.texts[0];
    return compute(a, b, [](auto x, auto y) { return x + y; });
  }
  friend ParamVal operator-(const ParamVal &a, const ParamVal &b) {
    return compute(a, b, [](auto x, auto y) { return x - y; });
  }
  friend ParamVal operator*(const ParamVal &a, const ParamVal &b) {
    return compute(a, b, [](auto x, auto y) { return x * y; });
  }
  /// Of integers as C++ divides them; throws by 0.
  friend ParamVal operator/(const ParamVal &a, const ParamVal &b) {
    if (b.isNumber() && b.kind != FUSEC_OP_FLOAT && b.ints[0] == 0 &&
        a.kind != FUSEC_OP_FLOAT)
      throw std::invalid_argument("divides an integer by 0");
    return compute(a, b, [](auto x, auto y) { return x / y; });
  }
  friend bool operator==(const ParamVal &a, const ParamVal &b) {
    if (a.isNumber() && b.isNumber())
      return double(a) == double(b);
    return a.kind == b.kind && a.ints == b.ints && a.floats == b.floats &&
           a.texts == b.texts;
  }
  friend bool operator!=(const ParamVal &a, const ParamVal &b) {
    return !(a == b);
  }
  friend bool operator<(const ParamVal &a, const ParamVal &b) {
    return double(a) < double(b);
  }

  // A value and a number could else be two numbers as well.
#define FUSEC_OP_WITH_NUMBER(result, sign)                                     \
  template <typename T, IfNumber<T> = 0>                                       \
  friend result operator sign(const ParamVal &a, T b) {                        \
    return a sign ParamVal(b);                                                 \
  }                                                                            \
  template <typename T, IfNumber<T> = 0>                                       \
  friend result operator sign(T a, const ParamVal &b) {                        \
    return ParamVal(a) sign b;                                                 \
  }
  FUSEC_OP_WITH_NUMBER(ParamVal, +)
  FUSEC_OP_WITH_NUMBER(ParamVal, -)
  FUSEC_OP_WITH_NUMBER(ParamVal, *)
  FUSEC_OP_WITH_NUMBER(ParamVal, /)
  FUSEC_OP_WITH_NUMBER(bool, ==)
  FUSEC_OP_WITH_NUMBER(bool, !=)
  FUSEC_OP_WITH_NUMBER(bool, <)
#undef FUSEC_OP_WITH_NUMBER

private:
  fusec_op_kind base() const { return kind & ~fusec_op_kind(FUSEC_OP_LIST); }
  template <typename T> void add(T value) {
    if (std::is_floating_point<T>::value)
      floats.push_back(double(value));
    else
      ints.push_back(int64_t(value));
  }
  template <typename F>
  static ParamVal compute(const ParamVal &a, const ParamVal &b, F f) {
    if (a.kind == FUSEC_OP_FLOAT || b.kind == FUSEC_OP_FLOAT)
      return f(double(a), double(b));
    return f(int64_t(a), int64_t(b));
  }

  fusec_op_kind kind = FUSEC_OP_INT;
  std::vector<int64_t> ints;
  std::vector<double> floats;
  std::vector<std::string> texts;
};

/// The parameters of a call, by name: `float scale = params["scale"]`.
class Param {
public:
  /// Throws std::out_of_range if the operator declares no such parameter.
  const ParamVal &operator[](const char *name) const {
    for (const auto &[known, value] : values)
      if (known == name)
        return value;
    throw std::out_of_range("there is no parameter '" + std::string(name) +
                            "'; declare it with .param");
  }
  const ParamVal &operator[](const std::string &name) const {
    return (*this)[name.c_str()];
  }
  void set(std::string name, ParamVal value) {
    values.emplace_back(std::move(name), std::move(value));
  }

private:
  std::vector<std::pair<std::string, ParamVal>> values;
};

} // namespace FUSEC_OP_NAMESPACE
} // namespace op
} // namespace fusec

#endif
