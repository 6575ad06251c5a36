// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/io/TensorFile.h"
#include "compiler/io/MappedFile.h"

#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <sys/stat.h>

namespace fs = std::filesystem;
using namespace fusec;
using namespace fusec::io;

namespace {

class TensorFile : public testing::Test {
protected:
  void SetUp() override {
    folder = fs::temp_directory_path() /
             ("fusec-tensor-" + std::to_string(::getpid()));
    fs::create_directory(folder);
  }
  void TearDown() override { fs::remove_all(folder); }
  std::string path(const char *name) { return (folder / name).string(); }
  void write(const char *name, const std::string &bytes) {
    std::ofstream(path(name), std::ios::binary) << bytes;
  }
  std::string errorOf(const char *name, const TensorSpec *spec = nullptr) {
    auto tensor = readTensor(path(name), spec);
    if (tensor)
      return "no error";
    return llvm::toString(tensor.takeError());
  }
  /// A .npy file of version 1 with this dictionary and data.
  static std::string npy(std::string header, const std::string &data) {
    header += '\n';
    std::string bytes("\x93NUMPY\x01\x00", 8);
    bytes += char(header.size() & 0xff);
    bytes += char(header.size() >> 8);
    return bytes + header + data;
  }
  fs::path folder;
};

TEST_F(TensorFile, RoundTripsEveryTypeInEveryFormat) {
  for (const ElementTypeInfo &info : allElementTypes())
    for (const char *name : {"t.npy", "t.pb", "t.raw"}) {
      Tensor tensor = Tensor::zeros(info.type, {2, 3, 1});
      for (size_t i = 0; i < tensor.bytes.size(); ++i)
        tensor.bytes[i] = char(info.type == ElementType::Bool ? i % 2 : i * 37);
      if (info.packedBits) // What such elements can be.
        tensor.bytes = unpack(info.type, pack(info.type, tensor.bytes), 6);
      ASSERT_FALSE(bool(writeTensor(path(name), tensor)));
      TensorSpec spec{tensor.type, tensor.shape};
      if (info.npy == "V1" && tensorFormatOf(name) == TensorFormat::Npy) {
        // NumPy has no name for the type.
        auto unspecified = readTensor(path(name));
        EXPECT_NE(llvm::toString(unspecified.takeError()).find("'|V1'"),
                  std::string::npos);
      }
      auto read = readTensor(path(name), &spec);
      ASSERT_TRUE(bool(read)) << llvm::toString(read.takeError());
      EXPECT_EQ(read->type, tensor.type);
      EXPECT_EQ(read->shape, tensor.shape);
      EXPECT_EQ(read->bytes, tensor.bytes) << info.name.str() << " " << name;
    }
  // Nothing is left of the files that were written aside.
  EXPECT_EQ(std::distance(fs::directory_iterator(folder), {}), 3);
}

TEST_F(TensorFile, PacksElementsOfFewerBitsThanAByte) {
  const Bytes elements = {-8, 7, -1, 1, 0};
  const Bytes packed = pack(ElementType::I4, elements);
  EXPECT_EQ(packed, (Bytes{char(0x78), char(0x1f), char(0)}));
  EXPECT_EQ(unpack(ElementType::I4, packed, 5), elements);
  EXPECT_EQ(unpack(ElementType::U4, packed, 2), (Bytes{8, 7}));
  EXPECT_EQ(unpack(ElementType::I2, {char(0xe4)}, 4),
            (Bytes{0, 1, -2, -1}));
  EXPECT_EQ(fileSize(ElementType::U2, {5}), 2);
  const Bytes codes = {1, 2, 4, 8, 0x2b}; // four to three bytes
  const Bytes bits = pack(ElementType::F6E2M3FN, codes);
  EXPECT_EQ(bits, (Bytes{char(0x81), 0x40, 0x20, 0x2b}));
  EXPECT_EQ(unpack(ElementType::F6E2M3FN, bits, 5), codes);
  EXPECT_EQ(fileSize(ElementType::F6E2M3FN, {5}), 4);
  EXPECT_EQ(fileSize(ElementType::F6E2M3FN, {8}), 6);
}

TEST_F(TensorFile, ReadsScalarsAndEmptyTensors) {
  for (std::vector<int64_t> shape : {std::vector<int64_t>{}, {0, 4}}) {
    for (const char *name : {"t.npy", "t.pb"}) {
      Tensor tensor = Tensor::zeros(ElementType::I64, shape);
      ASSERT_FALSE(bool(writeTensor(path(name), tensor)));
      auto read = readTensor(path(name));
      ASSERT_TRUE(bool(read)) << llvm::toString(read.takeError());
      EXPECT_EQ(read->shape, shape);
    }
  }
}

TEST_F(TensorFile, TakesSmallTypesThatNumPyLacksFromTheInput) {
  write("t.npy", npy("{'descr': '<f1', 'fortran_order': False, "
                     "'shape': (2,), }",
                     "ab"));
  TensorSpec small{ElementType::F8E5M2, {2}}, wide{ElementType::F32, {2}};
  auto read = readTensor(path("t.npy"), &small);
  ASSERT_TRUE(bool(read)) << llvm::toString(read.takeError());
  EXPECT_EQ(read->type, ElementType::F8E5M2);
  EXPECT_EQ(std::string(read->bytes.begin(), read->bytes.end()), "ab");
  EXPECT_NE(errorOf("t.npy", &wide).find("'<f1'"), std::string::npos);
}

TEST_F(TensorFile, TurnsFortranOrderIntoCOrder) {
  write("t.npy", npy("{'descr': '|u1', 'fortran_order': True, "
                     "'shape': (2, 3), }",
                     "adbecf"));
  auto read = readTensor(path("t.npy"));
  ASSERT_TRUE(bool(read)) << llvm::toString(read.takeError());
  EXPECT_EQ(std::string(read->bytes.begin(), read->bytes.end()), "abcdef");
}

TEST_F(TensorFile, NeedsAnOrder) {
  for (const char *order : {"", "'fortran_order': 1, ", "'fortran_order': "}) {
    write("t.npy", npy("{'descr': '|u1', " + std::string(order) +
                       "'shape': (2, 3), }",
                       "adbecf"));
    EXPECT_NE(errorOf("t.npy").find("fortran_order"), std::string::npos);
  }
}

TEST_F(TensorFile, DoesNotWaitForPipes) {
  ASSERT_EQ(::mkfifo(path("t.npy").c_str(), 0600), 0);
  EXPECT_NE(errorOf("t.npy").find("is not a regular file"), std::string::npos);
}

TEST_F(TensorFile, SaysWhatIsWrong) {
  auto expectError = [&](const char *name, const char *part,
                         const TensorSpec *spec = nullptr) {
    std::string error = errorOf(name, spec);
    EXPECT_NE(error.find(part), std::string::npos) << error;
    EXPECT_NE(error.find(path(name)), std::string::npos) << error;
  };
  expectError("missing.npy", "cannot open");
  write("t.npy", "hello");
  expectError("t.npy", "is not a .npy file");
  write("t.npy", std::string("\x93NUMPY\x01\x00\xff\xff{", 11));
  expectError("t.npy", "ends inside the .npy header");
  write("t.npy", npy("{'descr': '>f4', 'fortran_order': False, "
                     "'shape': (1,), }",
                     "abcd"));
  expectError("t.npy", "element type '>f4', which is not supported");
  write("t.npy", npy("{'descr': '<f4', 'fortran_order': False, "
                     "'shape': (2,), }",
                     "abcd"));
  expectError("t.npy", "has 4 bytes of data where its type f32[2] needs 8");
  write("t.npy", npy("{'descr': '<f4', 'fortran_order': False, "
                     "'shape': (99999999999,99999999999), }",
                     ""));
  expectError("t.npy", "has 0 bytes of data");
  write("t.npy", npy("{'descr': '<f4', 'shape': (-1,), }", ""));
  expectError("t.npy", "has no readable shape");
  write("t.pb", "\xff\xff\xff");
  expectError("t.pb", "is not a serialized ONNX TensorProto");
  write("t.bin", "abc");
  expectError("t.bin", "has no element type and shape of its own");
  TensorSpec spec{ElementType::F32, {1, 2}};
  expectError("t.bin", "has 3 bytes where f32[1x2] needs 8", &spec);
  ASSERT_FALSE(
      bool(writeTensor(path("u.npy"), Tensor::zeros(ElementType::I8, {1, 2}))));
  expectError("u.npy", "is i8[1x2], expected f32[1x2]", &spec);
}

TEST_F(TensorFile, RefusesUnwritableFolders) {
  std::string target = path("no/such/folder/t.npy");
  std::string error =
      llvm::toString(writeTensor(target, Tensor::zeros(ElementType::F32, {1})));
  EXPECT_NE(error.find(target + ": cannot write"), std::string::npos) << error;
}

} // namespace
