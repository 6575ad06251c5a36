// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The program ptx-sim: runs one kernel of a PTX or CUDA file, and says what is
// wrong with it.
#include "tools/Cli11.h"
#include "tools/ptx-sim/Architectures.h"
#include "tools/ptx-sim/Arguments.h"
#include "tools/ptx-sim/Nvcc.h"

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstdlib>
#include <cstring>
#include <cxxabi.h>
#include <fmt/format.h>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

using namespace fusec::ptx;

namespace {

// As in fusec: what the exit codes mean.
constexpr int kFound = 1, kUnsupported = 2, kBadInput = 4, kWrongUsage = 64,
              kInternal = 70;

constexpr const char *kExamples = R"(
--args has one word for each parameter: TYPE=VALUE, or TYPE[COUNT]=FILL for a buffer.
TYPE is f16 bf16 f32 f64 i8 u8 i16 u16 i32 u32 i64 u64; FILL is rand (-1 to 1, integers
0 to 127, always the same), zero, iota (0 1 2 ...), a number, or nan: fresh memory,
which the kernel must not read before it wrote it.

  ptx-sim run scale.ptx --kernel scale --grid 4 --block 256 \
    --args 'f32[1024]=rand f32[1024]=nan i32=1024'
  ptx-sim run gemm.cu --kernel gemm --grid 8,8 --block 16,16 --shared 4096 \
    --args 'f32[16384]=rand f32[16384]=rand f32[16384]=nan' --order reverse --json

A kernel in a .cu may be named as in the source, f or 'f<float>', unless it is overloaded.
Exit codes: 0 nothing found, 1 findings, one line each, 2 something is not supported,
4 bad input, or a launch that the architecture does not take (too many threads, too much
shared memory), 64 wrong usage, 70 a bug of ptx-sim.
)";

struct Options {
  std::string file, kernel, grid, block, arch = "sm_80", args, order = "both";
  uint32_t shared = 0;
  std::vector<std::string> includes;
  std::vector<unsigned> print;
  bool isArchGiven = false, json = false;
};

std::string readFile(const std::string &path) {
  errno = 0;
  std::ifstream file(path, std::ios::binary);
  std::stringstream text;
  if (file.peek() != std::ifstream::traits_type::eof())
    text << file.rdbuf();
  if (!file.is_open() || file.bad() || !text)
    throw Error(Error::BadInput,
                fmt::format("{}: cannot be read: {}", path,
                            errno ? std::strerror(errno) : "unknown error"));
  if (text.str().empty())
    throw Error(Error::BadInput, path + ": is empty");
  return text.str();
}

bool endsWith(const std::string &text, const std::string &end) {
  return text.size() >= end.size() &&
         text.compare(text.size() - end.size(), end.size(), end) == 0;
}

/// The text without the last group in brackets, which ends it.
std::string withoutGroup(const std::string &text, char open, char close) {
  int depth = 0;
  for (size_t i = text.size(); i-- > 0;) {
    depth += text[i] == close ? 1 : text[i] == open ? -1 : 0;
    if (depth == 0)
      return text.substr(0, text[i] == open ? i : text.size());
  }
  return text;
}

/// How a symbol may be named: as C++ has it, void f<float>(float*), and that
/// without the result, the parameters, and the template's arguments.
std::vector<std::string> namesOf(const std::string &symbol) {
  if (symbol.compare(0, 2, "_Z") != 0) // f alone would be the type float
    return {symbol};
  std::unique_ptr<char, decltype(&std::free)> demangled(
      abi::__cxa_demangle(symbol.c_str(), nullptr, nullptr, nullptr),
      std::free);
  if (!demangled)
    return {symbol};
  const std::string all = demangled.get();
  const std::string called = all.substr(all.compare(0, 5, "void ") ? 0 : 5);
  const std::string bare = withoutGroup(called, '(', ')');
  return {symbol, all, called, bare, withoutGroup(bare, '<', '>')};
}

/// The kernel of that name, as it is or as C++ has it.
std::string findKernel(const Module &module, const std::string &name) {
  auto found = module.functions.find(name);
  if (found != module.functions.end() && found->second.isEntry)
    return name;
  std::string only;
  for (const auto &[symbol, function] : module.functions) {
    if (!function.isEntry)
      continue;
    const std::vector<std::string> names = namesOf(symbol);
    if (std::find(names.begin(), names.end(), name) == names.end())
      continue;
    if (!only.empty())
      throw Error(Error::BadInput,
                  fmt::format("{}: {} may be {} or {}", module.path, name, only,
                              symbol));
    only = symbol;
  }
  return only.empty() ? name : only; // the launch says what is there
}

/// CLI11's own says only that it could not convert.
CLI::Validator wholeNumber() {
  return CLI::Validator(
      [](const std::string &text) {
        uint32_t number = 0;
        const char *end = text.data() + text.size();
        auto [rest, error] = std::from_chars(text.data(), end, number);
        return error == std::errc() && rest == end
                   ? std::string()
                   : "'" + text + "' is not a whole number from 0 to " +
                         std::to_string(UINT32_MAX);
      },
      "");
}

/// What is wrong with the command line.
std::string explain(const CLI::App &app, const CLI::ParseError &error) {
  if (!app.get_subcommands().empty())
    return error.what();
  std::vector<std::string> unknown = app.remaining();
  return unknown.empty()
             ? "name a command: run"
             : "there is no command '" + unknown.front() + "', only run";
}

/// How often it happened beside the time that its message tells of.
std::string timesMore(const Finding &finding) {
  if (finding.count == 1)
    return "";
  const size_t instructions = finding.instructions.size();
  return fmt::format(
      " (and {} times more{})", finding.count - 1,
      instructions > 1
          ? fmt::format(", at {} instructions of this line", instructions)
          : "");
}

nlohmann::json toJson(const Finding &finding) {
  return {{"kind", finding.kind},
          {"kernel", finding.kernel},
          {"file", finding.file},
          {"line", finding.line},
          {"instruction", finding.instruction},
          {"message", finding.message},
          {"count", finding.count},
          {"instructions", finding.instructions.size()}};
}

nlohmann::json toJson(const Counts &c) {
  auto ratio = [](uint64_t a, uint64_t b) {
    return b ? static_cast<double>(a) / static_cast<double>(b) : 0.0;
  };
  uint64_t global = c.globalLoadBytes + c.globalStoreBytes;
  return {{"warp_instructions", c.warpInstructions},
          {"thread_instructions", c.threadInstructions},
          {"global_load_bytes", c.globalLoadBytes},
          {"global_store_bytes", c.globalStoreBytes},
          {"shared_load_bytes", c.sharedLoadBytes},
          {"shared_store_bytes", c.sharedStoreBytes},
          {"global_requests", c.globalRequests},
          {"global_sectors", c.globalSectors},
          {"sectors_per_request", ratio(c.globalSectors, c.globalRequests)},
          {"vector_share", ratio(c.globalVectorBytes, global)},
          {"shared_requests", c.sharedRequests},
          {"bank_conflicts", c.bankConflicts},
          {"barriers", c.barriers},
          {"atomics", c.atomics}};
}

struct Result {
  Findings findings;
  Counts counts;
  std::string printed;
};

/// One run, on a device of its own.
Result runOnce(const Options &options, const std::string &path,
               const std::string &text, Direction direction) {
  Device device;
  Module &module = device.load(path, text);
  if (options.isArchGiven && module.target != options.arch)
    throw Error(
        Error::Usage,
        fmt::format("--arch is for .cu files: {} is PTX for {}, which "
                    "stays so; leave --arch out, or compile the .cu for "
                    "{}",
                    path, module.target, options.arch));
  LaunchConfig config;
  config.kernel = findKernel(module, options.kernel);
  config.grid = parseDim("--grid", options.grid);
  config.block = parseDim("--block", options.block);
  config.dynamicShared = options.shared;
  config.direction = direction;
  std::vector<Argument> arguments = parseArguments(options.args);
  if (auto kernel = module.functions.find(config.kernel);
      kernel != module.functions.end())
    checkKinds(module, kernel->second, arguments);
  std::vector<std::vector<uint8_t>> values;
  for (size_t i = 0; i < arguments.size(); ++i) {
    place(device, arguments[i], i + 1);
    values.push_back(arguments[i].bytes);
  }
  for (unsigned number : options.print)
    if (!number || number > arguments.size() || !arguments[number - 1].isBuffer)
      throw Error(
          Error::Usage,
          fmt::format(
              "--print {}: there is no such buffer among the {} arguments",
              number, arguments.size()));
  device.launch(module, config, values);
  Result result;
  result.findings = device.findings;
  result.counts = device.counts[config.kernel];
  for (unsigned number : options.print) {
    const Argument &argument = arguments[number - 1];
    unsigned size = argument.elementSize();
    result.printed += fmt::format("argument {}:", number);
    for (uint64_t i = 0; i < argument.count; ++i) {
      uint64_t at = argument.address + i * size;
      result.printed += " " + (device.isDefined(at, size)
                                   ? argument.format(device.peek(at, size))
                                   : "?");
    }
    result.printed += '\n';
  }
  return result;
}

int run(const Options &options) {
  std::string text, path = options.file;
  if (!findArchitecture(options.arch))
    throw Error(Error::Usage,
                fmt::format("--arch: '{}' is no architecture that is known, "
                            "only {}",
                            options.arch, architectureNames()));
  if (endsWith(path, ".cu") || endsWith(path, ".cuh")) {
    readFile(path);
    text = compileCuda(path, options.arch, options.includes);
    path += " (PTX)"; // whose lines are those that errors tell
  } else {
    text = readFile(path);
  }
  std::vector<Direction> directions;
  if (options.order != "reverse")
    directions.push_back(Direction::Forward);
  if (options.order != "forward")
    directions.push_back(Direction::Reverse);
  Findings all;
  Result last;
  for (size_t i = 0; i < directions.size(); ++i) {
    Result result = runOnce(options, path, text, directions[i]);
    all.join(result.findings);
    if (i == 0)
      last = std::move(result);
  }
  if (options.json) {
    nlohmann::json findings = nlohmann::json::array();
    for (const Finding &finding : all.all())
      findings.push_back(toJson(finding));
    fmt::print("{}\n", nlohmann::json{{"format", 1},
                                      {"findings", findings},
                                      {"counts", toJson(last.counts)}}
                           .dump(2));
    fmt::print(stderr, "{}", last.printed);
  } else {
    for (const Finding &finding : all.all())
      fmt::print("{}:{}: {}: {}: {}: {}{}\n", finding.file, finding.line,
                 finding.kind, finding.kernel, finding.instruction,
                 finding.message, timesMore(finding));
    fmt::print("{}", last.printed);
  }
  return all.empty() ? 0 : kFound;
}

} // namespace

int main(int argc, char **argv) {
  CLI::App app(
      "Runs CUDA kernels without a GPU, and finds what a GPU would hide",
      "ptx-sim");
  app.footer(kExamples);
  app.require_subcommand(1);
  CLI::App *command =
      app.add_subcommand("run", "Run one kernel of a PTX or CUDA file");
  command->footer(kExamples);
  Options options;
  command
      ->add_option("file", options.file,
                   "FILE.ptx, or FILE.cu for nvcc to compile")
      ->required();
  command->add_option("--kernel", options.kernel, "The kernel's name")
      ->required();
  command->add_option("--grid", options.grid, "X[,Y[,Z]]: blocks")->required();
  command->add_option("--block", options.block, "X[,Y[,Z]]: threads of a block")
      ->required();
  command
      ->add_option("--shared", options.shared, "Bytes of dynamic shared memory")
      ->check(wholeNumber());
  const CLI::Option *arch =
      command->add_option("--arch", options.arch, "What a .cu is compiled for")
          ->capture_default_str();
  command
      ->add_option("-I", options.includes,
                   "Where a .cu includes from; more than once for several")
      ->allow_extra_args(false);
  command->add_option("--args", options.args,
                      "What the kernel gets; see below");
  command
      ->add_option(
          "--order", options.order,
          "How warps and blocks take their turns: forward, reverse or both")
      ->check(CLI::IsMember({"forward", "reverse", "both"}))
      ->capture_default_str();
  command
      ->add_option(
          "--print", options.print,
          "Print a buffer afterwards, by its number from 1; ? is undefined")
      ->take_all()
      ->check(wholeNumber());
  command->add_flag("--json", options.json, "Findings and counts as JSON");
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError &error) {
    if (error.get_exit_code() == 0) // help was asked for
      return app.exit(error);
    fmt::print(stderr, "ptx-sim: error: {}\n  see ptx-sim {}--help\n",
               explain(app, error), command->parsed() ? "run " : "");
    return kWrongUsage;
  }
  options.isArchGiven = arch->count() != 0;
  try {
    int code = run(options);
    if (std::fflush(stdout) || std::ferror(stdout))
      throw Error(Error::BadInput, fmt::format("cannot write to stdout: {}",
                                               std::strerror(errno)));
    return code;
  } catch (const Error &error) {
    fmt::print(stderr, "ptx-sim: error: {}\n{}", error.what(),
               error.kind == Error::Usage ? "  see ptx-sim run --help\n" : "");
    return error.kind == Error::Unsupported ? kUnsupported
           : error.kind == Error::Usage     ? kWrongUsage
                                            : kBadInput;
  } catch (const std::bad_alloc &) {
    fmt::print(stderr, "ptx-sim: error: there is not enough memory; give "
                       "smaller buffers or a smaller grid\n");
    return kBadInput;
  } catch (const std::exception &error) {
    fmt::print(stderr, "ptx-sim: internal error: {}\n", error.what());
    return kInternal;
  }
}
