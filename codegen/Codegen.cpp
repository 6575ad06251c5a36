// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "codegen/Codegen.h"

#include "codegen/Emitters.h"
#include "codegen/Entries.h"
#include "codegen/FolderAside.h"
#include "codegen/Names.h"
#include "codegen/UserOperators.h"
#include "dialects/Nesting.h"
#include "dialects/TargetInfo.h"
#include "fusec/abi.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Process.h"

using namespace mlir;
namespace fs = llvm::sys::fs;
namespace path = llvm::sys::path;

namespace fusec::codegen {

static constexpr llvm::StringLiteral kMetadataFile = "model.json",
                                     kWeightsFile = "weights.bin";

static llvm::Error fail(std::error_code error, const llvm::Twine &what) {
  return llvm::createStringError(error, what + ": " + error.message());
}

/// The files that the model.json in `folder` says are ours.
static llvm::StringSet<> readManifest(StringRef folder) {
  llvm::StringSet<> files;
  SmallString<128> metadata(folder);
  path::append(metadata, kMetadataFile);
  if (!fs::is_regular_file(metadata))
    return files;
  auto buffer = llvm::MemoryBuffer::getFile(metadata, /*IsText=*/true);
  if (!buffer)
    return files;
  llvm::Expected<llvm::json::Value> json = parseJson((*buffer)->getBuffer());
  if (!json) {
    llvm::consumeError(json.takeError());
    return files;
  }
  const llvm::json::Object *object = json->getAsObject();
  if (!object || object->getString("emitted_by") != "fusec")
    return files;
  if (const llvm::json::Array *names = object->getArray("emitted_files"))
    for (const llvm::json::Value &name : *names)
      if (auto text = name.getAsString())
        files.insert(*text);
  return files;
}

/// Whether a folder can be made where `folder` is to lie, or in the first
/// folder above that is there.
static llvm::Error checkWritable(StringRef folder) {
  SmallString<128> place(folder);
  if (std::error_code error = fs::make_absolute(place))
    return fail(error, folder);
  path::remove_dots(place, /*remove_dot_dot=*/true);
  StringRef above = path::parent_path(place), missing = place;
  if (above.empty())
    return llvm::createStringError(
        folder + ": is the root of the file system, and fusec replaces its "
                 "output as a whole; name a folder in it");
  while (!fs::exists(above) && path::has_parent_path(above)) {
    missing = above;
    above = path::parent_path(above);
  }
  if (!fs::is_directory(above))
    return llvm::createStringError(folder + ": cannot be made: " + above +
                                   " is a file");
  if (std::error_code error = fs::access(above, fs::AccessMode::Write))
    return fail(error, folder + ": cannot be made in " + above);
  // Where modes allow it, the file system may not: /proc takes no folders.
  std::error_code error =
      llvm::errorToErrorCode(FolderAside::create(missing).takeError());
  if (!error)
    return llvm::Error::success();
  return llvm::createStringError(folder + ": cannot be made: " + above +
                                 " takes no new folder (" + error.message() +
                                 "); name a folder elsewhere");
}

/// Whether the current folder is `folder` or lies in it. A shell there would be
/// left in a folder that is gone.
static bool holdsCurrentFolder(StringRef folder) {
  SmallString<128> here, place;
  if (fs::real_path(".", here) || fs::real_path(folder, place))
    return false;
  return here == place || StringRef(here).starts_with((place + "/").str());
}

/// Whether the file begins as the sources do that fusec writes.
static bool isMarked(StringRef file) {
  auto buffer = llvm::MemoryBuffer::getFile(file);
  return buffer &&
         (*buffer)->getBuffer().split('\n').first.ltrim("/# ").starts_with(
             kEmittedBy);
}

/// Checks that all files in `folder` are its manifest's; without one (a build
/// system removes the outputs that it knows when it cleans, or when a rule has
/// changed) that they are marked, or the weights beside such files.
static llvm::Error checkFiles(StringRef folder) {
  llvm::StringSet<> ours = readManifest(folder);
  std::string stranger, weights;
  bool marked = false;
  std::error_code error;
  fs::recursive_directory_iterator entry(folder, error,
                                         /*follow_symlinks=*/false);
  for (; !error && stranger.empty() &&
         entry != fs::recursive_directory_iterator();
       entry.increment(error)) {
    if (entry->type() == fs::file_type::directory_file)
      continue;
    StringRef name(entry->path());
    name.consume_front(folder);
    name = name.ltrim('/');
    if (ours.contains(name))
      continue;
    if (ours.empty() && isMarked(entry->path()))
      marked = true;
    else if (ours.empty() && name == kWeightsFile)
      weights = name;
    else
      stranger = name;
  }
  if (error)
    return fail(error, folder);
  if (stranger.empty() && !marked)
    stranger = weights;
  if (!stranger.empty())
    return llvm::createStringError(
        folder + ": holds '" + stranger +
        "', which fusec did not write and would remove; name another folder, "
        "or move it away");
  return llvm::Error::success();
}

llvm::Error checkOutputFolder(StringRef folder) {
  if (llvm::Error error = checkWritable(folder))
    return error;
  if (!fs::exists(folder))
    return llvm::Error::success();
  if (holdsCurrentFolder(folder))
    return llvm::createStringError(
        folder +
        ": is the current folder, or holds it, and fusec replaces its "
        "output as a whole; name a folder in it, as in -o model, or run "
        "fusec from elsewhere");
  if (!fs::is_directory(folder))
    return llvm::createStringError(
        folder + ": is a file; name a folder that fusec may create");
  // Another process may exchange the folder between its manifest and its files.
  for (;;) {
    fs::UniqueID before, after;
    std::error_code error = fs::getUniqueID(folder, before);
    llvm::Error found = checkFiles(folder);
    if (!found || error || fs::getUniqueID(folder, after) || before == after)
      return found;
    llvm::consumeError(std::move(found));
  }
}

/// Makes a folder that the umask alone keeps from others.
static std::error_code createFolder(StringRef folder) {
  return fs::create_directories(folder, /*IgnoreExisting=*/true,
                                fs::perms::all_all);
}

static llvm::Error writeFile(StringRef name, StringRef text) {
  if (std::error_code error = createFolder(path::parent_path(name)))
    return fail(error, path::parent_path(name));
  std::error_code error;
  llvm::raw_fd_ostream out(name, error);
  if (error)
    return fail(error, name);
  out << text;
  out.close();
  if (!out.has_error())
    return llvm::Error::success();
  error = out.error();
  out.clear_error();
  return fail(error, name);
}

/// Whether the runtime's file `path` is only for platforms that none of
/// `targets` is for.
static bool isForOthers(StringRef path, ArrayRef<ModelInfo> targets) {
  auto hasPath = [&](const PlatformFiles &platform) {
    return platform.has(path);
  };
  return llvm::any_of(getPlatformFiles(), hasPath) &&
         llvm::none_of(targets, [&](const ModelInfo &model) {
           return hasPath(getPlatformFiles(*model.target->platform));
         });
}

/// The runtime's files that the model needs: of the library and of what calls
/// operators of users only what its calls and kernels include, and what that
/// includes; what links libraries of others where it calls them; what is a
/// platform's where its kernels are.
static std::vector<EmittedFile>
neededRuntime(llvm::ArrayRef<ModelInfo> targets) {
  const StringRef include = "include/";
  auto isOfLibrary = [](StringRef header) {
    return header.starts_with("fusec/library/") ||
           header.starts_with("fusec/cuda/library/") ||
           header.starts_with("fusec/op");
  };
  llvm::StringSet<> needed;
  SmallVector<StringRef> worklist;
  bool callsVendors = false;
  for (const ModelInfo &model : targets) {
    for (const CallInfo &call : model.calls)
      worklist.push_back(call.getHeader());
    // What the sources of operators of users include.
    if (!listOperatorUnits(model).empty())
      worklist.push_back("fusec/op.h");
    llvm::append_range(worklist, model.getDeviceHeaders());
    callsVendors |= !model.getVendors().empty();
  }
  while (!worklist.empty()) {
    StringRef header = worklist.pop_back_val();
    if (!isOfLibrary(header) || !needed.insert(header).second)
      continue;
    for (const EmittedFile &file : runtimeFiles()) {
      if (file.path != (include + header).str())
        continue;
      SmallVector<StringRef> parts;
      StringRef(file.text).split(parts, "#include \"");
      for (StringRef part : ArrayRef(parts).drop_front())
        worklist.push_back(part.split('"').first);
    }
  }
  std::vector<EmittedFile> files;
  for (const EmittedFile &file : runtimeFiles()) {
    if ((file.path == kVendorsFile && !callsVendors) ||
        (file.path == kOperatorsFile && listOperatorUnits(targets).empty()) ||
        isForOthers(file.path, targets))
      continue;
    StringRef header = file.path;
    if (!header.consume_front(include) || !isOfLibrary(header) ||
        needed.contains(header))
      files.push_back({"runtime/" + file.path, file.text});
  }
  return files;
}

/// What is a target's own: its host programs and their kernels.
static FailureOr<TargetFiles> emitTarget(MutableArrayRef<ModelInfo> entries,
                                         const EmitOptions &options) {
  TargetFiles result;
  ModelInfo model = joinKernels(entries);
  const PlatformFiles &platform = getPlatformFiles(*model.target->platform);
  FailureOr<std::vector<EmittedFile>> kernels =
      platform.emitKernels(model, platform, options);
  takeKernels(model, entries);
  FailureOr<std::string> host = emitHostProgram(entries);
  if (failed(kernels) || failed(host))
    return failure();
  result.files.push_back({model.identifier + ".cpp", *host});
  if (!model.groups.empty() || options.kernelFiles)
    result.files.push_back(
        {model.identifier + "_kernels.h", emitKernelsHeader(model)});
  for (EmittedFile &file : *kernels) {
    if (path::extension(file.path) ==
        path::extension(platform.sourceFileSuffix))
      result.kernels.push_back(file.path);
    result.files.push_back(std::move(file));
  }
  return result;
}

/// The files that are text, in the order in which they must be made: the
/// kernels know the lines that the metadata lists.
static llvm::Expected<std::vector<EmittedFile>>
emitTexts(MutableArrayRef<ModelInfo> targets, const EmitOptions &options) {
  std::vector<TargetFiles> sources;
  for (MutableArrayRef<ModelInfo> entries : splitByTarget(targets)) {
    FailureOr<TargetFiles> made = emitTarget(entries, options);
    if (failed(made))
      return llvm::createStringError("");
    sources.push_back(std::move(*made));
    sources.resize(sources.size() + entries.size() - 1);
  }
  std::vector<EmittedFile> files;
  files.push_back(
      {targets.front().identifier + ".h", emitModelHeader(targets, options)});
  for (const TargetFiles &target : sources)
    llvm::append_range(files, target.files);
  files.push_back(
      {"CMakeLists.txt", emitCMakeLists(targets, sources, options)});
  llvm::Expected<std::vector<EmittedFile>> operators =
      emitOperatorSources(targets);
  if (!operators)
    return operators.takeError();
  llvm::append_range(files, *operators);
  if (options.bundleRuntime)
    for (EmittedFile &file : neededRuntime(targets))
      files.push_back(std::move(file));
  std::vector<std::string> names{kMetadataFile.str()};
  if (targets.front().weightsBytes)
    names.push_back(kWeightsFile.str());
  for (const EmittedFile &file : files)
    names.push_back(file.path);
  llvm::sort(names);
  files.push_back({kMetadataFile.str(), emitMetadata(targets, sources, names)});
  return files;
}

static SmallString<128> inFolder(StringRef folder, StringRef name) {
  SmallString<128> place(folder);
  path::append(place, name);
  return place;
}

/// Writes all files into `folder`.
static llvm::Error writeFiles(ArrayRef<EmittedFile> files,
                              ArrayRef<ModelInfo> targets, StringRef folder) {
  for (const EmittedFile &file : files)
    if (llvm::Error error = writeFile(inFolder(folder, file.path), file.text))
      return error;
  if (!targets.front().weightsBytes)
    return llvm::Error::success();
  return writeWeights(targets, inFolder(folder, kWeightsFile));
}

/// Whether two files of weights are the same: their headers have a hash of what
/// follows.
static bool isSameWeights(StringRef file, StringRef other) {
  uint64_t bytes = 0, otherBytes = 0;
  if (fs::file_size(file, bytes) || fs::file_size(other, otherBytes) ||
      bytes != otherBytes)
    return false;
  constexpr uint64_t kHeader = sizeof(fusec_weights_header);
  auto header = llvm::MemoryBuffer::getFileSlice(file, kHeader, 0);
  auto otherHeader = llvm::MemoryBuffer::getFileSlice(other, kHeader, 0);
  return header && otherHeader &&
         (*header)->getBuffer() == (*otherHeader)->getBuffer();
}

static void takeTimeStamp(StringRef file, StringRef from) {
  fs::file_status status;
  int descriptor = -1;
  if (fs::status(from, status) ||
      fs::openFileForReadWrite(file, descriptor, fs::CD_OpenExisting,
                               fs::OF_None))
    return;
  (void)fs::setLastAccessAndModificationTime(descriptor,
                                             status.getLastAccessedTime(),
                                             status.getLastModificationTime());
  (void)llvm::sys::Process::SafelyCloseFileDescriptor(descriptor);
}

/// Gives each file in `folder` that says what it says in `before` the time
/// stamp that it has there: build systems then leave alone what is made of it.
/// Not the metadata, which is the file that they take for the whole folder.
static void keepTimeStamps(ArrayRef<EmittedFile> files, StringRef before,
                           StringRef folder) {
  for (const EmittedFile &file : files) {
    SmallString<128> place = inFolder(before, file.path);
    auto text = llvm::MemoryBuffer::getFile(place);
    if (file.path != kMetadataFile && text && (*text)->getBuffer() == file.text)
      takeTimeStamp(inFolder(folder, file.path), place);
  }
  SmallString<128> place = inFolder(before, kWeightsFile);
  SmallString<128> weights = inFolder(folder, kWeightsFile);
  if (isSameWeights(weights, place))
    takeTimeStamp(weights, place);
}

/// What the emitters see of all targets and entries.
static FailureOr<std::vector<ModelInfo>>
collectTargets(ArrayRef<ModuleOp> modules) {
  std::vector<ModelInfo> targets;
  for (ModuleOp module : modules) {
    FailureOr<ModelInfo> model = collectModel(module);
    if (failed(model))
      return failure();
    targets.push_back(std::move(*model));
  }
  nameEntries(targets);
  // One entry is a model of one shape.
  for (MutableArrayRef<ModelInfo> entries : splitByTarget(targets))
    if (entries.size() == 1)
      entries.front().extents.clear();
  shareWeights(targets);
  return targets;
}

llvm::Error emitModel(ArrayRef<ModuleOp> modules, const EmitOptions &options,
                      StringRef folder) {
  SmallString<128> place(folder);
  if (std::error_code error = fs::make_absolute(place))
    return fail(error, folder);
  path::remove_dots(place, /*remove_dot_dot=*/true);
  if (llvm::Error error = checkOutputFolder(place))
    return error;
  FailureOr<std::vector<ModelInfo>> targets = collectTargets(modules);
  if (failed(targets))
    return llvm::createStringError("");
  // Code reaches 2 GB in each direction.
  constexpr uint64_t kMostEmbedded = 1u << 30;
  if (uint64_t bytes = targets->front().weightsBytes;
      options.embedWeights && bytes > kMostEmbedded)
    return llvm::createStringError(
        "the model has " + llvm::Twine(bytes >> 20) +
        " MB of weights, and a program can hold 1024 MB at most: leave out "
        "--embed-weights (EMBED_WEIGHTS of fusec_add_model), and it maps the "
        "file");
  llvm::Expected<std::vector<EmittedFile>> files = emitTexts(*targets, options);
  if (!files)
    return files.takeError();

  if (std::error_code error = createFolder(path::parent_path(place)))
    return fail(error, path::parent_path(place));
  llvm::Expected<FolderAside> aside = FolderAside::create(place);
  if (!aside)
    return aside.takeError();
  if (llvm::Error error = writeFiles(*files, *targets, aside->path()))
    return error;
  keepTimeStamps(*files, place, aside->path());
  return aside->moveIntoPlace();
}

} // namespace fusec::codegen
