// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/import/States.h"

#include "compiler/import/Message.h"
#include "compiler/import/Node.h"
#include "dialects/fuse/State.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;

namespace fusec {

//===- By patterns --------------------------------------------------------===//

/// Matches `name` with a pattern whose stars stand for any text, the first for
/// as little as possible; `texts` receives what each of them is.
static bool matches(llvm::StringRef pattern, llvm::StringRef name,
                    llvm::SmallVectorImpl<llvm::StringRef> &texts) {
  auto [head, rest] = pattern.split('*');
  if (!name.consume_front(head))
    return false;
  if (head.size() == pattern.size())
    return name.empty();
  for (size_t length = 0; length <= name.size(); ++length) {
    const size_t count = texts.size();
    texts.push_back(name.take_front(length));
    if (matches(rest, name.drop_front(length), texts))
      return true;
    texts.resize(count);
  }
  return false;
}

/// The pattern with each star replaced by the text at its place.
static std::string replaceStars(llvm::StringRef pattern,
                                llvm::ArrayRef<llvm::StringRef> texts) {
  llvm::SmallVector<llvm::StringRef> parts;
  pattern.split(parts, '*');
  std::string name = parts.front().str();
  for (auto [text, part] :
       llvm::zip_equal(texts, llvm::ArrayRef(parts).drop_front()))
    name += text.str() + part.str();
  return name;
}

//===- By names -----------------------------------------------------------===//

/// Words by which exporters tell the value of a state from its next one.
static constexpr std::pair<llvm::StringLiteral, llvm::StringLiteral>
    kOpposites[] = {{"past", "present"},  {"prev", "next"},
                    {"previous", "next"}, {"old", "new"},
                    {"initial", "final"}, {"init", "final"},
                    {"in", "out"},        {"input", "output"},
                    {"start", "end"},     {"last", "next"}};
/// The first of these alone are no name of a state: many models have an `input`
/// and an `output` of one type.
static bool needsMore(llvm::StringRef word) {
  return word == "in" || word == "input" || word == "start";
}

static std::vector<std::string> splitWords(llvm::StringRef name) {
  std::vector<std::string> words;
  std::string word;
  for (char c : name) {
    if (llvm::isAlnum(c)) {
      word += llvm::toLower(c);
      continue;
    }
    if (!word.empty())
      words.push_back(std::exchange(word, ""));
  }
  if (!word.empty())
    words.push_back(word);
  // past_key_values.0.key is present.0.key once it has run.
  if (words.size() > 3 && words[0] == "past" && words[1] == "key" &&
      words[2] == "values")
    words.erase(words.begin() + 1, words.begin() + 3);
  return words;
}

/// Whether the names differ in one word, and that as a value and its next one:
/// `h_in` and `h_out`, `past.0.key` and `present.0.key`, `h0` and `hn`; or the
/// output's has a word more: `cache` and `cache_out`, `new_cache`.
static bool areOpposite(llvm::StringRef input, llvm::StringRef output) {
  std::vector<std::string> one = splitWords(input), other = splitWords(output);
  if (other.size() == one.size() + 1) {
    for (size_t extra = 0; extra < other.size(); ++extra) {
      std::vector<std::string> rest = other;
      rest.erase(rest.begin() + extra);
      if (rest == one)
        return llvm::any_of(kOpposites, [&](const auto &pair) {
          return pair.second == other[extra];
        });
    }
    return false;
  }
  if (one.size() != other.size())
    return false;
  std::optional<size_t> differs;
  for (size_t word = 0; word < one.size(); ++word) {
    if (one[word] == other[word])
      continue;
    if (differs)
      return false;
    differs = word;
  }
  if (!differs)
    return false;
  llvm::StringRef before = one[*differs], after = other[*differs];
  if (before.size() > 1 && before.consume_back("0") &&
      after.consume_back("n") && before == after)
    return true;
  return llvm::any_of(kOpposites, [&](const auto &pair) {
    return before == pair.first && after == pair.second &&
           (one.size() > 1 || !needsMore(before));
  });
}

//===- Both ---------------------------------------------------------------===//

namespace {
class Matcher {
public:
  Matcher(const ImportOptions &options, llvm::ArrayRef<std::string> inputs,
          llvm::ArrayRef<std::string> outputs,
          std::vector<StateProblem> &problems)
      : option(optionName(options.hints, "state")), inputs(inputs),
        outputs(outputs), problems(problems) {}

  void match(llvm::StringRef text);
  void matchNames(llvm::function_ref<bool(size_t, size_t)> alike);

  std::vector<StatePair> pairs;

private:
  void add(llvm::StringRef text, size_t input, llvm::StringRef output);
  void refuse(llvm::StringRef text, const llvm::Twine &reason,
              std::string hint) {
    problems.push_back(
        {(option + " " + text + ": " + reason).str(), std::move(hint)});
  }
  static std::string list(llvm::StringRef what,
                          llvm::ArrayRef<std::string> names) {
    return names.empty()
               ? ("the model has no " + what).str()
               : ("the model's " + what + " are " + llvm::join(names, ", "))
                     .str();
  }

  std::string option;
  llvm::ArrayRef<std::string> inputs, outputs;
  std::vector<StateProblem> &problems;
};
} // namespace

void Matcher::add(llvm::StringRef text, size_t input, llvm::StringRef name) {
  auto output = llvm::find(outputs, name);
  if (output == outputs.end())
    return refuse(
        text, "the model has no output '" + name + "'",
        joinHints(didYouMean(name, outputs), list("outputs", outputs)));
  const size_t number = output - outputs.begin();
  for (const StatePair &pair : pairs)
    if (pair.input == input || pair.output == number)
      return refuse(text,
                    (pair.input == input ? "the input '" + inputs[input]
                                         : "the output '" + outputs[number]) +
                        "' is a state already",
                    "name each input and each output once");
  pairs.push_back({input, number});
}

void Matcher::match(llvm::StringRef text) {
  auto [input, output] = text.rsplit('=');
  if (input.empty() || output.empty() || input.count('*') != output.count('*'))
    return refuse(text, "is no state",
                  "write INPUT=OUTPUT, as in past_*=present_*, with as many "
                  "stars on both sides, or " +
                      kStatesByName.str());
  bool isFound = false;
  for (auto [number, name] : llvm::enumerate(inputs)) {
    llvm::SmallVector<llvm::StringRef> texts;
    if (!matches(input, name, texts))
      continue;
    isFound = true;
    add(text, number, replaceStars(output, texts));
  }
  if (!isFound)
    refuse(text, "the model has no input '" + input + "'",
           joinHints(didYouMean(input, inputs), list("inputs", inputs)));
}

void Matcher::matchNames(llvm::function_ref<bool(size_t, size_t)> alike) {
  const size_t before = pairs.size();
  for (size_t input = 0; input < inputs.size(); ++input) {
    std::vector<size_t> all;
    for (size_t output = 0; output < outputs.size(); ++output)
      if (areOpposite(inputs[input], outputs[output]) && alike(input, output))
        all.push_back(output);
    auto isTaken = [&](const StatePair &pair) {
      return pair.input == input || llvm::is_contained(all, pair.output);
    };
    if (all.size() == 1 && llvm::none_of(pairs, isTaken))
      pairs.push_back({input, all.front()});
  }
  if (pairs.size() == before)
    refuse(kStatesByName,
           "no input and output of one type have names such as past_0 and "
           "present_0, h_in and h_out, or h0 and hn",
           joinHints(list("inputs", inputs) + ";", list("outputs", outputs)) +
               "; name the pairs, as in " + option + " INPUT=OUTPUT");
}

std::vector<StatePair>
matchStates(const ImportOptions &options, llvm::ArrayRef<std::string> inputs,
            llvm::ArrayRef<std::string> outputs,
            llvm::function_ref<bool(size_t input, size_t output)> alike,
            std::vector<StateProblem> &problems) {
  Matcher matcher(options, inputs, outputs, problems);
  // What is named goes before what is found.
  for (const std::string &text : options.states)
    if (text != kStatesByName)
      matcher.match(text);
  if (llvm::is_contained(options.states, kStatesByName))
    matcher.matchNames(alike);
  return std::move(matcher.pairs);
}

//===- In a module --------------------------------------------------------===//

static std::string describeType(RankedTensorType type) {
  return typeText(type.getElementType()) + shapeText(type.getShape());
}

/// " of the node 'X'", where `value` has the name of what computes it.
static std::string describeNode(Value value) {
  auto name = value.getLoc()->findInstanceOf<NameLoc>();
  return name && value.getDefiningOp()
             ? " of the node '" + name.getName().str() + "'"
             : "";
}

/// The function of a model as it was imported; null where it has become a
/// program already.
static func::FuncOp findMain(ModuleOp module) {
  func::FuncOp main = module.lookupSymbol<func::FuncOp>("main");
  for (auto function : module.getOps<func::FuncOp>())
    if (!main || function->hasAttr("fuse.outputs"))
      main = function;
  return main && !main->hasAttr("fuse.outputs") ? main : func::FuncOp();
}

void markStates(ModuleOp module, const ImportOptions &options,
                llvm::StringRef path, std::vector<Problem> &problems) {
  if (options.states.empty())
    return;
  auto report = [&](std::string reason, std::string hint) {
    problems.push_back({ProblemKind::BadInput, path.str(), "", "", "", 0,
                        std::move(reason), std::move(hint)});
  };
  const std::string option = optionName(options.hints, "state");
  func::FuncOp main = findMain(module);
  if (!main)
    return report(option + ": the text is a program already, whose states are "
                           "decided",
                  "give the option where the model is compiled");
  std::vector<std::string> inputs, outputs;
  for (unsigned i = 0; i < main.getNumArguments(); ++i) {
    auto name = main.getArgAttrOfType<StringAttr>(i, "fuse.name");
    inputs.push_back(name ? name.str() : "input" + std::to_string(i));
  }
  for (unsigned i = 0; i < main.getNumResults(); ++i) {
    auto name = main.getResultAttrOfType<StringAttr>(i, "fuse.name");
    outputs.push_back(name ? name.str() : "output" + std::to_string(i));
  }
  auto getTypes = [&](const StatePair &pair) {
    return std::pair(
        cast<RankedTensorType>(main.getArgument(pair.input).getType()),
        cast<RankedTensorType>(main.getResultTypes()[pair.output]));
  };
  std::vector<StateProblem> wrong;
  std::vector<StatePair> pairs = matchStates(
      options, inputs, outputs,
      [&](size_t input, size_t output) {
        auto [before, after] = getTypes({input, output});
        return before == after;
      },
      wrong);
  for (StateProblem &problem : wrong)
    report(std::move(problem.reason), std::move(problem.hint));
  Builder builder(module.getContext());
  for (const StatePair &pair : pairs) {
    auto [before, after] = getTypes(pair);
    if (before == after) {
      main.setArgAttr(pair.input, fuse::kStateAttr,
                      builder.getI64IntegerAttr(int64_t(pair.output)));
      continue;
    }
    Operation *end = main.getBody().front().getTerminator();
    report(option + " " + inputs[pair.input] + "=" + outputs[pair.output] +
               ": the input is " + describeType(before) + " and the output " +
               describeType(after) +
               describeNode(end->getOperand(pair.output)) +
               ", and a state has one type and one shape",
           "a cache that grows with each run needs a buffer of fixed length, "
           "which ScatterND, ScatterElements, TensorScatter or "
           "GroupQueryAttention write at a position");
  }
}

} // namespace fusec
