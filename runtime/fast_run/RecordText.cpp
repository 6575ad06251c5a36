// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/fast_run/RecordText.h"

#include <algorithm>
#include <charconv>
#include <utility>

namespace fusec::fast_run {

static constexpr std::string_view kHexDigits = "0123456789abcdef";
static constexpr size_t kDigits = 16;

std::string hash(std::string_view text) {
  uint64_t value = 0xcbf29ce484222325u;
  for (const char c : text)
    value = (value ^ static_cast<unsigned char>(c)) * 0x100000001b3u;
  std::string digits(kDigits, '0');
  for (auto digit = digits.rbegin(); digit != digits.rend(); ++digit) {
    *digit = kHexDigits[value % 16];
    value /= 16;
  }
  return digits;
}

static bool isHash(std::string_view text) {
  return text.size() == kDigits &&
         text.find_first_not_of(kHexDigits) == text.npos;
}

/// Characters that would end a line, or speak to a terminal.
static bool isControl(char c) {
  return static_cast<unsigned char>(c) < 0x20 || c == 0x7f;
}

/// What a message repeats of a file, which may be as long as a line.
static std::string quote(std::string_view text) {
  constexpr size_t longest = 40;
  return "'" + std::string(text.substr(0, longest)) +
         (text.size() > longest ? "...'" : "'");
}

/// The fields of a timing by what they are, each in the order of the text.
template <typename T>
using TimingField = std::pair<std::string_view, T Timing::*>;
static constexpr TimingField<uint64_t> kNumbers[] = {
    {"picoseconds", &Timing::picoseconds},
    {"spread", &Timing::spread},
    {"workspace", &Timing::workspace}};
static constexpr TimingField<bool> kFlags[] = {
    {"naive", &Timing::naive},
    {"reproducible", &Timing::reproducible},
    {"default", &Timing::isDefault},
    {"unstable", &Timing::unstable}};
static constexpr TimingField<std::string> kTexts[] = {
    {"choice", &Timing::choice}, {"failure", &Timing::failure}};

// --------------------------------------------------------------------- print

namespace {
class Printer {
public:
  std::string text;

  void add(std::string_view name, std::string_view value) {
    if (value.empty())
      return;
    text += ' ';
    text += name;
    text += '=';
    if (value.find_first_of(" \"|\\") == value.npos) {
      text += value;
      return;
    }
    text += '"';
    for (const char c : value) {
      if (c == '"' || c == '\\')
        text += '\\';
      text += c;
    }
    text += '"';
  }
  void add(std::string_view name, uint64_t value) {
    if (value)
      add(name, std::to_string(value));
  }
  void add(std::string_view name, bool value) {
    if (value)
      add(name, std::string_view("yes"));
  }
};
} // namespace

static std::string finish(std::string_view body) {
  return hash(body) + " " + std::string(body);
}

static std::string join(const std::vector<std::string> &keys) {
  std::string text;
  for (const std::string &key : keys)
    text += (text.empty() ? "" : ",") + key;
  return text;
}

std::string print(const Record &record) {
  Printer printer;
  printer.text = record.kind == RecordKind::group ? "group" : "model";
  printer.add("key", record.key);
  printer.add("at", record.at);
  printer.add("search", record.search);
  printer.add("defaults", join(record.keptDefaults));
  for (const BackendField &field : getBackendFields())
    printer.add(field.name, record.backend.*field.member);
  printer.add("clocks", record.clocks);
  for (const Timing &timing : record.timings) {
    printer.text += " |";
    printer.add("name", timing.name);
    printer.add("kernel", timing.kernel);
    for (const auto &[name, member] : kNumbers)
      printer.add(name, timing.*member);
    for (const auto &[name, member] : kFlags)
      printer.add(name, timing.*member);
    for (const auto &[name, member] : kTexts)
      printer.add(name, timing.*member);
  }
  // What a name brings along must not end the line.
  std::replace_if(printer.text.begin(), printer.text.end(), isControl, '?');
  return finish(printer.text);
}

std::string printClosed() { return finish("closed"); }

// --------------------------------------------------------------------- parse

namespace {
/// Reads the body of a line from its beginning to its end.
class Parser {
public:
  explicit Parser(std::string_view text) : rest(text) {}

  std::string parse(Record &record);

private:
  std::string_view takeUntil(std::string_view ends) {
    const std::string_view taken = rest.substr(0, rest.find_first_of(ends));
    rest.remove_prefix(taken.size());
    return taken;
  }
  bool take(char c) {
    if (rest.empty() || rest.front() != c)
      return false;
    rest.remove_prefix(1);
    return true;
  }
  /// A field's name and value; false with `problem` where there is none.
  bool takeField();
  bool takeQuoted();
  bool setField(Record &record);
  bool setField(Timing &timing);
  bool setNumber(uint64_t &number);
  bool setFlag(bool &flag);
  bool setHash(std::string &hash);
  bool setKeys(std::vector<std::string> &keys);
  bool fail(std::string text) {
    problem = std::move(text);
    return false;
  }

  std::string_view rest, name;
  std::string value, problem;
};
} // namespace

bool Parser::takeQuoted() {
  while (!rest.empty() && rest.front() != '"') {
    take('\\');
    if (rest.empty())
      break;
    value += rest.front();
    rest.remove_prefix(1);
  }
  return take('"') || fail("a quote that does not end");
}

bool Parser::takeField() {
  name = takeUntil("= |\"");
  if (name.empty() || !take('='))
    return fail("no field where one is due");
  value.clear();
  if (take('"')) {
    if (!takeQuoted())
      return false;
  } else {
    value = takeUntil(" |\"");
  }
  if (value.empty())
    return fail("field " + quote(name) + " without a value");
  return true;
}

bool Parser::setNumber(uint64_t &number) {
  const char *end = value.data() + value.size();
  const auto [stop, code] = std::from_chars(value.data(), end, number);
  return (code == std::errc() && stop == end) ||
         fail("field " + quote(name) + " is no number of 64 bits");
}

bool Parser::setFlag(bool &flag) {
  flag = true;
  return value == "yes" || fail("field " + quote(name) + " is not yes");
}

bool Parser::setHash(std::string &hash) {
  hash = value;
  return isHash(hash) ||
         fail("field " + quote(name) + " is not 16 hexadecimal digits");
}

bool Parser::setKeys(std::vector<std::string> &keys) {
  keys.clear();
  std::string_view list = value;
  while (true) {
    const std::string_view key = list.substr(0, list.find(','));
    if (!isHash(key))
      return fail("field " + quote(name) + " is no list of keys");
    keys.emplace_back(key);
    if (key.size() == list.size())
      return true;
    list.remove_prefix(key.size() + 1);
  }
}

bool Parser::setField(Record &record) {
  if (name == "key")
    return setHash(record.key);
  if (name == "at")
    return setNumber(record.at);
  if (name == "defaults")
    return setKeys(record.keptDefaults);
  if (name == "search") {
    record.search = value;
    return value == "heuristic" || value == "exhaustive" || value == "online" ||
           fail("a search that is neither heuristic, exhaustive nor online");
  }
  if (name == "clocks") {
    record.clocks = value;
    return true;
  }
  for (const BackendField &field : getBackendFields())
    if (name == field.name) {
      record.backend.*field.member = value;
      return true;
    }
  return fail("a field " + quote(name) + " that this version does not know");
}

bool Parser::setField(Timing &timing) {
  if (name == "kernel")
    return setHash(timing.kernel);
  for (const auto &[known, member] : kNumbers)
    if (name == known)
      return setNumber(timing.*member);
  for (const auto &[known, member] : kFlags)
    if (name == known)
      return setFlag(timing.*member);
  if (name == "name") {
    timing.name = value;
    return true;
  }
  for (const auto &[known, member] : kTexts)
    if (name == known) {
      timing.*member = value;
      return true;
    }
  return fail("a field " + quote(name) +
              " of a timing that this version does not know");
}

std::string Parser::parse(Record &record) {
  const std::string_view kind = takeUntil(" ");
  if (kind != "group" && kind != "model")
    return "neither a group nor a model: " + quote(kind) +
           " is of a newer version, or of none";
  record.kind = kind == "group" ? RecordKind::group : RecordKind::model;
  while (!rest.empty()) {
    if (!take(' '))
      return "no space between two fields";
    if (take('|')) {
      if (record.timings.size() == kMostTimings)
        return "more than " + std::to_string(kMostTimings) + " timings";
      record.timings.emplace_back();
      continue;
    }
    if (!takeField() ||
        !(record.timings.empty() ? setField(record)
                                 : setField(record.timings.back())))
      return problem;
  }
  if (record.key.empty())
    return "no key";
  for (const Timing &timing : record.timings)
    if (timing.name.empty())
      return "a timing without a name";
  return "";
}

std::string parse(std::string_view text, Line &line) {
  line = {};
  if (text.size() > kMostLineBytes)
    return "more than " + std::to_string(kMostLineBytes) + " bytes";
  if (text.size() <= kDigits || text[kDigits] != ' ' ||
      !isHash(text.substr(0, kDigits)))
    return "does not begin with the sum of a line";
  const std::string_view body = text.substr(kDigits + 1);
  if (hash(body) != text.substr(0, kDigits))
    return "damaged: its sum is not that of its text";
  if (std::any_of(body.begin(), body.end(), isControl))
    return "control characters";
  if (body == "closed") {
    line.closed = true;
    return "";
  }
  Record record;
  std::string problem = Parser(body).parse(record);
  // Another spelling of a record would be a second one beside it.
  if (problem.empty() && print(record) != text)
    problem = "not as fusec writes it";
  if (problem.empty())
    line.record = std::move(record);
  return problem;
}

} // namespace fusec::fast_run
