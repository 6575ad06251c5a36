// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the page of inspect --html says without JavaScript.
#include "dialects/words/Plain.h"
#include "tools/fusec/Report.h"
#include "tools/fusec/ReportTimes.h"
#include "tools/fusec/SourceRows.h"
#include "tools/fusec/VariantText.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/raw_ostream.h"

namespace json = llvm::json;
using llvm::StringRef;

namespace fusec::tool {

namespace {
/// Prints HTML; whatever comes from a model or a source is text, never markup.
class PlainPage {
public:
  PlainPage(llvm::raw_ostream &os, const json::Object &model,
            const json::Object &operators, const json::Object &sources)
      : os(os), model(model), operators(operators), sources(sources) {}

  void print();

private:
  using Member = void (PlainPage::*)(const json::Object &);

  /// Lines of sources stay lines.
  void text(StringRef text) {
    llvm::printHTMLEscaped(onOwnLines(text, /*indent=*/""), os);
  }
  void element(StringRef tag, StringRef content) {
    os << '<' << tag << '>';
    text(content);
    os << "</" << tag << ">\n";
  }
  void each(const json::Object &of, StringRef key, Member print);

  void tensor(const json::Object &tensor);
  void choice(const json::Object &choice);
  void group(const json::Object &group);
  void call(const json::Object &call);
  void variant(const json::Object &variant);
  void refusal(const json::Object &refusal);
  void nodes(const json::Object &of);
  void time(const json::Object &of);
  void refusalsOf(const json::Object &of);
  void listing(StringRef file, int64_t first, int64_t last);

  llvm::raw_ostream &os;
  const json::Object &model, &operators, &sources;
};
} // namespace

static StringRef get(const json::Object &object, StringRef key) {
  return object.getString(key).value_or("");
}

void PlainPage::each(const json::Object &of, StringRef key, Member print) {
  if (const json::Array *items = of.getArray(key))
    for (const json::Value &item : *items)
      if (const json::Object *object = item.getAsObject())
        (this->*print)(*object);
}

void PlainPage::tensor(const json::Object &tensor) {
  os << "<li>";
  text(get(tensor, "name"));
  os << ": ";
  text(get(tensor, "dtype"));
  if (const json::Array *dims = tensor.getArray("dims"))
    for (const json::Value &dim : *dims)
      os << (&dim == &dims->front() ? " " : "x")
         << dim.getAsInteger().value_or(0);
  os << "</li>\n";
}

void PlainPage::choice(const json::Object &choice) {
  element("p", ("algorithm of " + get(choice, "name") + ": " +
                get(choice, "algorithm") + " (" + get(choice, "reason") + ")" +
                describePrecision(choice) + describeSelections(choice))
                   .str());
}

void PlainPage::time(const json::Object &of) {
  if (std::string time = describeTime(model, of); !time.empty())
    os << ": " << time;
}

/// Each with its operator, where that is known.
void PlainPage::nodes(const json::Object &of) {
  os << "<ul>\n";
  if (const json::Array *nodes = of.getArray("nodes"))
    for (const json::Value &node : *nodes) {
      StringRef name = node.getAsString().value_or("");
      StringRef op = get(operators, name);
      element("li", op.empty() ? name.str() : (op + " " + name).str());
    }
  os << "</ul>\n";
}

void PlainPage::refusal(const json::Object &refusal) {
  os << "<li>";
  text(get(refusal, "node"));
  if (StringRef reader = get(refusal, "reader"); !reader.empty()) {
    os << " &rarr; ";
    text(reader);
  }
  os << ": ";
  text(get(refusal, "reason"));
  if (StringRef hint = get(refusal, "hint"); !hint.empty()) {
    os << "<br>What to do: ";
    text(hint);
  }
  os << "</li>\n";
}

/// Those that are about a node of `of`, as the drawing has them at both ends.
void PlainPage::refusalsOf(const json::Object &of) {
  const json::Array *nodes = of.getArray("nodes");
  const json::Array *refusals = model.getArray("refusals");
  if (!nodes || !refusals)
    return;
  auto isNode = [&](StringRef name) {
    return llvm::any_of(*nodes, [&](const json::Value &node) {
      return node.getAsString().value_or("") == name;
    });
  };
  bool any = false;
  for (const json::Value &value : *refusals) {
    const json::Object *found = value.getAsObject();
    if (!found ||
        (!isNode(get(*found, "node")) && !isNode(get(*found, "reader"))))
      continue;
    os << (any ? "" : "<p>Why it was not fused further:</p>\n<ul>\n");
    any = true;
    refusal(*found);
  }
  os << (any ? "</ul>\n" : "");
}

void PlainPage::listing(StringRef file, int64_t first, int64_t last) {
  StringRef rest = get(sources, file);
  os << "<pre>";
  for (int64_t line = 1; line <= last && !rest.empty(); ++line) {
    auto [content, behind] = rest.split('\n');
    if (line >= first) {
      text(content);
      os << '\n';
    }
    rest = behind;
  }
  os << "</pre>\n";
}

void PlainPage::variant(const json::Object &variant) {
  const json::Array *lines = variant.getArray("lines");
  auto line = [&](size_t i) {
    return lines && i < lines->size() ? (*lines)[i].getAsInteger().value_or(0)
                                      : 0;
  };
  int64_t first = line(0), last = line(1);
  StringRef file = get(variant, "file");
  os << "<details><summary>variant ";
  text(get(variant, "name"));
  if (StringRef isa = get(variant, "isa"); !isa.empty()) {
    os << " for ";
    text(isa);
  }
  if (std::string selected = describeSelected(variant); !selected.empty()) {
    os << ", taken on ";
    text(selected);
  }
  os << ": ";
  StringRef schedule = get(variant, "schedule");
  text(schedule.empty() ? "as isl proposed it" : schedule);
  os << "; ";
  text(file);
  os << ", lines " << first << "&ndash;" << last << "</summary>\n";
  listing(file, first, last);
  os << "</details>\n";
}

void PlainPage::group(const json::Object &group) {
  os << "<details class=\"group\"><summary><b>";
  text(get(group, "name"));
  os << "</b> ";
  text(get(group, "schedule"));
  os << ", proposed by ";
  text(get(group, "proposer"));
  os << (group.getBoolean("timed_out").value_or(false) ? " (isl was stopped)"
                                                       : "")
     << (group.getBoolean("measured").value_or(false) ? " (measured)"
         : group.getBoolean("locked").value_or(false) ? " (locked)"
                                                      : "");
  time(group);
  os << "</summary>\n";
  nodes(group);
  refusalsOf(group);
  each(group, "variants", &PlainPage::variant);
  os << "</details>\n";
}

void PlainPage::call(const json::Object &call) {
  os << "<details class=\"group\"><summary><b>";
  text(get(call, "routine"));
  os << "</b> library call: ";
  text((get(call, "symbol") + " of " + get(call, "header")).str());
  time(call);
  os << "</summary>\n";
  nodes(call);
  refusalsOf(call);
  os << "</details>\n";
}

void PlainPage::print() {
  element("h1", get(model, "name"));
  element("p", "The drawing needs JavaScript, all of which this page holds. "
               "What it shows is below as text: each kernel with its nodes, "
               "why it was not fused further, its schedules and source.");
  if (auto rows = sourceRows(model); !rows.empty()) {
    element("h2", "Model");
    os << "<ul>\n";
    for (const auto &[label, value] : rows)
      element("li", label + ": " + value);
    os << "</ul>\n";
  }
  element("h2", "Inputs");
  os << "<ul>\n";
  each(model, "inputs", &PlainPage::tensor);
  os << "</ul>\n";
  element("h2", "Outputs");
  os << "<ul>\n";
  each(model, "outputs", &PlainPage::tensor);
  os << "</ul>\n";
  if (model.getArray("states")) {
    element("h2", "States, which a session carries from run to run");
    os << "<ul>\n";
    each(model, "states", &PlainPage::tensor);
    os << "</ul>\n";
  }
  element("h2", "Kernels");
  each(model, "choices", &PlainPage::choice);
  each(model, "groups", &PlainPage::group);
  each(model, "calls", &PlainPage::call);
}

void printPlainly(const json::Object &model, const json::Object &operators,
                  const json::Object &sources, llvm::raw_ostream &os) {
  PlainPage(os, model, operators, sources).print();
}

} // namespace fusec::tool
