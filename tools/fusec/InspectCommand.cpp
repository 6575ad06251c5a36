// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// fusec inspect: the groups of a model, and what became of its nodes.
#include "codegen/PlatformFiles.h"
#include "dialects/words/Plain.h"
#include "tools/fusec/Build.h"
#include "tools/fusec/Cache.h"
#include "tools/fusec/DeviceTools.h"
#include "tools/fusec/GraphNodes.h"
#include "tools/fusec/Json.h"
#include "tools/fusec/Report.h"
#include "tools/fusec/ReportTimes.h"
#include "tools/fusec/RunDevice.h"
#include "tools/fusec/SourceRows.h"
#include "tools/fusec/Steps.h"
#include "tools/fusec/VariantText.h"
#include "tools/ptx-sim/Module.h"

#include "llvm/ADT/ScopeExit.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"

namespace json = llvm::json;

namespace fusec::tool {

namespace {
struct InspectArguments {
  ModelOptions model;
  std::string html, times;
  bool json = false;
};
} // namespace

static constexpr const char *kInspectExamples = R"(
Examples:
  fusec inspect model.onnx
  fusec inspect model.onnx --html report.html
  fusec run model.onnx --repeat 20 --trace trace.json
  fusec inspect model.onnx --cpu=native --html report.html --times trace.json
  fusec inspect out/model                    a folder of fusec compile -o
  fusec inspect model.onnx --json | jq '.groups[].nodes')";

/// As it is, to compare.
static std::string text(const json::Object &object, llvm::StringRef key) {
  return object.getString(key).value_or("").str();
}

/// To print: names are the model's own.
static std::string shown(const json::Object &object, llvm::StringRef key) {
  return onOneLine(text(object, key));
}

static std::string join(const json::Array *array,
                        llvm::StringRef separator = ", ") {
  std::string result;
  for (const json::Value &value : array ? *array : json::Array()) {
    result += result.empty() ? "" : separator.str();
    if (auto string = value.getAsString())
      result += onOneLine(*string);
    else if (auto number = value.getAsInteger())
      result += std::to_string(*number);
  }
  return result;
}

static void printTensors(const json::Object &model, llvm::StringRef key) {
  const json::Array *tensors = model.getArray(key); // or there are none
  for (const json::Value &value : tensors ? *tensors : json::Array()) {
    const json::Object &tensor = *value.getAsObject();
    llvm::outs() << key.drop_back() << " " << shown(tensor, "name") << ": "
                 << shown(tensor, "dtype") << "["
                 << join(tensor.getArray("dims")) << "]";
    if (auto room = tensor.getInteger("room"))
      llvm::outs() << ", how many rows the caches hold, of " << *room
                   << "; a run adds " << tensor.getInteger("rows").value_or(0);
    llvm::outs() << "\n";
  }
}

/// Why what reads the group's nodes is not in it, each reason once: those of
/// several alternatives of a choice may be the same.
static void printRefusals(const json::Object &model,
                          const json::Object &group) {
  const json::Array *refusals = model.getArray("refusals");
  const json::Array &nodes = *group.getArray("nodes");
  llvm::StringSet<> said;
  for (const json::Value &value : refusals ? *refusals : json::Array()) {
    const json::Object &refusal = *value.getAsObject();
    const std::string node = text(refusal, "node"),
                      reader = text(refusal, "reader");
    if (!llvm::is_contained(nodes, json::Value(node)))
      continue;
    // Of another alternative, where they are apart; in this one they are not.
    if (node != reader && llvm::is_contained(nodes, json::Value(reader)))
      continue;
    std::string line = reader.empty() ? "" : node + " from " + reader + ": ";
    line += text(refusal, "reason");
    if (!said.insert(line).second)
      continue;
    llvm::outs() << "  apart     " << onOneLine(line) << "\n";
    if (std::string hint = text(refusal, "hint"); !hint.empty())
      llvm::outs() << "            hint: " << onOneLine(hint) << "\n";
  }
}

/// Nodes that nothing runs for.
static void printViews(const json::Object &model) {
  const json::Array *views = model.getArray("views");
  if (!views)
    return;
  const json::Array &values = *model.getArray("values");
  llvm::outs() << "\nviews, which need no kernel\n";
  for (const json::Value &element : *views) {
    const json::Object &view = *element.getAsObject();
    size_t number = view.getInteger("value").value_or(-1);
    llvm::outs() << "  " << join(view.getArray("nodes"));
    if (number < values.size())
      llvm::outs() << " of " << shown(*values[number].getAsObject(), "name");
    llvm::outs() << "\n";
  }
}

/// Whether caches decided what has this key; `isTaken` tells that what they
/// said is what was taken.
static bool isMeasured(llvm::ArrayRef<TunedAnswer> answers, llvm::StringRef key,
                       llvm::function_ref<bool(const TunedAnswer &)> isTaken) {
  bool isOne = false;
  for (const TunedAnswer &answer : answers) {
    if (answer.key != key || (answer.algorithm.empty() && !answer.keepsDefault))
      continue;
    if (!answer.keepsDefault && !isTaken(answer))
      return false;
    isOne = true;
  }
  return isOne;
}

/// Says of what caches decided that it was measured. model.json itself does
/// not: with a lock that keeps it, the folder is the same.
static void noteMeasured(json::Object &model,
                         llvm::ArrayRef<TunedAnswer> answers) {
  if (json::Array *choices = model.getArray("choices"))
    for (json::Value &value : *choices) {
      json::Object &choice = *value.getAsObject();
      if (isMeasured(answers, text(choice, "key"), [&](const TunedAnswer &one) {
            return takes(choice, one.algorithm);
          }))
        choice["reason"] = "measured";
    }
  for (json::Value &value : *model.getArray("groups")) {
    json::Object &group = *value.getAsObject();
    const bool isOther = group.getBoolean("locked").value_or(false);
    if (isMeasured(answers, text(group, "key"), [&](const TunedAnswer &one) {
          return one.isDefault || isOther;
        }))
      group["measured"] = true;
  }
}

/// Says what kernels for a GPU take of it, as far as this machine has what
/// compiles them; null otherwise. Whether they are for one.
static bool noteResources(json::Object &model, llvm::StringRef folder) {
  const TargetInfo *row = getTargetInfo(text(model, "cpu"));
  if (!row || !row->platform->isDevice)
    return false;
  std::map<std::string, ptx::KernelResources> known;
  llvm::SmallString<128> scratch;
  const std::string name = text(model, "name");
  if (!llvm::sys::fs::createUniqueDirectory("fusec-inspect", scratch)) {
    llvm::Expected<std::string> headers = findHeaders(folder, scratch);
    try {
      if (headers)
        known =
            getDeviceTools(*row->platform)
                .measureResources(
                    (folder + "/" + name +
                     codegen::getPlatformFiles(*row->platform).sourceFileSuffix)
                        .str(),
                    row->multiprocessor->architecture.str(), {*headers});
    } catch (const ptx::Error &) { // there is no compiler
    }
    llvm::consumeError(headers.takeError());
  }
  (void)llvm::sys::fs::remove_directories(scratch);
  for (json::Value &value : *model.getArray("groups")) {
    json::Object &group = *value.getAsObject();
    const json::Array &variants = *group.getArray("variants");
    auto found = known.find(text(*variants.front().getAsObject(), "function"));
    const bool isKnown = found != known.end();
    group["registers"] =
        isKnown ? json::Value(found->second.registers) : json::Value(nullptr);
    group["shared_bytes"] =
        isKnown ? json::Value(found->second.sharedBytes +
                              group.getInteger("requested_bytes").value_or(0))
                : json::Value(nullptr);
  }
  return true;
}

/// A kernel of the library has neither a schedule nor a key.
static void printSchedule(const json::Object &group) {
  auto is = [&](llvm::StringRef key) {
    return group.getBoolean(key).value_or(false);
  };
  if (const json::Array *functions = group.getArray("functions"))
    for (const json::Value &value : *functions) {
      const json::Object &function = *value.getAsObject();
      llvm::outs() << "  calls     " << shown(function, "function")
                   << " of the library " << shown(function, "library") << "\n";
    }
  const std::string proposer = text(group, "proposer");
  if (proposer.empty()) {
    llvm::outs() << "  schedule  that of the library's kernel\n";
    return;
  }
  llvm::outs() << "  schedule  " << shown(group, "schedule") << ", proposed by "
               << proposer << (is("timed_out") ? " (isl was stopped)" : "")
               << (is("measured") ? " (measured)"
                   : is("locked") ? " (locked)"
                                  : "")
               << "\n";
  if (const json::Object *serial = group.getObject("serial"))
    llvm::outs() << "  threads   one: " << shown(*serial, "reason") << "\n";
}

static void printText(const json::Object &model) {
  const json::Array &groups = *model.getArray("groups");
  const json::Array &launches = *model.getArray("launches");
  const json::Array none;
  const json::Array *listed = model.getArray("calls");
  const json::Array &calls = listed ? *listed : none;
  const bool isForGpu = text(model, "target") != kCpu;
  llvm::outs() << shown(model, "name") << ": " << groups.size()
               << (groups.size() == 1 ? " kernel, " : " kernels, ")
               << launches.size()
               << (launches.size() == 1 ? " launch, " : " launches, ");
  if (!calls.empty())
    llvm::outs() << calls.size()
                 << (calls.size() == 1 ? " library call, "
                                       : " library calls, ");
  llvm::outs() << model.getInteger("arena_bytes").value_or(0)
               << " bytes of temporaries\n";
  for (const auto &[label, value] : sourceRows(model))
    llvm::outs() << onOneLine(label) << ": " << onOneLine(value) << "\n";
  if (const json::Array *extents = model.getArray("extents")) {
    llvm::outs() << "entry";
    for (const json::Value &value : *extents)
      if (const json::Object *extent = value.getAsObject())
        llvm::outs() << " " << shown(*extent, "name") << "="
                     << extent->getInteger("extent").value_or(0);
    llvm::outs() << "\n";
  }
  printTensors(model, "inputs");
  printTensors(model, "outputs");
  printTensors(model, "states");
  if (const json::Array *choices = model.getArray("choices"))
    for (const json::Value &value : *choices) {
      const json::Object &choice = *value.getAsObject();
      llvm::outs() << "choice " << shown(choice, "name") << ": "
                   << shown(choice, "algorithm") << " of "
                   << join(choice.getArray("alternatives")) << " ("
                   << shown(choice, "reason") << ")"
                   << describePrecision(choice) << describeSelections(choice)
                   << "\n";
    }
  for (const json::Value &value : groups) {
    const json::Object &group = *value.getAsObject();
    const json::Object &file = *group.getArray("files")->front().getAsObject();
    llvm::outs() << "\n" << shown(group, "name") << "\n";
    llvm::outs() << "  nodes     " << join(group.getArray("nodes")) << "\n";
    printSchedule(group);
    std::string variants;
    for (const json::Value &variant : *group.getArray("variants"))
      variants += (variants.empty() ? "" : ", ") +
                  describeVariant(*variant.getAsObject());
    llvm::outs() << "  variants  " << variants << "\n";
    if (auto blocks = group.getInteger("grid"))
      llvm::outs() << "  launch    " << *blocks << " blocks of "
                   << group.getInteger("block").value_or(0) << " threads\n";
    printRefusals(model, group);
    if (group.get("key"))
      llvm::outs() << "  key       " << shown(group, "key") << "\n";
    llvm::outs() << "  source    " << shown(file, "file") << ", lines "
                 << join(file.getArray("lines"), "-") << "\n";
  }
  for (const json::Value &value : calls) {
    const json::Object &call = *value.getAsObject();
    llvm::outs() << "\n" << shown(call, "routine") << "\n";
    llvm::outs() << "  nodes     " << join(call.getArray("nodes")) << "\n";
    llvm::outs() << "  library   " << shown(call, "symbol") << " of "
                 << shown(call, "header") << "\n";
    const json::Object *op = call.getObject("operator");
    const json::Array *forms = op ? op->getArray("forms") : nullptr;
    const bool launches =
        forms && llvm::is_contained(*forms, json::Value("cuda"));
    if (isForGpu && launches)
      llvm::outs()
          << "  runs      on the GPU, where it launches kernels of its "
             "own; on the host where that is simulated\n";
    else if (isForGpu)
      llvm::outs() << "  runs      on the host, with copies: it has no form "
                      "for a GPU\n";
  }
  printViews(model);
  printGraphs(model);
}

/// Shows the emitted folder, or what the model compiles to.
static ExitCode withFolder(
    const CompileOptions &options,
    llvm::function_ref<ExitCode(llvm::StringRef, const EmittedModel &)> show) {
  std::string folder = options.input;
  llvm::SmallString<128> scratch;
  llvm::scope_exit cleanup([&] {
    if (!scratch.empty())
      (void)llvm::sys::fs::remove_directories(scratch);
  });
  if (!llvm::sys::fs::is_directory(folder)) {
    if (std::error_code error =
            llvm::sys::fs::createUniqueDirectory("fusec-inspect", scratch))
      return fail("no temporary folder: " + error.message());
    folder = scratch.str().str();
    Driver driver(options);
    if (ExitCode code = compileInto(driver, folder); code != kExitFine)
      return code;
  }
  llvm::Expected<EmittedModel> model = readEmittedModel(folder);
  if (!model)
    return fail(model.takeError(),
                "name a model, or a folder of fusec compile -o");
  return show(folder, *model);
}

/// Whether `model` is a model.json of this version.
static bool isComplete(const json::Object *model) {
  return model && llvm::all_of(llvm::ArrayRef({"inputs", "outputs", "groups",
                                               "launches", "values", "steps"}),
                               [&](llvm::StringRef key) {
                                 return model->getArray(key) != nullptr;
                               });
}

/// What a model.json says of each target.
static std::vector<json::Object *> listTargets(json::Object &model) {
  std::vector<json::Object *> targets{&model};
  if (json::Array *others = model.getArray("others"))
    for (json::Value &other : *others)
      if (json::Object *target = other.getAsObject(); isComplete(target))
        targets.push_back(target);
  return targets;
}

static ExitCode show(const InspectArguments &arguments,
                     const CompileOptions &options, llvm::StringRef folder,
                     const EmittedModel &model) {
  // It was parsed before; what is in it is ours, unless somebody edited it.
  llvm::Expected<json::Value> value = json::parse(model.text);
  json::Object *object = value ? value->getAsObject() : nullptr;
  if (!isComplete(object)) {
    llvm::consumeError(value.takeError());
    return failOn(options.input,
                  "its model.json is not one of this version of fusec",
                  "compile the model again");
  }
  bool isForGpu = false;
  const std::vector<json::Object *> targets = listTargets(*object);
  for (json::Object *target : targets) {
    noteMeasured(*target, arguments.model.caches.getAnswers(options));
    isForGpu |= noteResources(*target, folder);
    noteGraphs(*target);
  }
  if (!arguments.html.empty()) {
    json::Object page = *object;
    if (!arguments.times.empty())
      if (llvm::Error error = addTimes(arguments.times, page))
        return fail(std::move(error));
    if (llvm::Error error = writeReport(arguments.html, page, folder, options))
      return fail(std::move(error));
    // With --json, stdout is the object alone.
    (arguments.json ? llvm::errs() : llvm::outs())
        << shown(*object, "name") << ": wrote the page to " << arguments.html
        << "\n";
  }
  if (arguments.json && isForGpu)
    printAsJson(llvm::formatv("{0:2}\n", *value).str());
  else if (arguments.json)
    printAsJson(model.text);
  else if (arguments.html.empty())
    for (const json::Object *target : targets) {
      if (target != targets.front())
        llvm::outs() << "\n";
      printText(*target);
    }
  return kExitFine;
}

static ExitCode inspect(const InspectArguments &arguments) {
  CompileOptions options = arguments.model.get();
  refuseOverwriting(options, "--html", arguments.html);
  if (!arguments.html.empty() && !options.furtherRows.empty())
    throw UsageError{"--html shows the kernels for one target; leave out all "
                     "but one of --target"};
  if (!arguments.html.empty() && options.hasEntries())
    throw UsageError{"--html shows one entry; leave out all but one extent of "
                     "each dimension"};
  if (arguments.html.empty() && !arguments.times.empty())
    throw UsageError{"--times is for the page; name it with --html"};
  options.emit.bundleRuntime = false;
  options.comparesKernels = true;
  if (ExitCode code = readStdin(options); code != kExitFine)
    return code;
  if (ExitCode code = arguments.model.caches.read(options); code != kExitFine)
    return code;
  return withFolder(options,
                    [&](llvm::StringRef folder, const EmittedModel &model) {
                      arguments.model.caches.report(options, folder);
                      return show(arguments, options, folder, model);
                    });
}

void addInspect(CLI::App &app, Action &chosen) {
  auto arguments = std::make_shared<InspectArguments>();
  CLI::App &command =
      *app.add_subcommand("inspect", "Show groups, nodes, schedules and files");
  command.footer(kInspectExamples);
  arguments->model.addModel(
      command, "The model (.onnx, .mlir; - for stdin) or an emitted folder");
  arguments->model.takesSeveral = true;
  arguments->model.entries.takesSeveral = true;
  arguments->model.addCompile(command);
  arguments->model.addCaches(command);
  command.add_flag("--json", arguments->json, "Print model.json");
  command
      .add_option("--html", arguments->html,
                  "Write a page with the fused graph, to look at in a browser")
      ->type_name("FILE");
  command
      .add_option("--times", arguments->times,
                  "On the page, how long each kernel took, by a trace of the "
                  "same model: of fusec run --trace")
      ->type_name("FILE");
  command.callback(
      [=, &chosen] { chosen = [=] { return inspect(*arguments); }; });
}

} // namespace fusec::tool
