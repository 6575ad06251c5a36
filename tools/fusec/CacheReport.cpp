// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/fusec/CacheReport.h"

#include "dialects/words/Plain.h"
#include "tools/fusec/Json.h"

#include <ctime>
#include <fmt/format.h>

namespace fusec::tool {

using fast_run::BackendField;
using fast_run::getBackendFields;
using fast_run::Record;
using fast_run::RecordKind;

/// "2026-11-25 01:42", UTC; empty where nobody said when.
static std::string formatDate(uint64_t seconds) {
  const auto time = static_cast<std::time_t>(seconds);
  std::tm parts = {};
  char text[32] = "";
  // No year of more than four digits, whoever wrote it.
  constexpr uint64_t kEnd = 253402300800;
  if (seconds == 0 || seconds >= kEnd || !gmtime_r(&time, &parts))
    return "";
  std::strftime(text, sizeof(text), "%F %R", &parts);
  return text;
}

static std::string formatTime(uint64_t picoseconds) {
  const double time = double(picoseconds);
  return time >= 1e9   ? fmt::format("{:.4g} ms", time / 1e9)
         : time >= 1e6 ? fmt::format("{:.4g} us", time / 1e6)
                       : fmt::format("{:.4g} ns", time / 1e3);
}

static constexpr const char *kSummary =
    "{:<16}  {:<16}  {:<10}  {:>10}  {:>3}  {:<8}  {:<36}  {}\n";

void printSummaryHeader(llvm::raw_ostream &os) {
  os << fmt::format(kSummary, "key", "measured (UTC)", "search", "time", "set",
                    "target", "algorithm", "device");
}

/// Lines of a report. What they repeat of a record may be anybody's.
static std::string plain(llvm::StringRef lines) {
  return onOwnLines(lines, /*indent=*/"");
}

/// What a compilation that has no further wishes takes, or null: of a model the
/// whole as tuned.
static const fast_run::Timing *findTaken(const Record &record) {
  if (record.kind == RecordKind::group)
    return fast_run::choose(record, {});
  for (const fast_run::Timing &timing : record.timings)
    if (!timing.isDefault)
      return &timing;
  return nullptr;
}

void printSummary(const Record &record, llvm::raw_ostream &os) {
  const fast_run::Timing *taken = findTaken(record);
  os << plain(
      fmt::format(kSummary, record.key, formatDate(record.at), record.search,
                  taken ? formatTime(taken->picoseconds) : std::string("-"),
                  record.backend.algorithms, record.backend.isa,
                  record.kind == RecordKind::model ? std::string("(a model)")
                  : taken                          ? taken->name
                                                   : std::string("-"),
                  record.backend.device));
}

/// "naive, reproducible"
static std::string describeAttributes(const fast_run::Timing &timing) {
  std::string text;
  for (auto [set, name] : {std::pair(timing.isDefault, "default"),
                           std::pair(timing.naive, "naive"),
                           std::pair(timing.reproducible, "reproducible"),
                           std::pair(timing.unstable, "unstable")})
    if (set)
      text += (text.empty() ? "" : ", ") + std::string(name);
  return text;
}

void printWhole(const Record &record, llvm::raw_ostream &os) {
  os << (record.kind == RecordKind::group ? "group " : "model ") << record.key
     << "\n";
  const auto field = [&](llvm::StringRef name, llvm::StringRef value) {
    if (!value.empty())
      os << plain(fmt::format("  {:<11} {}\n", name.str(), value.str()));
  };
  field("measured", formatDate(record.at));
  field("search", record.search);
  for (const BackendField &known : getBackendFields())
    field(known.name, record.backend.*known.member);
  field("clocks", record.clocks);
  for (const std::string &key : record.keptDefaults)
    field("default", key);
  for (const fast_run::Timing &timing : record.timings) {
    if (!timing.failure.empty()) {
      os << plain(fmt::format("  {:>12}  {}: {}\n", "failed", timing.name,
                              timing.failure));
      continue;
    }
    const std::string attributes = describeAttributes(timing);
    os << plain(fmt::format("  {:>12}  {}, spread {}, workspace {} bytes{}\n",
                            formatTime(timing.picoseconds), timing.name,
                            formatTime(timing.spread), timing.workspace,
                            attributes.empty() ? "" : ", " + attributes));
    if (!timing.choice.empty())
      os << "                " << plain(timing.choice) << "\n";
    if (!timing.kernel.empty())
      os << "                kernel " << plain(timing.kernel) << "\n";
  }
}

void addBackend(llvm::json::OStream &json, const fast_run::Backend &backend) {
  json.attributeObject("backend", [&] {
    for (const BackendField &field : getBackendFields())
      json.attribute(field.name, llvm::json::fixUTF8(backend.*field.member));
  });
}

void addAttributes(llvm::json::OStream &json, const fast_run::Timing &timing) {
  json.attribute("workspace", timing.workspace);
  json.attribute("naive", timing.naive);
  json.attribute("reproducible", timing.reproducible);
  json.attribute("default", timing.isDefault);
  json.attribute("unstable", timing.unstable);
}

static void printAsObject(const fast_run::Timing &timing,
                          llvm::json::OStream &json) {
  json.object([&] {
    json.attribute("name", llvm::json::fixUTF8(timing.name));
    json.attribute("choice", llvm::json::fixUTF8(timing.choice));
    json.attribute("kernel", timing.kernel);
    if (timing.failure.empty()) {
      addNumber(json, "us", double(timing.picoseconds) / 1e6);
      addNumber(json, "spread_us", double(timing.spread) / 1e6);
    } else {
      json.attribute("failure", llvm::json::fixUTF8(timing.failure));
    }
    addAttributes(json, timing);
  });
}

void printAsObject(const Record &record, llvm::json::OStream &json) {
  json.object([&] {
    json.attribute("kind",
                   record.kind == RecordKind::group ? "group" : "model");
    json.attribute("key", record.key);
    json.attribute("at", record.at);
    json.attribute("search", record.search);
    addBackend(json, record.backend);
    if (!record.clocks.empty())
      json.attribute("clocks", llvm::json::fixUTF8(record.clocks));
    json.attribute("defaults", llvm::json::Array(record.keptDefaults));
    json.attributeArray("timings", [&] {
      for (const fast_run::Timing &timing : record.timings)
        printAsObject(timing, json);
    });
  });
}

} // namespace fusec::tool
