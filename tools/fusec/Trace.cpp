// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/fusec/Trace.h"

#include "compiler/import/Message.h"
#include "compiler/io/MappedFile.h"
#include "dialects/words/Plain.h"
#include "tools/fusec/Cache.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/TimeProfiler.h"
#include <fmt/format.h>
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
  text = plainJson(text);
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
    object["tid"] = 1; // whichever thread it was: one thing at a time
    events.push_back(std::move(event));
  }
  return writeEvents(path, std::move(events),
                     json::Object{{"what", "fusec compile"}});
}

LaunchTrace::LaunchTrace() : zero(Clock::now()) {
  slices.reserve(kCapacity);
  callbacks.self = this;
  callbacks.begin = [](void *self, uint32_t) {
    static_cast<LaunchTrace *>(self)->stepBegin = Clock::now();
  };
  callbacks.end = [](void *self, uint32_t step) {
    auto *trace = static_cast<LaunchTrace *>(self);
    Clock::time_point now = Clock::now();
    // A device runs a launch some time after it was made.
    if (trace->deviceTime.count() >= 0)
      now = trace->stepBegin + trace->deviceTime;
    trace->deviceTime = Clock::duration(-1);
    trace->add({step, trace->stepBegin, now, trace->findVariant(step)});
  };
  callbacks.took = [](void *self, uint32_t, double milliseconds) {
    static_cast<LaunchTrace *>(self)->deviceTime =
        std::chrono::duration_cast<Clock::duration>(
            std::chrono::duration<double, std::milli>(milliseconds));
  };
}

const char *LaunchTrace::findVariant(uint32_t step) const {
  if (!session)
    return nullptr;
  const fusec_model_desc &desc = *fusec_session_descriptor(session);
  return step < desc.num_launches
             ? fusec_session_variant(session, desc.launches[step].group)
             : nullptr;
}

void LaunchTrace::add(const Slice &slice) {
  if (slices.size() < kCapacity)
    slices.push_back(slice);
  else
    ++dropped;
}

void LaunchTrace::beginRun() { runBegin = Clock::now(); }
void LaunchTrace::endRun() { add({kRun, runBegin, Clock::now(), nullptr}); }

namespace {
/// What model.json says about the steps of a run.
class StepNotes {
public:
  /// Of the program of that descriptor.
  StepNotes(llvm::StringRef folder, const fusec_model_desc &desc);

  json::Object group(llvm::StringRef name) const;
  /// In a fusec.lock; empty where it has none.
  std::string groupKey(llvm::StringRef name) const;
  /// Of a library call, by its number.
  json::Object call(size_t number) const;
  std::string callName(size_t number) const;
  size_t numCalls() const { return calls.size(); }

private:
  std::map<std::string, json::Object> groups;
  std::vector<json::Object> calls;
};
} // namespace

/// Whether a part of a model.json is about the entry of `desc`.
static bool hasExtents(const json::Object &part, const fusec_model_desc &desc) {
  const json::Array *extents = part.getArray("extents");
  const size_t count = desc.extents ? desc.num_symbols : 0;
  if ((extents ? extents->size() : 0) != count)
    return false;
  for (size_t s = 0; s < count; ++s) {
    const json::Object *extent = (*extents)[s].getAsObject();
    if (!extent || extent->getInteger("extent") != desc.extents[s])
      return false;
  }
  return true;
}

/// The part of a model.json that is about the target and the entry of `desc`.
static json::Object *findPart(json::Object &model,
                              const fusec_model_desc &desc) {
  if (json::Array *others = model.getArray("others"))
    for (json::Value &other : *others)
      if (json::Object *object = other.getAsObject();
          object && object->getString("target") == desc.target &&
          hasExtents(*object, desc))
        return object;
  return &model;
}

StepNotes::StepNotes(llvm::StringRef folder, const fusec_model_desc &desc) {
  llvm::Expected<EmittedModel> model = readEmittedModel(folder);
  llvm::Expected<json::Value> value =
      model ? json::parse(model->text) : model.takeError();
  if (!value) {
    llvm::consumeError(value.takeError());
    return;
  }
  json::Object *object = value->getAsObject();
  object = object ? findPart(*object, desc) : nullptr;
  auto each = [&](llvm::StringRef key, auto add) {
    if (json::Array *items = object ? object->getArray(key) : nullptr)
      for (json::Value &item : *items)
        if (json::Object *step = item.getAsObject())
          add(std::move(*step));
  };
  each("groups", [&](json::Object step) {
    if (auto name = step.getString("name"))
      groups.try_emplace(name->str(), std::move(step));
  });
  each("calls", [&](json::Object step) { calls.push_back(std::move(step)); });
}

static json::Object pick(const json::Object &from,
                         llvm::ArrayRef<llvm::StringRef> keys) {
  json::Object result;
  for (llvm::StringRef key : keys)
    if (const json::Value *found = from.get(key))
      result.insert({key, *found});
  return result;
}

json::Object StepNotes::group(llvm::StringRef name) const {
  auto known = groups.find(name.str());
  json::Object result;
  if (known != groups.end())
    result = pick(known->second, {"schedule", "nodes"});
  result["group"] = name;
  return result;
}

std::string StepNotes::groupKey(llvm::StringRef name) const {
  auto known = groups.find(name.str());
  return known == groups.end()
             ? ""
             : known->second.getString("key").value_or("").str();
}

json::Object StepNotes::call(size_t number) const {
  return number < calls.size() ? pick(calls[number], {"routine", "nodes"})
                               : json::Object();
}

std::string StepNotes::callName(size_t number) const {
  auto name =
      number < calls.size() ? calls[number].getString("name") : std::nullopt;
  return name ? name->str() : "call " + std::to_string(number);
}

llvm::Error LaunchTrace::write(const std::string &path,
                               const fusec_model_desc &model,
                               llvm::StringRef place,
                               llvm::StringRef folder) const {
  StepNotes notes(folder, model);
  auto micros = [](Clock::duration duration) {
    return std::chrono::duration<double, std::micro>(duration).count();
  };
  json::Array events;
  for (auto [number, phase] : llvm::enumerate(phases)) {
    const Clock::time_point end = number + 1 < phases.size()
                                      ? phases[number + 1].begin
                                  : slices.empty() ? phase.begin
                                                   : slices.back().end;
    events.push_back(json::Object{{"ph", "X"},
                                  {"pid", 1},
                                  {"tid", 1},
                                  {"ts", micros(phase.begin - zero)},
                                  {"dur", micros(end - phase.begin)},
                                  {"cat", "phase"},
                                  {"name", phase.name}});
  }
  for (const Slice &slice : slices) {
    json::Object event{{"ph", "X"},
                       {"pid", 1},
                       {"tid", 1},
                       {"ts", micros(slice.begin - zero)},
                       {"dur", micros(slice.end - slice.begin)},
                       {"cat", "run"},
                       {"name", model.name}};
    if (slice.step >= model.num_launches) {
      size_t call = slice.step - model.num_launches;
      event["name"] = notes.callName(call);
      event["cat"] = "call";
      event["args"] = notes.call(call);
    } else if (slice.step != kRun) {
      const fusec_launch_desc &launch = model.launches[slice.step];
      event["name"] = launch.name;
      event["cat"] = "launch";
      json::Object about = notes.group(model.groups[launch.group].name);
      if (slice.variant)
        about["variant"] = slice.variant;
      event["args"] = std::move(about);
    }
    events.push_back(std::move(event));
  }
  return writeEvents(path, std::move(events),
                     json::Object{{"what", "fusec run"},
                                  {"target", model.target},
                                  {"ran_on", place},
                                  {"dropped_slices", int64_t(dropped)}});
}

RunTimes summarise(std::vector<double> times) {
  llvm::sort(times);
  size_t count = times.size();
  RunTimes result;
  result.minimum = times.front();
  result.median = (times[(count - 1) / 2] + times[count / 2]) / 2;
  result.spread = times[count - 1 - (count - 1) / 4] - times[(count - 1) / 4];
  return result;
}

StepTimes LaunchTrace::sum(const fusec_model_desc &model,
                           llvm::StringRef folder, size_t lastRuns) const {
  struct Row {
    std::string name, key = {};
    bool isCall = false;
    size_t launches = 0;          ///< in all runs
    double ms = 0;                ///< in this run, up to here
    std::vector<double> all = {}; ///< ms of each run
  };
  std::vector<Row> rows;
  StepNotes notes(folder, model);
  for (uint32_t group = 0; group < model.num_groups; ++group) {
    const char *name = model.groups[group].name;
    rows.push_back({name, notes.groupKey(name)});
  }
  for (size_t call = 0; call < notes.numCalls(); ++call)
    rows.push_back({notes.callName(call), /*key=*/"", /*isCall=*/true});
  size_t runs = llvm::count_if(
      slices, [](const Slice &slice) { return slice.step == kRun; });
  size_t skipped = lastRuns && lastRuns < runs ? runs - lastRuns : 0;
  runs -= skipped;
  std::vector<double> whole;
  for (const Slice &slice : slices) {
    // The slice of a run comes behind those of its steps.
    if (skipped) {
      skipped -= slice.step == kRun;
      continue;
    }
    double ms =
        std::chrono::duration<double, std::milli>(slice.end - slice.begin)
            .count();
    if (slice.step == kRun) {
      whole.push_back(ms);
      for (Row &row : rows)
        row.all.push_back(std::exchange(row.ms, 0));
      continue;
    }
    size_t row = slice.step < model.num_launches
                     ? model.launches[slice.step].group
                     : model.num_groups + slice.step - model.num_launches;
    if (row >= rows.size() || whole.size() == runs)
      continue;
    ++rows[row].launches;
    rows[row].ms += ms;
  }
  StepTimes times;
  times.runs = runs;
  if (runs == 0)
    return times;
  times.ms = summarise(whole);
  times.all = std::move(whole);
  for (const Row &row : rows)
    times.steps.push_back({row.name, row.key, row.isCall, summarise(row.all),
                           double(row.launches) / double(runs), row.all});
  llvm::sort(times.steps, [](const StepTime &a, const StepTime &b) {
    return std::tie(b.ms.median, a.name) < std::tie(a.ms.median, b.name);
  });
  return times;
}

void printTable(const StepTimes &times, llvm::raw_ostream &os) {
  if (times.runs == 0)
    return;
  printTableHeader(os, "median ms       %  launches  kernel or library call");
  for (const StepTime &step : times.steps) {
    double percent =
        times.ms.median > 0 ? 100 * step.ms.median / times.ms.median : 0;
    os << fmt::format("{:9.4f}  {:5.1f}%  {:8.0f}  {:44} ", step.ms.median,
                      percent, step.launches, step.name);
    printBar(os, percent);
    os << "\n";
  }
  os << fmt::format("{:9.4f}  100.0%            a run, median of {}\n",
                    times.ms.median, times.runs);
}

} // namespace fusec::tool
