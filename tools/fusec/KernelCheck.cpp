// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/fusec/KernelCheck.h"

#include "tools/fusec/Json.h"
#include "tools/fusec/Progress.h"
#include "tools/fusec/TestData.h"

#include "llvm/Support/raw_ostream.h"

namespace fusec::tool {

static CompileOptions upTo(CompileOptions options, llvm::StringRef stage) {
  options.until = stage.str();
  return options;
}

KernelCheck::KernelCheck(const CompileOptions &options, std::string record,
                         const std::string &against)
    : options(options), fused(upTo(options, "fuse-split")),
      planned(upTo(options, "")), record(std::move(record)) {
  if (!this->record.empty())
    RecordWriter::checkPlace(this->record);
  if (!against.empty())
    this->against = RecordReader::open(against);
}

ExitCode KernelCheck::lower() {
  for (Driver *driver : {&fused, &planned})
    if (ExitCode code = driver->lower(reportStage); code != kExitFine) {
      say(driver->diagnostics());
      return code;
    }
  return kExitFine;
}

llvm::Error KernelCheck::run(const KernelCheckInputs &check,
                             std::string build) {
  std::unique_ptr<RecordWriter> writer;
  if (!record.empty()) {
    auto created = RecordWriter::create(record, std::move(build), check.inputs);
    if (!created)
      return created.takeError();
    writer = std::move(*created);
  }
  if (against)
    against->expectInputs(check.inputs);
  auto listen = [&](const KernelResult &result, const io::Tensor &actual,
                    const io::Tensor &expected) -> llvm::Error {
    if (writer)
      if (llvm::Error error = writer->add(result, actual, expected))
        return error;
    if (!against)
      return llvm::Error::success();
    return against->compare(result, actual, expected, check.alike(actual.type),
                            check.tolerance(actual.type));
  };
  auto found =
      bisect(fused.module(), planned.module(), check.model, watch, check.inputs,
             check.tolerance, check.interpreting, listen);
  if (!found) {
    std::string text = llvm::toString(found.takeError());
    if (against)
      against->expectIntact();
    return llvm::createStringError(text);
  }
  bisection = std::move(*found);
  if (writer)
    if (llvm::Error error = writer->finish())
      return error;
  if (bisection.findsFault() || check.outputsPassed)
    return llvm::Error::success();
  auto expected =
      ref::interpret(check.reference, check.inputs, check.interpreting);
  if (!expected)
    return expected.takeError();
  auto wrong = findWrongRule(options, check.inputs, *expected, check.tolerance,
                             check.interpreting);
  if (!wrong)
    return wrong.takeError();
  fault = std::move(*wrong);
  return llvm::Error::success();
}

bool KernelCheck::passed() const {
  return !bisection.findsFault() && (!against || against->found.passed());
}

void KernelCheck::print(llvm::raw_ostream &os) const {
  os << describe(bisection) << "\n";
  if (fault)
    os << describe(*fault, bisection.unseen.size()) << "\n";
  if (against)
    os << describe(against->found) << "\n";
}

static void addResult(llvm::json::OStream &json, const KernelResult &result,
                      const io::Comparison &comparison) {
  json.attribute("kernel", result.kernel);
  json.attributeArray("nodes", [&] {
    for (const std::string &node : result.nodes)
      json.value(llvm::json::fixUTF8(node));
  });
  json.attribute("result", llvm::json::fixUTF8(result.name));
  Verdict verdict;
  verdict.add(comparison);
  addVerdict(json, verdict);
}

static void addRecord(llvm::json::OStream &json,
                      const RecordComparison &record) {
  json.attribute("build", llvm::json::fixUTF8(record.build));
  if (record.compared)
    json.attribute("passed", !record.first);
  else
    json.attribute("passed", nullptr);
  json.attribute("compared", int64_t(record.compared));
  json.attribute("equal", int64_t(record.equal));
  json.attribute("others", int64_t(record.others));
  json.attribute("alone", int64_t(record.alone));
  addNumber(json, "max_abs_error", record.maxAbsError);
  if (!record.firstOther.empty())
    json.attribute("first_other", llvm::json::fixUTF8(record.firstOther));
  if (!record.first)
    return;
  const BuildDifference &first = *record.first;
  json.attributeObject("first", [&] {
    addResult(json, first.here, first.between);
    json.attribute("recorded_kernel", llvm::json::fixUTF8(first.kernelThere));
    addNumber(json, "error", first.here.comparison.maxAbsError);
    addNumber(json, "recorded_error", first.errorThere);
  });
}

void KernelCheck::addMembers(llvm::json::OStream &json) const {
  json.attribute("unseen", int64_t(bisection.unseen.size()));
  if (fault && !fault->rules.empty())
    json.attributeArray("wrong_rules", [&] {
      for (const std::string &rule : fault->rules)
        json.value(rule);
    });
  json.attributeArray("kernels", [&] {
    for (const KernelResult &result : bisection.results)
      json.object([&] { addResult(json, result, result.comparison); });
  });
  if (against)
    json.attributeObject("record", [&] { addRecord(json, against->found); });
}

} // namespace fusec::tool
