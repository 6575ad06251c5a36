// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Segments of writers, and compaction.
#include "runtime/fast_run/Cache.h"
#include "runtime/fast_run/RecordText.h"

#include <cctype>
#include <cerrno>
#include <ctime>
#include <sys/utsname.h>
#include <unistd.h>
#include <utility>

namespace fusec::fast_run {

/// The name of this machine, of letters, digits and dots alone.
static std::string getHost() {
  utsname system = {};
  std::string host = ::uname(&system) ? "" : system.nodename;
  for (char &c : host)
    if (!std::isalnum(static_cast<unsigned char>(c)))
      c = '.';
  return host.empty() ? "host" : host;
}

/// A name for a new file: "<host>-<process>-<time>-<letters of its own>.frc".
static std::string nameSegment(const std::string &folder) {
  return folder + "/" + getHost() + "-" + std::to_string(::getpid()) + "-" +
         std::to_string(std::time(nullptr)) + "-" + makeUnique() + ".frc";
}

std::string Writer::probe() {
  // Not by a segment's name: others may be reading.
  const std::string file = nameSegment(folder) + ".probe";
  int code = files.makeFolder(folder);
  if (!code)
    code = files.create(file, std::string(kCacheHeader) + '\n');
  if (!code)
    code = files.remove(file);
  return code ? describe(code) : "";
}

std::string Writer::append(const Record &record) {
  const std::string line = print(record) + '\n';
  int code = segment.empty() ? ENOENT : files.append(segment, line);
  // The first line, or somebody took the segment for one of a writer that is
  // gone.
  if (code == ENOENT) {
    code = files.makeFolder(folder);
    segment = nameSegment(folder);
    if (!code)
      code = files.create(segment, std::string(kCacheHeader) + '\n' + line);
    if (code)
      segment.clear();
  }
  return code ? describe(code) : "";
}

void Writer::close() {
  // Without this line the segment stays until somebody compacts all of them.
  if (!segment.empty())
    files.append(std::exchange(segment, {}), printClosed() + '\n');
}

std::string compact(FileSystem &files, const std::string &folder,
                    Removed removed, Contents &contents,
                    const std::function<bool(const Record &)> &isWanted) {
  contents = read(files, folder);
  if (!contents.error.empty())
    return contents.error;
  const size_t dropped = isWanted ? contents.records.keepIf(isWanted) : 0;
  std::vector<std::string> old;
  for (const Segment &segment : contents.segments)
    if (segment.known && (segment.closed || removed == Removed::all))
      old.push_back(segment.file);
  if (old.empty() || (old.size() == 1 && dropped == 0))
    return "";
  const int code = files.write(nameSegment(folder), contents.records.print());
  if (code)
    return describe(code);
  // Somebody who compacts at the same time may have been quicker.
  for (const std::string &file : old)
    if (const int failed = files.remove(file); failed && failed != ENOENT)
      return "cannot remove " + file + ": " + describe(failed);
  return "";
}

} // namespace fusec::fast_run
