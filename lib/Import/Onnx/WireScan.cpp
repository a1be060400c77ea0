//===- WireScan.cpp - A model's message without the bytes of its tensors -*- C++ -*-===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "WireScan.h"
#include "llvm/ADT/Twine.h"
#include "llvm/Support/LEB128.h"

using namespace mlir;
using namespace mlir::fuse::onnx;

/// Smaller ones are cheaper to parse than to look up.
static constexpr uint64_t kLeastCut = 128;
static constexpr unsigned kMostDepth = 64;
/// No message of a valid model takes fewer bytes: the least of them, a tensor without elements, has
/// its own tag and length, an extent and a data type. So a file bounds how many messages it holds,
/// and what parsing them takes, without a bound on how large a model may be.
static constexpr uint64_t kLeastMessage = 6;

namespace {

/// The messages that a tensor may lie in, and the fields that lead there (onnx.proto).
enum class Message { Model, Graph, Node, Attribute, Function, SparseTensor, Tensor, Other };

Message getFieldMessage(Message message, uint64_t field) {
  switch (message) {
  case Message::Model:
    return field == 7 ? Message::Graph : field == 25 ? Message::Function : Message::Other;
  case Message::Graph:
    return field == 1    ? Message::Node
           : field == 5  ? Message::Tensor
           : field == 15 ? Message::SparseTensor
                         : Message::Other;
  case Message::Node:
    return field == 5 ? Message::Attribute : Message::Other;
  case Message::Attribute:
    return field == 5 || field == 10    ? Message::Tensor
           : field == 6 || field == 11  ? Message::Graph
           : field == 22 || field == 23 ? Message::SparseTensor
                                        : Message::Other;
  case Message::Function:
    return field == 7 ? Message::Node : field == 11 ? Message::Attribute : Message::Other;
  case Message::SparseTensor:
    return field == 1 || field == 2 ? Message::Tensor : Message::Other;
  default:
    return Message::Other;
  }
}

/// float_data, raw_data and double_data: their bytes are the elements' if they are packed.
bool holdsElements(uint64_t field) { return field == 4 || field == 9 || field == 10; }

class Scanner {
public:
  Scanner(StringRef bytes, Skeleton &skeleton) : bytes(bytes), skeleton(skeleton) {}

  llvm::Error scan(uint64_t begin, uint64_t end, Message message, unsigned depth,
                   std::string &out) {
    if (depth > kMostDepth)
      return fail(begin, "messages nest more than " + Twine(kMostDepth) + " deep");
    uint64_t at = begin;
    while (at < end) {
      uint64_t start = at, tag = 0;
      if (!readVarint(at, end, tag))
        return fail(start, "expected a field, found a damaged number");
      uint64_t field = tag >> 3;
      uint64_t size = 0;
      switch (tag & 7) {
      case 0: {
        uint64_t ignored;
        if (!readVarint(at, end, ignored))
          return fail(start, "expected a number, found its end missing");
        break;
      }
      case 1:
        size = 8;
        break;
      case 2:
        if (!readVarint(at, end, size))
          return fail(start, "expected a length, found a damaged number");
        break;
      case 5:
        size = 4;
        break;
      default:
        return fail(start, "expected a field, found the wire type " + Twine(tag & 7));
      }
      if (field == 0 || size > end - at)
        return fail(start, "field " + Twine(field) + " of " + Twine(size) +
                               " bytes goes beyond the " + Twine(end - at) + " that are left");
      uint64_t next = at + size;
      if (message == Message::Tensor && field == kCutField) {
        at = next; // nobody but the scanner says what was cut out
        continue;
      }
      if ((tag & 7) == 2 && message == Message::Tensor && holdsElements(field) &&
          size >= kLeastCut) {
        writeVarint(out, uint64_t(kCutField) << 3);
        writeVarint(out, skeleton.ranges.size());
        skeleton.ranges.push_back({at, size, static_cast<uint32_t>(field)});
      } else if (Message inner = getFieldMessage(message, field);
                 (tag & 7) == 2 && inner != Message::Other) {
        // Parsed messages take some hundred bytes each, empty ones too.
        // Those around it have their bytes further on, if any: their depth is bounded above.
        if (++count > bytes.size() / kLeastMessage + kMostDepth)
          return fail(start, "expected at least " + Twine(kLeastMessage) +
                                 " bytes for each message, found more than " + Twine(count - 1) +
                                 " messages");
        std::string content;
        if (llvm::Error error = scan(at, next, inner, depth + 1, content))
          return error;
        writeVarint(out, tag);
        writeVarint(out, content.size());
        out += content;
      } else {
        out.append(bytes.data() + start, next - start);
      }
      at = next;
    }
    return llvm::Error::success();
  }

private:
  static llvm::Error fail(uint64_t at, const Twine &text) {
    return llvm::createStringError("no ONNX model, or a damaged one: at byte " + Twine(at) + ": " +
                                   text);
  }

  bool readVarint(uint64_t &at, uint64_t end, uint64_t &value) const {
    auto *data = reinterpret_cast<const uint8_t *>(bytes.data());
    unsigned length = 0;
    const char *error = nullptr;
    value = llvm::decodeULEB128(data + at, &length, data + end, &error);
    at += length;
    return !error;
  }

  static void writeVarint(std::string &out, uint64_t value) {
    uint8_t buffer[10];
    out.append(reinterpret_cast<char *>(buffer), llvm::encodeULEB128(value, buffer));
  }

  StringRef bytes;
  Skeleton &skeleton;
  uint64_t count = 0; ///< of messages
};

} // namespace

llvm::Expected<Skeleton> mlir::fuse::onnx::scanModel(StringRef bytes) {
  Skeleton skeleton;
  if (llvm::Error error =
          Scanner(bytes, skeleton).scan(0, bytes.size(), Message::Model, 0, skeleton.message))
    return std::move(error);
  return skeleton;
}
