// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/rules/RuleLibrary.h"

#include "compiler/rules/ForeignCode.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/FileSystem.h"
#include <dlfcn.h>

namespace fusec::rules {

char RuleLibraryError::ID = 0;

static constexpr const char *kEntry = "fusec_rule_query";

static llvm::Error refuse(llvm::StringRef path, const llvm::Twine &reason,
                          const llvm::Twine &hint) {
  return llvm::make_error<RuleLibraryError>(path.str(), reason.str(),
                                            hint.str());
}

/// Loads the file for good: texts of rules are its own.
static llvm::Expected<const fusec_rule_library *> load(llvm::StringRef path) {
  // A name without a slash would be looked up elsewhere.
  llvm::SmallString<256> real;
  if (std::error_code error = llvm::sys::fs::real_path(path, real))
    return refuse(path, error.message(),
                  "name the library of rules that was built");
  if (!llvm::sys::fs::is_regular_file(real))
    return refuse(path, "is no file",
                  "name the library of rules that was built");
  ForeignCode running(path.str(), "the library", "mend it, or leave it out");
  void *handle = dlopen(real.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!handle) {
    std::string reason = dlerror();
    return refuse(path, "cannot be loaded: " + reason,
                  "name a shared library for this machine, with all that it "
                  "links");
  }
  auto query = reinterpret_cast<fusec_rule_query_fn>(dlsym(handle, kEntry));
  if (!query)
    return refuse(path, llvm::Twine("has no function ") + kEntry,
                  "name a library of rules, which defines it "
                  "(fusec/rule_abi.h)");
  const fusec_rule_library *library = query(FUSEC_RULE_ABI_VERSION);
  if (!library || library->struct_bytes < sizeof(fusec_rule_library))
    return refuse(path, llvm::Twine(kEntry) + " returns no fusec_rule_library",
                  "build it with the rule_abi.h of this fusec");
  if (library->least_abi > FUSEC_RULE_ABI_VERSION || library->least_abi == 0)
    return refuse(path,
                  "needs version " + llvm::Twine(library->least_abi) +
                      " of the interface for rules, and this fusec has " +
                      llvm::Twine(FUSEC_RULE_ABI_VERSION),
                  "build it with the rule_abi.h of this fusec, or use a later "
                  "fusec");
  if (library->num_rules == 0 || !library->rules)
    return refuse(path, "has no rules", "declare one (fusec/rule_abi.h)");
  return library;
}

/// Whether `text` is a word of a rule's name: a-z, 0-9, -.
static bool isWord(llvm::StringRef text) {
  return !text.empty() && llvm::isLower(text.front()) &&
         llvm::all_of(text, [](char c) {
           return llvm::isLower(c) || llvm::isDigit(c) || c == '-';
         });
}

static bool isName(llvm::StringRef name) {
  auto [piece, rule] = name.split('.');
  return isWord(piece) && isWord(rule);
}

/// What cannot be about `desc`, number `number` of a library, or "".
static std::string findFault(const fusec_rule_desc *desc, unsigned number) {
  std::string which = "rule " + std::to_string(number + 1);
  if (!desc || desc->struct_bytes < sizeof(fusec_rule_desc))
    return which + " is no fusec_rule_desc";
  if (!desc->name || !isName(desc->name))
    return which + " has the name '" + (desc->name ? desc->name : "") +
           "', which is no piece.rule of a-z, 0-9 and -";
  which = std::string("the rule ") + desc->name;
  if (desc->level < 2 || desc->level > kHighestLevel)
    return which + " is of level " + std::to_string(desc->level) +
           ", and rules of users are of level 2 or 3: lower ones keep the bits "
           "of results";
  if (desc->area > FUSEC_RULE_SELECTORS)
    return which + " has the area " + std::to_string(desc->area) +
           ", which there is not";
  if (!desc->summary || !*desc->summary)
    return which + " has no summary";
  if (!desc->anchor || !*desc->anchor)
    return which + " has no anchor, the operation that it is tried on";
  if (!desc->apply)
    return which + " has no function apply";
  return "";
}

static RuleArea toArea(fusec_rule_area area) {
  static constexpr RuleArea areas[] = {RuleArea::Compute, RuleArea::Layout,
                                       RuleArea::QDQ, RuleArea::Transposes,
                                       RuleArea::Selectors};
  return areas[area];
}

llvm::Expected<llvm::SmallVector<ForeignRule>>
loadRules(llvm::ArrayRef<std::string> paths, llvm::ArrayRef<Rule> own) {
  llvm::SmallVector<ForeignRule> rules;
  llvm::StringSet<> known, pieces;
  for (const Rule &rule : own) {
    known.insert(rule.name);
    pieces.insert(rule.getPiece());
  }
  for (const std::string &path : paths) {
    if (llvm::count(paths, path) > 1)
      return refuse(path, "is named twice", "name it once");
    llvm::Expected<const fusec_rule_library *> library = load(path);
    if (!library)
      return library.takeError();
    for (unsigned i = 0; i < (*library)->num_rules; ++i) {
      const fusec_rule_desc *desc = (*library)->rules[i];
      if (std::string fault = findFault(desc, i); !fault.empty())
        return refuse(path, fault, "mend the library");
      llvm::StringRef name = desc->name;
      if (pieces.contains(name.split('.').first))
        return refuse(path,
                      "declares the rule " + name + ", and the piece '" +
                          name.split('.').first + "' is fusec's own",
                      "give it another name; fusec compile --list-rules lists "
                      "those that are taken");
      if (!known.insert(name).second) {
        auto other = llvm::find_if(rules, [&](const ForeignRule &rule) {
          return rule.rule.name == name;
        });
        return refuse(path,
                      "declares the rule " + name +
                          (other->library == path
                               ? std::string(" twice")
                               : ", and so does " + other->library),
                      "give one of the two another name, or leave out one "
                      "library");
      }
      rules.push_back({{name, toArea(desc->area), desc->level, Bits::Changed,
                        desc->summary},
                       desc->anchor,
                       path,
                       desc});
    }
  }
  return rules;
}

} // namespace fusec::rules
