// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// fusec algos: all ways in which the kernels of a model can be made.
#include "compiler/Driver.h"
#include "dialects/kernel/Choices.h"
#include "passes/lock/GroupKey.h"
#include "passes/model/Selections.h"
#include "passes/poly/configs/Algorithms.h"
#include "tools/fusec/Json.h"
#include "tools/fusec/ModelOptions.h"
#include "tools/fusec/Steps.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/Support/raw_ostream.h"
#include <fmt/format.h>

using namespace mlir;

namespace fusec::tool {

namespace {
struct AlgosArguments {
  ModelOptions model;
  bool json = false, all = false;
};

/// A choice between graphs, and what is taken of it.
struct Choice {
  std::string name, taken, reason;
  std::vector<std::string> algorithms;
  /// Of one that calls operators of users: bytes of scratch memory, by
  /// algorithm, and the algorithms that give other bits now and then.
  std::vector<int64_t> workspaces;
  std::set<std::string> varying;
};

struct Group {
  std::string name, proposer;
  /// With configs as text: their context is gone.
  std::vector<std::string> configs;
  poly::Algorithms algorithms;
};

/// Everything by key.
struct Listing {
  llvm::MapVector<std::string, Choice, std::map<std::string, unsigned>> choices;
  llvm::MapVector<std::string, Group, std::map<std::string, unsigned>> groups;
  std::string target;
  /// Whether only reproducible algorithms are defaults.
  bool reproducible = true;
};
} // namespace

static constexpr const char *kAlgosExamples = R"(
Examples:
  fusec algos model.onnx
  fusec algos model.onnx --cpu=zen4 --all
  fusec algos model.onnx --json | jq '.groups[] | {name, n: .algorithms | length}'

With --all, the line below each algorithm is an entry for it in a fusec.lock.)";

static void collectChoices(ModuleOp module, Listing &listing) {
  module.walk([&](func::FuncOp function) {
    auto choices = function->getAttrOfType<ArrayAttr>(kChoicesAttr);
    if (!choices)
      return;
    for (auto choice : choices.getAsRange<DictionaryAttr>()) {
      auto get = [&](StringRef name) {
        auto text = choice.getAs<StringAttr>(name);
        return text ? text.str() : std::string();
      };
      auto algorithms = choice.getAs<ArrayAttr>("alternatives");
      if (get(lock::kKeyAttr).empty() || !algorithms)
        continue; // of a text that was written by hand
      auto [place, isNew] = listing.choices.try_emplace(get(lock::kKeyAttr));
      if (!isNew)
        continue;
      Choice &entry = place->second;
      entry.name = get("name");
      entry.taken = get("algorithm");
      entry.reason = get("reason");
      for (StringRef one : algorithms.getAsValueRange<StringAttr>())
        entry.algorithms.push_back(one.str());
      if (auto bytes = choice.getAs<DenseI64ArrayAttr>(model::kWorkspacesAttr))
        entry.workspaces = bytes.asArrayRef().vec();
      if (auto varying = choice.getAs<ArrayAttr>(model::kVaryingAttr))
        for (StringRef one : varying.getAsValueRange<StringAttr>())
          entry.varying.insert(one.str());
    }
  });
}

static LogicalResult collectGroups(ModuleOp module, StringRef target,
                                   Listing &listing) {
  lock::GroupKeys keys(target);
  for (auto scop : llvm::make_early_inc_range(module.getOps<sched::ScopOp>())) {
    auto [place, isNew] = listing.groups.try_emplace(keys.get(scop));
    if (!isNew)
      continue;
    FailureOr<poly::Algorithms> algorithms = poly::listAlgorithms(scop);
    if (failed(algorithms))
      return failure();
    Group &group = place->second;
    group.name = scop.getSymName().str();
    group.proposer = scop.getProposer().value_or("unknown").str();
    for (poly::Algorithm &algorithm : algorithms->algorithms) {
      llvm::raw_string_ostream(group.configs.emplace_back())
          << algorithm.config;
      algorithm.config = {};
    }
    group.algorithms = std::move(*algorithms);
  }
  return success();
}

/// Adds what there is with `options` to `listing`.
static ExitCode list(const CompileOptions &options, Listing &listing) {
  Driver driver(options);
  ExitCode code = driver.lower();
  if (code == kExitFine) {
    listing.target = getTargetInfo(driver.module()).name.str();
    collectChoices(driver.module(), listing);
    if (failed(collectGroups(driver.module(), driver.getOptions().target,
                             listing)))
      code = driver.failedIn("sched-compute");
  }
  say(driver.diagnostics());
  return code;
}

/// The algorithm that the instruction set that `number` is listed for takes.
static unsigned findDefault(const Listing &listing, const Group &group,
                            unsigned number) {
  llvm::ArrayRef<poly::Algorithm> all = group.algorithms.algorithms;
  for (auto [other, algorithm] : llvm::enumerate(all))
    if (algorithm.isa == all[number].isa && !algorithm.naive &&
        (algorithm.reproducible || !listing.reproducible))
      return other;
  return number;
}

static bool isDefault(const Listing &listing, const Group &group,
                      unsigned number) {
  llvm::ArrayRef<poly::Algorithm> all = group.algorithms.algorithms;
  return findDefault(listing, group, number) == number &&
         (!all[number].naive || all.size() == 1);
}

/// The line of a fusec.lock that takes an algorithm.
static std::string getEntry(const Listing &listing, llvm::StringRef key,
                            const Group &group, unsigned number) {
  // Of the naive one there is no config to name.
  const poly::Algorithm &algorithm = group.algorithms.algorithms[number];
  bool naive = algorithm.naive;
  return ("group " + key + (algorithm.isa.empty() ? "" : " isa=") +
          algorithm.isa + " proposer=" + group.proposer +
          " variant=" + (naive ? "naive" : "default") + " config=" +
          group.configs[naive ? findDefault(listing, group, 0) : number])
      .str();
}

static std::string forIsa(llvm::StringRef isa) {
  return isa.empty() ? "" : (" for " + isa).str();
}

static void printJson(const CompileOptions &options, const Listing &listing) {
  printAsJson([&](llvm::json::OStream &json) {
    json.attribute("format", 1); // tools/fusec/schemas
    json.attribute("model", llvm::json::fixUTF8(options.input));
    json.attribute("target", listing.target);
    json.attributeArray("choices", [&] {
      for (const auto &[key, choice] : listing.choices)
        json.object([&, &key = key, &choice = choice] {
          json.attribute("key", key);
          json.attribute("name", choice.name);
          json.attribute("algorithms", llvm::json::Array(choice.algorithms));
          json.attribute("taken", choice.taken);
          json.attribute("reason", choice.reason);
          if (choice.workspaces.empty())
            return;
          json.attributeArray("operators", [&] {
            for (auto [name, bytes] :
                 llvm::zip_equal(choice.algorithms, choice.workspaces))
              json.object([&, &name = name, bytes = bytes] {
                json.attribute("name", name);
                json.attribute("reproducible", !choice.varying.count(name));
                json.attribute("workspace", bytes);
              });
          });
        });
    });
    json.attributeArray("groups", [&] {
      for (const auto &[key, group] : listing.groups)
        json.object([&, &key = key, &group = group] {
          json.attribute("key", key);
          json.attribute("name", group.name);
          json.attribute("proposer", group.proposer);
          json.attributeArray("algorithms", [&] {
            for (auto [number, algorithm] :
                 llvm::enumerate(group.algorithms.algorithms))
              json.object([&, number = number, &algorithm = algorithm] {
                json.attribute("name", algorithm.name);
                if (!algorithm.isa.empty())
                  json.attribute("isa", algorithm.isa);
                json.attribute("default", isDefault(listing, group, number));
                json.attribute("family", algorithm.family);
                json.attribute("config", group.configs[number]);
                json.attribute("lock", getEntry(listing, key, group, number));
                json.attribute("naive", algorithm.naive);
                json.attribute("reproducible", algorithm.reproducible);
                json.attribute("batch_invariant", algorithm.batchInvariant);
                json.attribute("workspace", algorithm.workspace);
                addNumber(json, "predicted", algorithm.predicted);
              });
          });
          json.attributeArray("refused", [&] {
            for (const poly::RefusedAlgorithm &refused :
                 group.algorithms.refused)
              json.object([&] {
                json.attribute("name", refused.name);
                if (!refused.isa.empty())
                  json.attribute("isa", refused.isa);
                json.attribute("reason", refused.reason);
              });
          });
        });
    });
  });
}

/// Its time, name and instruction set, and whether it is the default.
static void printAlgorithm(const Listing &listing, const Group &group,
                           unsigned number, llvm::raw_ostream &os) {
  const poly::Algorithm &algorithm = group.algorithms.algorithms[number];
  os << "  " << fmt::format("{:10.4g}", algorithm.predicted / 1000) << " us  "
     << algorithm.name << forIsa(algorithm.isa)
     << (isDefault(listing, group, number) ? " (default)" : "");
  if (algorithm.workspace > 0)
    os << ", workspace " << algorithm.workspace << " bytes";
}

/// Every algorithm, with its line of a fusec.lock.
static void printAll(const Listing &listing, llvm::StringRef key,
                     const Group &group, llvm::raw_ostream &os) {
  for (unsigned i = 0; i < group.algorithms.algorithms.size(); ++i) {
    printAlgorithm(listing, group, i, os);
    os << "\n" << getEntry(listing, key, group, i) << "\n";
  }
  for (const poly::RefusedAlgorithm &refused : group.algorithms.refused)
    os << "  refused     " << refused.name << forIsa(refused.isa) << ": "
       << refused.reason << "\n";
}

/// The default for each instruction set, of how many of which family; each
/// reason for which others are refused once.
static void printOverview(const Listing &listing, const Group &group,
                          llvm::raw_ostream &os) {
  llvm::ArrayRef<poly::Algorithm> all = group.algorithms.algorithms;
  llvm::MapVector<llvm::StringRef, unsigned> shown; // by instruction set
  llvm::StringMap<llvm::MapVector<llvm::StringRef, unsigned>> families;
  for (auto [number, algorithm] : llvm::enumerate(all)) {
    shown.try_emplace(algorithm.isa, findDefault(listing, group, number));
    ++families[algorithm.isa][algorithm.family];
  }
  for (auto [isa, number] : shown) {
    printAlgorithm(listing, group, number, os);
    const auto &counts = families[isa];
    if (counts.size() > 1 || counts.front().second > 1) {
      os << ", of ";
      llvm::interleaveComma(counts, os, [&](const auto &family) {
        os << family.second << " " << family.first;
      });
    }
    os << "\n";
  }
  llvm::MapVector<llvm::StringRef,
                  llvm::SmallVector<const poly::RefusedAlgorithm *>>
      reasons;
  for (const poly::RefusedAlgorithm &refused : group.algorithms.refused)
    reasons[refused.reason].push_back(&refused);
  for (const auto &[reason, refused] : reasons) {
    os << "  refused     " << refused.front()->name
       << forIsa(refused.front()->isa);
    if (refused.size() > 1)
      os << " and " << refused.size() - 1 << " more";
    os << ": " << reason << "\n";
  }
}

/// What users declared of algorithms.
static void printOperators(const Choice &choice, llvm::raw_ostream &os) {
  for (auto [name, bytes] : llvm::zip(choice.algorithms, choice.workspaces)) {
    if (bytes > 0)
      os << "  workspace " << bytes << " bytes of " << name << "\n";
    if (choice.varying.count(name))
      os << "  varying   " << name << ", which gives other bits now and then\n";
  }
}

static void printText(const Listing &listing, bool isAll) {
  llvm::raw_ostream &os = llvm::outs();
  os << "target " << listing.target << "\n";
  for (const auto &[key, choice] : listing.choices) {
    os << "choice " << choice.name << "\n  key       " << key << "\n  "
       << "of        ";
    llvm::interleaveComma(choice.algorithms, os);
    os << "\n  taken     " << choice.taken << ": " << choice.reason << "\n";
    printOperators(choice, os);
  }
  for (const auto &[key, group] : listing.groups) {
    os << "group " << group.name << "\n";
    if (isAll)
      printAll(listing, key, group, os);
    else
      printOverview(listing, group, os);
  }
  if (!isAll && !listing.groups.empty())
    os << "--all lists each of them, with its line for a fusec.lock\n";
}

static ExitCode algos(const AlgosArguments &arguments) {
  CompileOptions options = arguments.model.get();
  if (ExitCode code = readStdin(options); code != kExitFine)
    return code;
  if (ExitCode code = refuseUnprovenPadding(options); code != kExitFine)
    return code;
  if (!options.lock.empty())
    throw UsageError{"algos lists what a fusec.lock may say; leave out --lock"};
  options.until = "sched-compute";
  options.comparesKernels = true;
  Listing listing;
  listing.reproducible = options.numerics != "fast";
  // Keys hold shapes: entries have in common what has the same key.
  const std::vector<CompileOptions> all = options.forEachShape();
  for (const CompileOptions &one : all)
    if (ExitCode code = list(one, listing); code != kExitFine)
      return code;
  // The groups of what is not taken, an algorithm after the other.
  std::set<std::string> others;
  for (const auto &[key, choice] : listing.choices)
    for (const std::string &algorithm : choice.algorithms)
      if (algorithm != choice.taken)
        others.insert(algorithm);
  for (const std::string &algorithm : others)
    for (CompileOptions with : all) {
      with.choices = {"*=" + algorithm};
      if (ExitCode code = list(with, listing); code != kExitFine)
        return code;
    }
  if (arguments.json)
    printJson(options, listing);
  else
    printText(listing, arguments.all);
  return kExitFine;
}

void addAlgos(CLI::App &app, Action &chosen) {
  auto arguments = std::make_shared<AlgosArguments>();
  CLI::App &command = *app.add_subcommand(
      "algos", "List the ways in which each kernel can be made");
  command.footer(kAlgosExamples);
  arguments->model.entries.takesSeveral = true;
  arguments->model.addModel(command);
  arguments->model.addCompile(command);
  command.add_flag("--all", arguments->all,
                   "List each way, with its line for a fusec.lock, not only "
                   "the defaults and how many there are");
  command.add_flag("--json", arguments->json,
                   "Print one JSON object, with all of them");
  command.callback(
      [=, &chosen] { chosen = [=] { return algos(*arguments); }; });
}

} // namespace fusec::tool
