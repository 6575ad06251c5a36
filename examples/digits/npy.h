// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reads NumPy's .npy files: version 1, little-endian, C order.
// Format: https://numpy.org/doc/stable/reference/generated/numpy.lib.format.html
#ifndef NPY_H
#define NPY_H

#include <cstdint>
#include <cstring>
#include <fstream>
#include <stdexcept>
#include <string>
#include <vector>

/// All elements of the file, flattened. `descr` is the type that it must have, as
/// "<f4". Throws std::runtime_error with the file's name where something is wrong.
template <typename T>
std::vector<T> readNpy(const std::string &path, const std::string &descr) {
  std::ifstream file(path, std::ios::binary);
  char prefix[10] = {};
  if (!file.read(prefix, sizeof(prefix)) || std::memcmp(prefix, "\x93NUMPY\x01", 7))
    throw std::runtime_error(path + ": not an .npy file of version 1");
  std::string header(static_cast<unsigned char>(prefix[8]) |
                         static_cast<unsigned char>(prefix[9]) << 8,
                     ' ');
  file.read(header.data(), static_cast<std::streamsize>(header.size()));
  if (header.find("'descr': '" + descr + "'") == std::string::npos ||
      header.find("'fortran_order': False") == std::string::npos)
    throw std::runtime_error(path + ": expected type " + descr +
                             " in C order, got " + header);
  std::streamoff begin = file.tellg();
  file.seekg(0, std::ios::end);
  std::vector<T> values(static_cast<size_t>(file.tellg() - begin) / sizeof(T));
  file.seekg(begin);
  if (!file.read(reinterpret_cast<char *>(values.data()),
                 static_cast<std::streamsize>(values.size() * sizeof(T))))
    throw std::runtime_error(path + ": shorter than its header says");
  return values;
}

#endif
