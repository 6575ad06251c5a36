// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/fusec/Trace.h"

#include "compiler/import/Message.h"
#include "compiler/io/MappedFile.h"
#include "tools/fusec/Cache.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/TimeProfiler.h"
#include <map>

namespace json = llvm::json;

namespace fusec::tool {

static llvm::Error writeEvents(const std::string &path, json::Array events,
                               json::Object about) {
  std::string text;
  llvm::raw_string_ostream(text)
      << json::Value(json::Object{{"displayTimeUnit", "ms"},
                                  {"otherData", std::move(about)},
                                  {"traceEvents", std::move(events)}})
      << "\n";
  return io::writeFileAside(path, {text.data(), text.size()});
}

CompileTrace::CompileTrace() {
  llvm::timeTraceProfilerInitialize(/*TimeTraceGranularity=*/0, "fusec");
}

CompileTrace::~CompileTrace() { llvm::timeTraceProfilerCleanup(); }

llvm::Error CompileTrace::write(const std::string &path) {
  llvm::SmallString<0> text;
  llvm::raw_svector_ostream os(text);
  llvm::timeTraceProfilerWrite(os);
  llvm::Expected<json::Value> parsed = json::parse(text);
  if (!parsed)
    return parsed.takeError();
  // LLVM adds sums per name, each on a thread of its own; viewers sum better.
  json::Array events;
  for (json::Value &event : *parsed->getAsObject()->getArray("traceEvents")) {
    json::Object &object = *event.getAsObject();
    if (object.getString("name").value_or("").starts_with("Total "))
      continue;
    object["pid"] = 1;
    events.push_back(std::move(event));
  }
  return writeEvents(path, std::move(events),
                     json::Object{{"what", "fusec compile"}});
}

LaunchTrace::LaunchTrace() : zero(Clock::now()) {
  slices.reserve(kCapacity);
  callbacks.self = this;
  callbacks.begin = [](void *self, uint32_t) {
    static_cast<LaunchTrace *>(self)->launchBegin = Clock::now();
  };
  callbacks.end = [](void *self, uint32_t launch) {
    auto *trace = static_cast<LaunchTrace *>(self);
    trace->add({launch, trace->launchBegin, Clock::now()});
  };
}

void LaunchTrace::add(const Slice &slice) {
  if (slices.size() < kCapacity)
    slices.push_back(slice);
  else
    ++dropped;
}

void LaunchTrace::beginRun() { runBegin = Clock::now(); }
void LaunchTrace::endRun() { add({kRun, runBegin, Clock::now()}); }

/// By group: what model.json says about it.
static std::map<std::string, json::Object>
describeGroups(llvm::StringRef folder) {
  std::map<std::string, json::Object> result;
  llvm::Expected<EmittedModel> model = readEmittedModel(folder);
  llvm::Expected<json::Value> value =
      model ? json::parse(model->text) : model.takeError();
  if (!value) {
    llvm::consumeError(value.takeError());
    return result;
  }
  const json::Object *object = value->getAsObject();
  const json::Array *groups = object ? object->getArray("groups") : nullptr;
  if (!groups)
    return result;
  for (const json::Value &item : *groups)
    if (const json::Object *group = item.getAsObject())
      if (auto name = group->getString("name"))
        for (llvm::StringRef key : {"schedule", "nodes"})
          if (const json::Value *found = group->get(key))
            result[name->str()].insert({key, *found});
  return result;
}

llvm::Error LaunchTrace::write(const std::string &path,
                               const fusec_model_desc &model,
                               llvm::StringRef folder) const {
  std::map<std::string, json::Object> groups = describeGroups(folder);
  auto micros = [](Clock::duration duration) {
    return std::chrono::duration<double, std::micro>(duration).count();
  };
  json::Array events;
  for (const Slice &slice : slices) {
    json::Object event{{"ph", "X"},
                       {"pid", 1},
                       {"tid", 1},
                       {"ts", micros(slice.begin - zero)},
                       {"dur", micros(slice.end - slice.begin)},
                       {"cat", "run"},
                       {"name", model.name}};
    if (slice.launch != kRun) {
      const fusec_launch_desc &launch = model.launches[slice.launch];
      std::string group = model.groups[launch.group].name;
      json::Object details = groups[group];
      details["group"] = group;
      event["name"] = launch.name;
      event["cat"] = "launch";
      event["args"] = std::move(details);
    }
    events.push_back(std::move(event));
  }
  return writeEvents(path, std::move(events),
                     json::Object{{"what", "fusec run"},
                                  {"dropped_slices", int64_t(dropped)}});
}

void LaunchTrace::printTable(llvm::raw_ostream &os,
                             const fusec_model_desc &model) const {
  struct Row {
    uint32_t group;
    size_t launches = 0;
    double ms = 0;
  };
  std::vector<Row> rows;
  for (uint32_t group = 0; group < model.num_groups; ++group)
    rows.push_back({group});
  double total = 0, runs = 0;
  for (const Slice &slice : slices) {
    double ms =
        std::chrono::duration<double, std::milli>(slice.end - slice.begin)
            .count();
    if (slice.launch == kRun) {
      runs += 1;
      total += ms;
      continue;
    }
    Row &row = rows[model.launches[slice.launch].group];
    ++row.launches;
    row.ms += ms;
  }
  if (runs == 0 || total == 0)
    return;
  llvm::sort(rows, [](const Row &a, const Row &b) {
    return std::tie(b.ms, a.group) < std::tie(a.ms, b.group);
  });
  printTableHeader(os, "   ms/run       %  launches  kernel");
  for (const Row &row : rows) {
    double percent = 100 * row.ms / total;
    os << llvm::format("%9.4f  %5.1f%%  %8.0f  %-44s ", row.ms / runs, percent,
                       row.launches / runs, model.groups[row.group].name);
    printBar(os, percent);
    os << "\n";
  }
  os << llvm::format("%9.4f  100.0%%            a run, of %.0f\n", total / runs,
                     runs);
}

} // namespace fusec::tool
