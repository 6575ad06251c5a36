// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Profile.h"

#include "compiler/import/Message.h"

#include "mlir/IR/SymbolTable.h"
#include "mlir/Pass/PassInstrumentation.h"
#include "llvm/Support/TimeProfiler.h"
#include <fmt/format.h>

using namespace mlir;

namespace fusec {

namespace {
/// A row per stage and pass: milliseconds, share of the whole, a bar.
class Table : public OutputStrategy {
public:
  explicit Table(raw_ostream &os) : OutputStrategy(os) {}

  void printHeader(const TimeRecord &total) override {
    printTableHeader(os, "       ms       %  stage or pass");
  }
  void printFooter() override { os.flush(); }
  void printTime(const TimeRecord &time, const TimeRecord &total) override {
    os << fmt::format("{:9.1f}  {:5.1f}%  ", time.wall * 1000,
                      percent(time, total));
  }
  void printListEntry(StringRef name, const TimeRecord &time,
                      const TimeRecord &total, bool) override {
    printTreeEntry(0, name, time, total);
  }
  void printTreeEntry(unsigned indent, StringRef name, const TimeRecord &time,
                      const TimeRecord &total) override {
    constexpr unsigned kNameWidth = 44;
    // The only pass of a stage says nothing that the stage's row did not.
    above.resize(std::min<size_t>(above.size(), indent / 2));
    bool isSame = !above.empty() && above.back() - time.wall <
                                        std::max(0.03 * above.back(), 0.0005);
    above.resize(indent / 2 + 1, time.wall);
    if (isSame || name == "Rest")
      return;
    printTime(time, total);
    os.indent(indent) << name;
    if (percent(time, total) >= 2 && name != "Total") {
      os.indent(indent + name.size() < kNameWidth
                    ? kNameWidth - indent - name.size()
                    : 1);
      printBar(os, percent(time, total));
    }
    os << "\n";
  }
  void printTreeEntryEnd(unsigned, bool) override {}

private:
  static double percent(const TimeRecord &time, const TimeRecord &total) {
    return total.wall > 0 ? 100 * time.wall / total.wall : 0;
  }
  std::vector<double> above; ///< seconds of the rows that this one is part of
};

/// Makes each run of a pass a slice, with the kernel or function it ran on.
class Slices : public PassInstrumentation {
public:
  void runBeforePass(Pass *pass, Operation *op) override {
    llvm::timeTraceProfilerBegin(nameOf(pass), [&] {
      auto name =
          op->getAttrOfType<StringAttr>(SymbolTable::getSymbolAttrName());
      return name ? name.str() : std::string();
    });
  }
  void runAfterPass(Pass *, Operation *) override {
    llvm::timeTraceProfilerEnd();
  }
  void runAfterPassFailed(Pass *, Operation *) override {
    llvm::timeTraceProfilerEnd();
  }

private:
  static StringRef nameOf(Pass *pass) {
    // What runs passes on each kernel has no argument of its own.
    return pass->getArgument().empty() ? "on each kernel" : pass->getArgument();
  }
};
} // namespace

Profile::Profile(bool timing, bool trace) : trace(trace) {
  manager.setEnabled(timing);
  manager.setOutput(std::make_unique<Table>(llvm::errs()));
  if (timing)
    root = manager.getRootScope();
}

Profile::~Profile() { root.stop(); }

Profile::Part::Part(Profile &profile, StringRef name)
    : profile(profile), scope(profile.root.nest(name)) {
  if (profile.trace)
    llvm::timeTraceProfilerBegin(name, StringRef());
}

Profile::Part::~Part() {
  if (profile.trace)
    llvm::timeTraceProfilerEnd();
}

void Profile::Part::watch(PassManager &passes) {
  if (scope)
    passes.enableTiming(scope);
  if (profile.trace)
    passes.addInstrumentation(std::make_unique<Slices>());
}

} // namespace fusec
