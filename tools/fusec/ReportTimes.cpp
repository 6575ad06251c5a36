// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/fusec/ReportTimes.h"

#include "compiler/io/MappedFile.h"
#include "dialects/Nesting.h"
#include "tools/fusec/Trace.h"

#include "llvm/Support/FormatVariadic.h"
#include <map>

namespace json = llvm::json;

namespace fusec::tool {

namespace {
/// Milliseconds of each run, by "launch NAME" and "call NAME".
struct TracedRuns {
  std::map<std::string, std::vector<double>> steps;
  std::vector<double> runs;
  std::string place;
};
} // namespace

static llvm::Expected<TracedRuns> readTrace(llvm::StringRef path) {
  auto fail = [&](const llvm::Twine &reason) {
    return llvm::createStringError(path + ": " + reason +
                                   "; fusec run MODEL --trace FILE writes one");
  };
  auto buffer = io::readFile(path);
  if (!buffer)
    return buffer.takeError();
  llvm::Expected<json::Value> value = parseJson((*buffer)->getBuffer());
  const json::Object *trace = value ? value->getAsObject() : nullptr;
  const json::Array *events = trace ? trace->getArray("traceEvents") : nullptr;
  if (!value)
    llvm::consumeError(value.takeError());
  if (!events)
    return fail("is no trace");
  const json::Object *about = trace->getObject("otherData");
  if (!about || about->getString("what") != "fusec run")
    return fail("is no trace of fusec run");
  TracedRuns result;
  result.place = about->getString("ran_on").value_or("").str();
  for (const json::Value &element : *events) {
    const json::Object *event = element.getAsObject();
    auto micros = event ? event->getNumber("dur") : std::nullopt;
    if (!micros)
      continue;
    double ms = *micros / 1000;
    llvm::StringRef kind = event->getString("cat").value_or("");
    // A run stands behind its steps.
    if (kind == "run") {
      result.runs.push_back(ms);
      continue;
    }
    std::vector<double> &times =
        result
            .steps[(kind + " " + event->getString("name").value_or("")).str()];
    times.resize(result.runs.size() + 1);
    times.back() += ms;
  }
  if (result.runs.empty())
    return fail("has no run");
  for (auto &[name, times] : result.steps)
    times.resize(result.runs.size());
  return result;
}

llvm::Error addTimes(llvm::StringRef path, json::Object &model) {
  llvm::Expected<TracedRuns> trace = readTrace(path);
  if (!trace)
    return trace.takeError();
  std::map<std::string, double> groups;
  size_t known = 0;
  auto add = [&](llvm::StringRef key, llvm::StringRef kind) {
    json::Array *parts = model.getArray(key);
    if (!parts)
      return;
    for (json::Value &value : *parts) {
      json::Object &part = *value.getAsObject();
      auto found = trace->steps.find(
          (kind + " " + part.getString("name").value_or("")).str());
      if (found == trace->steps.end())
        continue;
      ++known;
      double ms = summarise(found->second).median;
      part["ms"] = ms;
      groups[part.getString("group").value_or("").str()] += ms;
    }
  };
  add("launches", "launch");
  add("calls", "call");
  if (known != trace->steps.size())
    return llvm::createStringError(
        path +
        ": is the trace of another model, or of other options: it has "
        "steps that are not in " +
        model.getString("name").value_or("this one") +
        "; fusec run writes one with --trace, with the same options");
  for (json::Value &value : *model.getArray("groups")) {
    json::Object &group = *value.getAsObject();
    if (auto found = groups.find(group.getString("name").value_or("").str());
        found != groups.end())
      group["ms"] = found->second;
  }
  model["times"] = json::Object{{"ms", summarise(trace->runs).median},
                                {"runs", int64_t(trace->runs.size())},
                                {"ran_on", trace->place}};
  return llvm::Error::success();
}

std::string describeTime(const json::Object &model, const json::Object &part) {
  const json::Object *times = model.getObject("times");
  std::optional<double> ms = part.getNumber("ms");
  if (!times || !ms)
    return "";
  double whole = times->getNumber("ms").value_or(0);
  return llvm::formatv("{0:f3} ms, {1:f0}% of a run", *ms,
                       whole > 0 ? 100 * *ms / whole : 0.0);
}

} // namespace fusec::tool
