// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// NVRTC, opened at run time by declarations of our own: who builds fusec needs
// nothing of CUDA's.
#include "tools/ptx-sim/Nvrtc.h"

#include "tools/ptx-sim/Module.h"
#include "tools/ptx-sim/Nvcc.h"

#include <dlfcn.h>
#include <filesystem>
#include <fmt/format.h>
#include <fstream>
#include <sstream>

using namespace fusec::ptx;
namespace fs = std::filesystem;

namespace {

using Program = struct _nvrtcProgram *;

/// The functions of the library that are called; their results are 0 if all
/// went well.
struct Nvrtc {
  int (*version)(int *major, int *minor);
  int (*create)(Program *program, const char *text, const char *name,
                int numHeaders, const char *const *headers,
                const char *const *includeNames);
  int (*compile)(Program program, int numOptions, const char *const *options);
  int (*ptxSize)(Program program, size_t *bytes);
  int (*ptx)(Program program, char *text);
  int (*logSize)(Program program, size_t *bytes);
  int (*log)(Program program, char *text);
  int (*destroy)(Program *program);

  bool load(void *library);
};

bool Nvrtc::load(void *library) {
  bool isComplete = true;
  auto find = [&](auto &function, const char *name) {
    function = reinterpret_cast<std::decay_t<decltype(function)>>(
        ::dlsym(library, name));
    isComplete &= function != nullptr;
  };
  find(version, "nvrtcVersion");
  find(create, "nvrtcCreateProgram");
  find(compile, "nvrtcCompileProgram");
  find(ptxSize, "nvrtcGetPTXSize");
  find(ptx, "nvrtcGetPTX");
  find(logSize, "nvrtcGetProgramLogSize");
  find(log, "nvrtcGetProgramLog");
  find(destroy, "nvrtcDestroyProgram");
  return isComplete;
}

/// Where CUDA may be installed: where nvcc is, and where it installs itself.
std::vector<fs::path> listRoots() {
  std::vector<fs::path> roots = {"/usr/local/cuda"};
  if (const std::string nvcc = findNvcc(); !nvcc.empty())
    roots.insert(roots.begin(), fs::path(nvcc).parent_path().parent_path());
  return roots;
}

/// The options for CUDA's own headers, which nvcc finds by itself; none if they
/// are not there.
std::vector<std::string> listHeaders() {
  std::vector<std::string> options;
  for (const fs::path &root : listRoots())
    for (const char *folder : {"include", "include/cccl"})
      if (options.size() < 2 && fs::exists(root / folder))
        options.push_back("-I" + (root / folder).string());
  return options;
}

/// Where the system looks for libraries, beside nvcc, or where CUDA installs
/// itself.
std::vector<std::string> listPlaces() {
  std::vector<std::string> places;
  for (const char *name : {"libnvrtc.so.13", "libnvrtc.so.12", "libnvrtc.so"}) {
    places.push_back(name);
    for (const fs::path &root : listRoots())
      for (const char *folder : {"lib64", "lib"})
        places.push_back(root / folder / name);
  }
  return places;
}

/// Opens the library at `place`, which may be no path. What it opens itself by
/// name lies beside it, where the system need not look: it is there already.
void *open(const fs::path &place) {
  std::error_code none;
  if (place.has_parent_path())
    for (const fs::directory_entry &entry :
         fs::directory_iterator(place.parent_path(), none))
      if (entry.path().filename().string().rfind("libnvrtc-builtins.so", 0) ==
          0)
        ::dlopen(entry.path().c_str(), RTLD_NOW | RTLD_LOCAL);
  return ::dlopen(place.c_str(), RTLD_NOW | RTLD_LOCAL);
}

/// Opened once; null where there is none.
const Nvrtc *findNvrtc() {
  static const Nvrtc *found = []() -> const Nvrtc * {
    static Nvrtc library;
    for (const std::string &place : listPlaces())
      if (void *opened = open(place))
        if (library.load(opened))
          return &library;
    return nullptr;
  }();
  return found;
}

std::string readText(const std::string &path) {
  std::ifstream file(path, std::ios::binary);
  if (!file)
    throw Error(Error::BadInput, path + ": cannot be read");
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

/// The PTX of a file for an architecture, as "compute_80".
std::string compileBy(const Nvrtc &nvrtc, const std::string &path,
                      const std::string &architecture,
                      const std::vector<std::string> &includes) {
  std::string text = readText(path);
  std::vector<std::string> words = {
      "--std=c++17", "-lineinfo", "-default-device", "-arch=" + architecture,
      // What stands beside the file, which has no folder here.
      "-I" + fs::path(path).parent_path().string()};
  for (const std::string &include : includes)
    words.push_back("-I" + include);
  for (const std::string &headers : listHeaders())
    words.push_back(headers);
  std::vector<const char *> options;
  for (const std::string &word : words)
    options.push_back(word.c_str());
  Program program = nullptr;
  if (nvrtc.create(&program, text.c_str(), path.c_str(), 0, nullptr, nullptr))
    throw Error(Error::BadInput, path + ": NVRTC does not take it");
  int status =
      nvrtc.compile(program, static_cast<int>(options.size()), options.data());
  // Sizes include the terminating zero.
  auto get = [&](auto size, auto read) {
    size_t bytes = 0;
    size(program, &bytes);
    std::string result(bytes, '\0');
    if (bytes)
      read(program, result.data());
    result.resize(bytes ? bytes - 1 : 0);
    return result;
  };
  std::string ptx = get(nvrtc.ptxSize, nvrtc.ptx),
              log = get(nvrtc.logSize, nvrtc.log);
  nvrtc.destroy(&program);
  if (status)
    throw Error(Error::BadInput,
                fmt::format("{}: NVRTC does not compile it for {}:\n{}", path,
                            architecture, log));
  return ptx;
}

} // namespace

std::string
fusec::ptx::compileInProcess(const std::string &path,
                             const std::string &architecture,
                             const std::vector<std::string> &includes) {
  const Nvrtc *nvrtc = findNvrtc();
  const std::string number = architecture.substr(architecture.find('_') + 1);
  return nvrtc ? compileBy(*nvrtc, path, "compute_" + number, includes)
               : compileCuda(path, architecture, includes);
}

std::string fusec::ptx::describeCudaCompiler() {
  int major = 0, minor = 0;
  if (const Nvrtc *nvrtc = findNvrtc();
      nvrtc && !nvrtc->version(&major, &minor))
    return fmt::format("NVRTC {}.{}", major, minor);
  return findNvcc();
}
