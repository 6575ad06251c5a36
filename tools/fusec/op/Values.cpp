// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/fusec/op/Values.h"

#include "tools/fusec/ModelOptions.h"

#include "llvm/ADT/STLExtras.h"

namespace fusec::tool::op {

using operators::Operator;
using operators::Parameter;
using operators::Value;

template <typename T>
static T parseNumber(const std::string &name, llvm::StringRef text) {
  T number{};
  bool isBad;
  if constexpr (std::is_same_v<T, double>)
    isBad = text.getAsDouble(number);
  else
    isBad = text.getAsInteger(10, number);
  if (isBad)
    throw UsageError{"--param " + name + ": '" + text.str() + "' is no " +
                     (std::is_same_v<T, double> ? "number" : "integer")};
  return number;
}

/// A value of the kind of `known` from the command line; lists have commas.
static Value parseValue(const std::string &name, const std::string &text,
                        Value known) {
  std::visit(
      [&](auto &held) {
        using T = std::decay_t<decltype(held)>;
        if constexpr (std::is_same_v<T, bool>) {
          if (text != "true" && text != "false")
            throw UsageError{"--param " + name + ": '" + text +
                             "' is neither true nor false"};
          held = text == "true";
        } else if constexpr (std::is_same_v<T, int64_t> ||
                             std::is_same_v<T, double>) {
          held = parseNumber<T>(name, text);
        } else if constexpr (std::is_same_v<T, std::string>) {
          held = text;
        } else {
          held.clear();
          llvm::SmallVector<llvm::StringRef> parts;
          llvm::StringRef(text).split(parts, ',');
          for (llvm::StringRef part : parts) {
            using Item = typename T::value_type;
            if constexpr (std::is_same_v<Item, std::string>)
              held.push_back(part.str());
            else
              held.push_back(parseNumber<Item>(name, part));
          }
        }
      },
      known);
  return known;
}

bool setParameter(const std::string &text, std::vector<Parameter> &parameters) {
  const auto [name, value] = splitAssignment(text, "--param");
  auto known =
      llvm::find_if(parameters, [&, &name = name](const Parameter &one) {
        return one.name == name;
      });
  if (known == parameters.end())
    return false;
  known->value = parseValue(name, value, known->value);
  return true;
}

void setParameters(const Operator &op, const std::vector<std::string> &texts,
                   std::vector<Parameter> &parameters) {
  for (const std::string &text : texts)
    if (!setParameter(text, parameters))
      throw UsageError{"--param " + splitAssignment(text, "--param").first +
                       ": " + op.name() + " has no such parameter"};
}

void requireParameters(const fop::Definition &definition,
                       const std::vector<std::string> &texts) {
  for (const fop::Param &param : definition.params)
    if (!param.value && llvm::none_of(texts, [&](const std::string &given) {
          return llvm::StringRef(given).starts_with(param.name + "=");
        }))
      throw UsageError{"--param " + param.name + ": it has no default; give " +
                       "it a value"};
}

} // namespace fusec::tool::op
