// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/fusec/VariantText.h"

namespace json = llvm::json;

namespace fusec::tool {

static std::string textOf(const json::Object &object, llvm::StringRef key) {
  return object.getString(key).value_or("").str();
}

/// "avx2 from 2 threads": where sessions take something else than the default.
static std::string describePlace(llvm::StringRef isa, int64_t threads) {
  return isa.str() +
         (threads ? " from " + std::to_string(threads) + " threads" : "");
}

std::string describeSelected(const json::Object &variant) {
  std::string result;
  if (const json::Object *selected = variant.getObject("selected"))
    for (const auto &[isa, numbers] : *selected)
      for (const json::Value &threads : *numbers.getAsArray())
        result += (result.empty() ? "" : ", ") +
                  describePlace(isa, threads.getAsInteger().value_or(0));
  return result;
}

bool takes(const json::Object &choice, llvm::StringRef algorithm) {
  const json::Array *selected = choice.getArray("selected");
  return textOf(choice, "algorithm") == algorithm ||
         (selected && llvm::any_of(*selected, [&](const json::Value &one) {
            return textOf(*one.getAsObject(), "algorithm") == algorithm;
          }));
}

llvm::StringRef describePrecision(const json::Object &choice) {
  return choice.getBoolean("lower_precision").value_or(false)
             ? ", a lower precision than the model's"
             : "";
}

std::string describeSelections(const json::Object &choice) {
  std::string result;
  if (const json::Array *selected = choice.getArray("selected"))
    for (const json::Value &value : *selected) {
      const json::Object &one = *value.getAsObject();
      result += "; " + textOf(one, "algorithm") + " on " +
                describePlace(textOf(one, "isa"),
                              one.getInteger("threads").value_or(0));
    }
  return result;
}

std::string describeVariant(const json::Object &variant) {
  const std::string isa = textOf(variant, "isa"),
                    selected = describeSelected(variant);
  std::string result = textOf(variant, "name");
  if (!isa.empty())
    result += " for " + isa;
  if (!isa.empty() || !selected.empty())
    result += " (" + textOf(variant, "schedule") +
              (selected.empty() ? "" : "; taken on " + selected) + ")";
  return result;
}

} // namespace fusec::tool
