// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/fast_run/Cache.h"

#include "runtime/fast_run/RecordText.h"

#include <algorithm>
#include <cerrno>
#include <system_error>
#include <utility>

namespace fusec::fast_run {

std::string describe(int code) {
  return std::error_code(code, std::generic_category()).message();
}

// ------------------------------------------------------------------- records

static std::string getBackendText(const Backend &backend) {
  Record record;
  record.backend = backend;
  return print(record);
}

void Records::add(Record record) {
  Identity identity(record.kind, record.key, getBackendText(record.backend),
                    record.getKernel());
  const auto [place, isNew] = records.try_emplace(std::move(identity), record);
  if (isNew)
    return;
  const auto rank = [](const Record &one) {
    return std::make_pair(one.at, fast_run::print(one));
  };
  if (rank(place->second) < rank(record))
    place->second = std::move(record);
}

void Records::add(const Records &others) {
  for (const auto &[identity, record] : others.records)
    add(record);
}

std::vector<const Record *> Records::getAll() const {
  std::vector<const Record *> all;
  for (const auto &[identity, record] : records)
    all.push_back(&record);
  return all;
}

std::vector<const Record *> Records::find(RecordKind kind,
                                          const std::string &key) const {
  std::vector<const Record *> found;
  for (auto place = records.lower_bound(Identity(kind, key, "", ""));
       place != records.end() && place->second.kind == kind &&
       place->second.key == key;
       ++place)
    found.push_back(&place->second);
  const auto rank = [](const Record *one) {
    return std::make_pair(~one->at, fast_run::print(*one));
  };
  std::sort(found.begin(), found.end(), [&](const Record *a, const Record *b) {
    return rank(a) < rank(b);
  });
  return found;
}

void Records::dateAfterKnown(Record &record) const {
  for (const Record *known : find(record.kind, record.key))
    if (known->backend == record.backend)
      record.at = std::max(record.at, known->at + 1);
}

std::string Records::print() const {
  std::string text(kCacheHeader);
  text += '\n';
  for (const auto &[identity, record] : records)
    text += fast_run::print(record) + '\n';
  return text + printClosed() + '\n';
}

// ---------------------------------------------------------------------- read

/// Why the first line of a file is not that of this version.
static std::string explainHeader(std::string_view header) {
  const std::string_view name = kCacheHeader.substr(0, kCacheHeader.find(' '));
  if (header.substr(0, name.size()) != name)
    return "is no cache of fusec: its first line is not '" +
           std::string(kCacheHeader) + "'";
  return "is of another version of fusec, which may know what is in it";
}

void parseSegment(const std::string &text, const std::string &file,
                  Contents &contents) {
  std::string_view rest = text;
  Segment segment{file};
  for (uint64_t number = 1; !rest.empty(); ++number) {
    const size_t end = rest.find('\n');
    const std::string_view line = rest.substr(0, end);
    if (number == 1 && line != kCacheHeader) {
      contents.damages.push_back({file, 1, explainHeader(line)});
      break;
    }
    segment.known = true;
    if (end == rest.npos) {
      // Not committed: its writer was killed, or is at it.
      if (number > 1)
        contents.damages.push_back({file, number, "cut off"});
      break;
    }
    rest.remove_prefix(end + 1);
    if (number == 1)
      continue;
    Line parsed;
    if (std::string reason = parse(line, parsed); !reason.empty())
      contents.damages.push_back({file, number, std::move(reason)});
    else if (parsed.record)
      contents.records.add(std::move(*parsed.record));
    segment.closed = parsed.closed;
  }
  contents.segments.push_back(std::move(segment));
}

static bool isSegment(const std::string &name) {
  constexpr std::string_view extension = ".frc";
  return name.size() > extension.size() &&
         name.compare(name.size() - extension.size(), extension.size(),
                      extension) == 0;
}

/// Reads all segments of a folder; ENOENT where one went meanwhile.
static int readSegments(FileSystem &files, const std::string &folder,
                        Contents &contents) {
  std::vector<std::string> names;
  if (const int code = files.list(folder, names))
    return code;
  names.erase(std::remove_if(names.begin(), names.end(),
                             [](const std::string &name) {
                               return name == "." || name == "..";
                             }),
              names.end());
  // Of a cache there may be no more than what a writer tries first.
  if (!names.empty() &&
      std::all_of(names.begin(), names.end(), [](const std::string &name) {
        return name.find(".frc") == std::string::npos;
      }))
    contents.error = "is a folder of other files, and no cache";
  for (const std::string &name : names) {
    if (!isSegment(name))
      continue;
    const std::string file = folder + "/" + name;
    std::string text;
    const FileSystem::Kind kind = files.getKind(file);
    if (kind == FileSystem::Kind::folder || kind == FileSystem::Kind::other) {
      contents.damages.push_back({file, 0, "is no file that can be read"});
      continue;
    }
    const int code = files.read(file, text);
    if (code == ENOENT)
      return code;
    if (code)
      contents.damages.push_back({file, 0, describe(code)});
    else
      parseSegment(text, file, contents);
  }
  return 0;
}

/// Somebody may compact the folder meanwhile: what went is in a file that came,
/// so that the folder is read again.
static int readFolder(FileSystem &files, const std::string &folder,
                      Contents &contents) {
  constexpr int attempts = 100;
  int code = ENOENT;
  for (int attempt = 0; attempt < attempts && code == ENOENT; ++attempt) {
    contents = {};
    code = readSegments(files, folder, contents);
  }
  return code;
}

Contents read(FileSystem &files, const std::string &path, bool mayLack) {
  Contents contents;
  int code = 0;
  switch (files.getKind(path)) {
  case FileSystem::Kind::none:
    code = mayLack ? 0 : ENOENT;
    break;
  case FileSystem::Kind::folder:
    code = readFolder(files, path, contents);
    break;
  case FileSystem::Kind::file: {
    std::string text;
    code = files.read(path, text);
    if (code)
      break;
    parseSegment(text, path, contents);
    // Of a folder one file may be foreign; a path that names one file means it.
    if (!contents.segments.front().known)
      contents.error = explainHeader(text.substr(0, text.find('\n')));
    break;
  }
  case FileSystem::Kind::other:
    contents.error = "is neither a folder nor a file that can be read";
    break;
  }
  if (code)
    contents.error = describe(code);
  return contents;
}

} // namespace fusec::fast_run
