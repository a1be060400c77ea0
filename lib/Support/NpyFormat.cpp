//===- NpyFormat.cpp - The header of an .npy file -------------------------------------------===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "NpyFormat.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Endian.h"
#include "llvm/Support/FileSystem.h"

#include <algorithm>
#include <cstring>

using namespace mlir;
using namespace mlir::fuse;
using llvm::Twine;

/// NumPy itself reads no header beyond 10 000 bytes unless told to.
static constexpr uint64_t greatestHeader = 1 << 20;
static constexpr size_t greatestRank = 64;

llvm::Error npy::makeError(llvm::StringRef name, const Twine &message) {
  return llvm::createStringError("'" + name + "': " + message);
}

llvm::Expected<npy::Extent> npy::locateHeader(llvm::StringRef start, uint64_t size,
                                              llvm::StringRef name) {
  constexpr llvm::StringLiteral magic("\x93NUMPY");
  if (!start.starts_with(magic))
    return makeError(name, "expected the .npy magic \\x93NUMPY, found " +
                               (start.empty() ? "an empty file"
                                              : "the bytes " + llvm::toHex(start.take_front(6))));
  if (start.size() < 10)
    return makeError(name, "expected an .npy header, found only " + Twine(size) + " bytes");
  unsigned major = static_cast<uint8_t>(start[6]);
  if (major < 1 || major > 3)
    return makeError(name, "expected .npy version 1, 2 or 3, found " + Twine(major));
  size_t begin = major == 1 ? 10 : 12;
  if (start.size() < begin)
    return makeError(name, "expected an .npy header, found only " + Twine(size) + " bytes");
  uint64_t length = major == 1 ? llvm::support::endian::read16le(start.data() + 8)
                               : llvm::support::endian::read32le(start.data() + 8);
  if (length > greatestHeader)
    return makeError(name, "expected an .npy header of at most " + Twine(greatestHeader) +
                               " bytes, found " + Twine(length));
  if (begin + length > size)
    return makeError(name, "expected " + Twine(begin + length) + " bytes of .npy header, found " +
                               Twine(size));
  return Extent{begin, static_cast<size_t>(begin + length)};
}

//===- The dictionary ------------------------------------------------------------------------===//

namespace {
/// Parses the one shape of Python literal that occurs:
///   {'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }
class HeaderParser {
public:
  HeaderParser(llvm::StringRef text, llvm::StringRef name) : text(text), rest(text), name(name) {}

  llvm::Expected<npy::Header> parse();

private:
  llvm::Error expected(const Twine &what) {
    std::string found = rest.empty() ? "the end" : "'" + rest.take_front(16).str() + "'";
    std::string printable;
    llvm::raw_string_ostream stream(printable);
    llvm::printEscapedString(found, stream);
    return npy::makeError(name, "malformed .npy header: expected " + what + " at byte " +
                                    Twine(text.size() - rest.size()) + ", found " + printable);
  }
  bool consume(llvm::StringRef token) {
    rest = rest.ltrim(" \t\n");
    return rest.consume_front(token);
  }
  bool parseString(llvm::StringRef &value);
  llvm::Error parseShape(llvm::SmallVectorImpl<int64_t> &shape);
  llvm::Error parseType(llvm::StringRef descr, npy::Header &header);

  llvm::StringRef text, rest, name;
};
} // namespace

bool HeaderParser::parseString(llvm::StringRef &value) {
  rest = rest.ltrim(" \t\n");
  if (rest.empty() || (rest[0] != '\'' && rest[0] != '"'))
    return false;
  size_t end = rest.find(rest[0], 1);
  if (end == llvm::StringRef::npos)
    return false;
  value = rest.slice(1, end);
  rest = rest.drop_front(end + 1);
  return true;
}

llvm::Error HeaderParser::parseShape(llvm::SmallVectorImpl<int64_t> &shape) {
  if (!consume("("))
    return expected("a tuple of sizes");
  while (!consume(")")) {
    int64_t size;
    rest = rest.ltrim(" \t\n");
    if (rest.starts_with("-"))
      return expected("a size that is not negative");
    if (rest.consumeInteger(10, size))
      return expected("a size below 2^63");
    rest.consume_front("L"); // Python 2 wrote long integers so
    shape.push_back(size);
    if (shape.size() > greatestRank)
      return npy::makeError(name, "expected at most " + Twine(greatestRank) + " dimensions");
    if (consume(","))
      continue;
    if (!consume(")"))
      return expected("',' or ')' in the tuple of sizes");
    break;
  }
  return llvm::Error::success();
}

/// NumPy's code without its byte order.
static llvm::StringRef getCode(ElementType type) {
  static constexpr llvm::StringLiteral codes[numElementTypes] = {
      "f2", "V2", "f4", "f8", "b1", "i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8"};
  return codes[static_cast<unsigned>(type)];
}

llvm::Error HeaderParser::parseType(llvm::StringRef descr, npy::Header &header) {
  constexpr bool littleHost = llvm::endianness::native == llvm::endianness::little;
  if (!descr.empty() && llvm::StringRef("<>|=").contains(descr[0]))
    for (ElementType type : getElementTypes())
      if (getCode(type) == descr.drop_front()) {
        header.type = type;
        header.swapped = descr[0] == (littleHost ? '>' : '<');
        return llvm::Error::success();
      }
  std::string printable;
  llvm::raw_string_ostream stream(printable);
  llvm::printEscapedString(descr.take_front(32), stream);
  return npy::makeError(name, "expected one of the types f2, f4, f8, b1, i1, i2, i4, i8, u1, u2, "
                              "u4, u8 or V2 (bf16), found '" +
                                  printable + "'");
}

llvm::Expected<npy::Header> HeaderParser::parse() {
  npy::Header header;
  bool hasType = false, hasOrder = false, hasShape = false;
  if (!consume("{"))
    return expected("'{'");
  while (!consume("}")) {
    llvm::StringRef key;
    if (!parseString(key))
      return expected("a key in quotes");
    if (!consume(":"))
      return expected("':'");
    bool *seen = key == "descr"           ? &hasType
                 : key == "fortran_order" ? &hasOrder
                 : key == "shape"         ? &hasShape
                                          : nullptr;
    if (!seen || *seen)
      return expected("the keys descr, fortran_order and shape, once each, before this");
    *seen = true;
    if (key == "descr") {
      llvm::StringRef descr;
      if (consume("["))
        return npy::makeError(name, "expected one element type, found a structured type");
      if (!parseString(descr))
        return expected("a type in quotes");
      if (llvm::Error error = parseType(descr, header))
        return std::move(error);
    } else if (key == "fortran_order") {
      header.fortranOrder = consume("True");
      if (!header.fortranOrder && !consume("False"))
        return expected("True or False");
    } else if (llvm::Error error = parseShape(header.shape)) {
      return std::move(error);
    }
    if (consume(","))
      continue;
    if (!consume("}"))
      return expected("',' or '}'");
    break;
  }
  if (!hasType || !hasOrder || !hasShape)
    return npy::makeError(name, "malformed .npy header: the key '" +
                                    Twine(!hasType    ? "descr"
                                          : !hasOrder ? "fortran_order"
                                                      : "shape") +
                                    "' is missing");
  rest = rest.ltrim(' ');
  if (rest != "\n")
    return expected("spaces and a newline after the dictionary");
  return header;
}

llvm::Expected<npy::Header> npy::parseHeader(llvm::StringRef text, llvm::StringRef name) {
  return HeaderParser(text, name).parse();
}

//===- Data ----------------------------------------------------------------------------------===//

llvm::Expected<HostArray> npy::allocate(const Header &header, uint64_t available,
                                        llvm::StringRef name) {
  std::optional<int64_t> size = HostArray::computeByteSize(header.type, header.shape);
  std::string what = getElementTypeName(header.type).str();
  for (int64_t dim : llvm::reverse(header.shape))
    what = std::to_string(dim) + "x" + what;
  if (!size)
    return makeError(name, "the array " + what + " is larger than any address space");
  if (static_cast<uint64_t>(*size) != available)
    return makeError(name, "expected " + Twine(*size) + " bytes of data for " + what + ", found " +
                               Twine(available));
  llvm::SmallVector<int64_t> shape = header.shape;
  if (header.fortranOrder)
    std::reverse(shape.begin(), shape.end());
  llvm::Expected<HostArray> array = HostArray::create(header.type, shape);
  if (!array)
    return makeError(name, llvm::toString(array.takeError()));
  return array;
}

/// Row-major with all dimensions in reverse order.
template <typename T>
static void transpose(const HostArray &from, HostArray &to) {
  int64_t rank = to.getRank();
  llvm::SmallVector<int64_t> strides = from.getStrides();
  std::reverse(strides.begin(), strides.end());
  llvm::SmallVector<int64_t> index(rank, 0);
  llvm::ArrayRef<T> in = from.data<T>();
  int64_t offset = 0;
  for (T &value : to.data<T>()) {
    value = in[offset];
    for (int64_t dim = rank - 1; dim >= 0; --dim) {
      offset += strides[dim];
      if (++index[dim] < to.getShape()[dim])
        break;
      offset -= strides[dim] * index[dim];
      index[dim] = 0;
    }
  }
}

HostArray npy::finish(const Header &header, HostArray raw) {
  size_t size = getElementBytes(header.type);
  if (header.swapped && size > 1)
    for (char *at = raw.getBytes(), *end = at + raw.getByteSize(); at != end; at += size)
      std::reverse(at, at + size);
  if (header.type == ElementType::I1)
    for (uint8_t &value : raw.data<uint8_t>())
      value = value != 0;
  if (!header.fortranOrder)
    return raw;
  HostArray result(header.type, header.shape);
  switch (size) {
  case 1:
    transpose<uint8_t>(raw, result);
    break;
  case 2:
    transpose<uint16_t>(raw, result);
    break;
  case 4:
    transpose<uint32_t>(raw, result);
    break;
  default:
    transpose<uint64_t>(raw, result);
    break;
  }
  return result;
}

std::string npy::makeHeader(const HostArray &array) {
  ElementType type = array.getElementType();
  bool raw = getElementBytes(type) == 1 || type == ElementType::BF16;
  std::string dictionary = std::string("{'descr': '") + (raw ? "|" : "<") + getCode(type).str() +
                           "', 'fortran_order': False, 'shape': (";
  for (int64_t size : array.getShape())
    dictionary += std::to_string(size) + ",";
  dictionary += "), }";
  // The data begin at a multiple of 64, after a newline.
  constexpr size_t preamble = 10;
  size_t end = llvm::alignTo(preamble + dictionary.size() + 1, 64);
  dictionary.append(end - preamble - dictionary.size() - 1, ' ');
  dictionary += '\n';
  char length[2];
  llvm::support::endian::write16le(length, static_cast<uint16_t>(dictionary.size()));
  return std::string("\x93NUMPY\x01\x00", 8) + std::string(length, 2) + dictionary;
}

llvm::Error npy::checkWritable(llvm::StringRef path) {
  llvm::sys::fs::file_status status;
  if (!llvm::sys::fs::status(path, status) && !llvm::sys::fs::is_regular_file(status))
    return makeError(path, "cannot write: expected a regular file, found another kind of file");
  return llvm::Error::success();
}
