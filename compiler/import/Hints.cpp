// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/import/Hints.h"

#include "compiler/import/Message.h"
#include "llvm/ADT/StringExtras.h"

namespace fusec {

/// `text` as one argument of a CMake function.
static std::string cmakeWord(llvm::StringRef text) {
  if (shellWord(text) == text)
    return text.str();
  std::string word = "\"";
  for (char c : text) {
    if (llvm::StringRef("\\\"$;").contains(c))
      word += '\\';
    word += c;
  }
  return word + "\"";
}

/// Whether fusec_add_model has an argument for `option`; else it is one of its
/// OPTIONS.
static bool isArgument(llvm::StringRef option) {
  return option != "count" && option != "max-trips" && option != "entries" &&
         option != "state" && option != "pad";
}

std::string optionName(HintStyle style, llvm::StringRef option) {
  return style == HintStyle::CMake && isArgument(option)
             ? option.upper()
             : ("--" + option).str();
}

std::string optionText(HintStyle style, llvm::StringRef option,
                       llvm::ArrayRef<std::string> values) {
  if (style == HintStyle::CMake && !isArgument(option)) {
    std::string text = "OPTIONS";
    for (const std::string &value : values)
      text += " " + cmakeWord(("--" + option + "=").str() + value);
    return text;
  }
  if (style == HintStyle::Shell && option == "level")
    return "-O" + values.front();
  std::string name = optionName(style, option), text;
  for (const std::string &value : values) {
    bool isNamed = style == HintStyle::CMake && !text.empty();
    text += (text.empty() ? "" : " ") + (isNamed ? "" : name + " ") +
            (style == HintStyle::CMake ? cmakeWord(value) : shellWord(value));
  }
  return text;
}

std::string addHint(HintStyle style, llvm::ArrayRef<std::string> options) {
  std::string text = "add";
  for (const std::string &option : options)
    if (!option.empty())
      text += " " + option;
  return text + (style == HintStyle::CMake ? " to fusec_add_model" : "");
}

} // namespace fusec
