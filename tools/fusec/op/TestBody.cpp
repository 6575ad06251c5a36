// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/fusec/op/TestBody.h"

#include "compiler/io/MappedFile.h"
#include "dialects/TargetInfo.h"
#include "dialects/kernel/Choices.h"
#include "dialects/library/Declared.h"
#include "tools/fusec/Steps.h"
#include "tools/fusec/op/BodyModel.h"
#include "tools/ptx-sim/Module.h"
#include "tools/ptx-sim/Nvrtc.h"

#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Program.h"
#include <fmt/format.h>

namespace fusec::tool::op {

/// `fusec verify` of the model with the operators of `path`, by this program in
/// a process of its own. `options` are further ones.
static ExitCode verifyModel(const std::string &path, const std::string &model,
                            uint64_t seed,
                            llvm::ArrayRef<std::string> options = {}) {
  namespace fs = llvm::sys::fs;
  llvm::SmallString<128> folder;
  if (std::error_code error = fs::createUniqueDirectory("fusec-op", folder))
    return fail("no folder to work in: " + error.message());
  llvm::SmallString<128> file = folder;
  llvm::sys::path::append(file, "model.onnx");
  ExitCode code = kExitBadInput;
  if (llvm::Error error =
          io::writeFileAside(file, {model.data(), model.size()})) {
    code = fail(std::move(error));
  } else {
    const std::string self = fs::getMainExecutable(nullptr, nullptr);
    const std::string number = std::to_string(seed);
    llvm::SmallVector<llvm::StringRef> arguments = {
        self, "verify", "-", "--ops", path, "--seed", number};
    arguments.append(options.begin(), options.end());
    const std::optional<llvm::StringRef> redirects[] = {
        llvm::StringRef(file), std::nullopt, std::nullopt};
    llvm::outs().flush();
    std::string message;
    const int result = llvm::sys::ExecuteAndWait(self, arguments, std::nullopt,
                                                 redirects, 0, 0, &message);
    code = result < 0 ? fail("fusec verify did not run: " + message)
                      : ExitCode(result);
  }
  (void)fs::remove_directories(folder);
  return code;
}

/// A model of one node, the call. Throws fop::Mistake.
static std::string makeModel(const operators::Found &found,
                             const operators::Call &call,
                             std::vector<fop::TensorType> &results) {
  std::vector<fop::TensorType> types;
  for (const operators::TensorType &type : call.inputs)
    types.push_back({*io::elementTypeFromName(type.element), type.dims});
  std::vector<fop::ParamValue> params;
  for (const fop::Param &declared : found.body->params)
    params.push_back(operators::toParam(
        llvm::find_if(call.parameters, [&](const operators::Parameter &one) {
          return one.name == declared.name;
        })->value));
  const fop::Instance instance(*found.body, *found.bodies, std::move(types),
                               std::move(params));
  results = instance.outputs;
  std::vector<BodyTensor> inputs, outputs;
  for (const fop::TensorType &type : instance.inputs)
    inputs.push_back({type});
  for (const fop::TensorType &type : instance.outputs)
    outputs.push_back({type});
  return makeBodyModel(*found.op, call.parameters, inputs, outputs);
}

ExitCode testBody(const std::string &path, const operators::Found &found,
                  const operators::Call &call, uint64_t seed) {
  try {
    std::vector<fop::TensorType> results;
    const std::string model = makeModel(found, call, results);
    llvm::outs() << found.op->name() << ":";
    for (auto [output, type] : llvm::zip_equal(found.op->outputs, results))
      llvm::outs() << " " << output.name << " is " << type.describe();
    llvm::outs() << "\n";
    return verifyModel(path, model, seed);
  } catch (const fop::Mistake &mistake) {
    return fail(fop::errorAt(found.bodies->fileOf(*found.body), mistake));
  }
}

ExitCode testBlocks(const std::string &path, operators::Host &host,
                    operators::Call call, uint64_t seed) {
  const operators::Operator &op = *call.op;
  try {
    if (ptx::describeCudaCompiler().empty()) {
      llvm::outs() << "not tested: its function of blocks, which needs CUDA's "
                      "compiler\n";
      return kExitFine;
    }
  } catch (const ptx::Error &error) {
    return fail(error.what());
  }
  call.device = "cuda";
  llvm::Expected<operators::Answer> answer = host.ask(call);
  if (!answer)
    return failOn(path, op.name() + ", asked for its blocks: " +
                            llvm::toString(answer.takeError()));
  if (!answer->grid) {
    llvm::outs() << "its function of blocks does not take this call\n";
    return kExitFine;
  }
  const TargetInfo &target =
      *llvm::find_if(getTargets(), library::runsLaunchers);
  std::vector<BodyTensor> inputs, outputs;
  for (auto [from, to] : {std::pair(&call.inputs, &inputs),
                          std::pair(&answer->outputs, &outputs)})
    for (const operators::TensorType &type : *from)
      to->push_back({{*io::elementTypeFromName(type.element), type.dims}});
  llvm::outs() << fmt::format("{} in {} blocks of {} threads, on the simulator "
                              "of {}, against compute:\n",
                              op.name(), answer->grid->blocks,
                              answer->grid->threads, target.description.str());
  return verifyModel(path, makeBodyModel(op, call.parameters, inputs, outputs),
                     seed, {"--target=" + target.name.str(), "--device=sim"});
}

ExitCode testKernels(const std::string &path, const operators::Found &found,
                     const operators::Call &call,
                     const operators::Answer &answer, uint64_t seed) {
  ExitCode code = kExitFine;
  try {
    std::vector<fop::TensorType> results;
    const std::string model = makeModel(found, call, results);
    for (const operators::CallAlgorithm &one : answer.algorithms) {
      const operators::Algorithm *declared =
          found.kernels->findAlgorithm("cpu", one.name);
      const std::string name = declared ? one.name : kKernelAlternative.str();
      std::vector<std::string> options = {"--choices", "*=" + name};
      if (declared && !declared->isReproducible)
        options.push_back("--numerics=fast");
      llvm::outs() << found.op->name() << " by " << name
                   << ", against its text:\n";
      code = std::max(code, verifyModel(path, model, seed, options));
    }
  } catch (const fop::Mistake &mistake) {
    return fail(fop::errorAt(found.bodies->fileOf(*found.body), mistake));
  }
  return code;
}

} // namespace fusec::tool::op
