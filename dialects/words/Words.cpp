// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dialects/words/Words.h"

#include "mlir/IR/BuiltinAttributes.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;

namespace fusec {

bool isWord(llvm::StringRef text) {
  return !text.empty() && !llvm::isDigit(text.front()) &&
         llvm::all_of(text,
                      [](char c) { return llvm::isAlnum(c) || c == '_'; });
}

bool isScopedWord(llvm::StringRef text) {
  llvm::SmallVector<llvm::StringRef> words;
  text.split(words, "::");
  return llvm::all_of(words, isWord);
}

bool isPhrase(llvm::StringRef text) {
  llvm::SmallVector<llvm::StringRef> words;
  text.split(words, ' ');
  return llvm::all_of(words, isWord);
}

bool isHash(llvm::StringRef text) {
  return text.size() == 16 && llvm::all_of(text, [](char c) {
           return llvm::isDigit(c) || (c >= 'a' && c <= 'f');
         });
}

static LogicalResult verifyTexts(Operation *op, llvm::StringRef name,
                                 bool isRight(llvm::StringRef),
                                 llvm::StringRef what) {
  Attribute attribute = op->getAttr(name);
  if (!attribute)
    return success();
  auto isRightText = [&](Attribute one) {
    auto text = dyn_cast<StringAttr>(one);
    return text && isRight(text.getValue());
  };
  auto all = dyn_cast<ArrayAttr>(attribute);
  if (all ? llvm::all_of(all, isRightText) : isRightText(attribute))
    return success();
  return op->emitOpError() << "has " << name << " = " << attribute
                           << ", which is no " << what;
}

LogicalResult verifyWord(Operation *op, llvm::StringRef name) {
  return verifyTexts(
      op, name, isWord,
      "identifier; it needs letters, digits and underscores, and no "
      "digit first");
}

LogicalResult verifyPhrase(Operation *op, llvm::StringRef name) {
  return verifyTexts(
      op, name, isPhrase,
      "list of words; it needs letters, digits and underscores, and "
      "a space between words");
}

LogicalResult verifyHash(Operation *op, llvm::StringRef name) {
  return verifyTexts(op, name, isHash,
                     "hash; it needs 16 lower-case hexadecimal digits");
}

} // namespace fusec
