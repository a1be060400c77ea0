//===- Archive.cpp - The members of a .pt2 archive -*- C++ -*-===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "Archive.h"
#include "../Common/Checks.h"
#include "Types.h"
#include "fuse/Support/ZipFile.h"

#include "llvm/Support/Endian.h"
#include "llvm/Support/MathExtras.h"

#include <numeric>

using namespace mlir;
using namespace mlir::fuse;
using namespace mlir::fuse::torch;
namespace json = llvm::json;

Archive::~Archive() {
  if (archive)
    zip_discard(archive);
}

/// Reads a whole member into `to`, which has room for it, and lets libzip compare its checksum.
static llvm::Error readMember(zip_t *archive, StringRef name, uint64_t index, char *to, uint64_t size) {
  std::unique_ptr<zip_file_t, ZipFileCloser> member(zip_fopen_index(archive, index, 0));
  if (!member)
    return llvm::createStringError("cannot read " + quote(name) + ": " + zip_strerror(archive));
  for (uint64_t done = 0; done < size;) {
    zip_int64_t got = zip_fread(member.get(), to + done, std::min<uint64_t>(size - done, 1 << 30));
    if (got <= 0)
      return llvm::createStringError(
          "cannot read " + quote(name) + ": " +
          (got < 0 ? zip_file_strerror(member.get()) : "expected more bytes, found the end"));
    done += got;
  }
  char beyond;
  if (zip_fread(member.get(), &beyond, 1) != 0)
    return llvm::createStringError("cannot read " + quote(name) + ": " + zip_file_strerror(member.get()));
  return llvm::Error::success();
}

/// Walks over the headers that stand in front of members' bytes, which libzip keeps to itself. What cannot be followed
/// is left out; such members are read through libzip.
static llvm::StringMap<uint64_t> findOffsets(StringRef bytes, zip_t *archive) {
  llvm::StringMap<uint64_t> offsets;
  constexpr size_t kHeader = 30, kDescriptor = 24;
  auto read16 = [&](size_t at) { return llvm::support::endian::read16le(bytes.data() + at); };
  for (size_t at = 0; at + kHeader < bytes.size() && bytes.substr(at).starts_with("PK\3\4");) {
    size_t nameSize = read16(at + 26), begin = at + kHeader + nameSize + read16(at + 28);
    if (begin > bytes.size())
      break;
    StringRef name = bytes.substr(at + kHeader, nameSize);
    zip_stat_t status;
    constexpr zip_uint64_t wanted = ZIP_STAT_COMP_SIZE | ZIP_STAT_COMP_METHOD;
    if (zip_stat(archive, name.str().c_str(), 0, &status) != 0 || (status.valid & wanted) != wanted ||
        status.comp_size > bytes.size() - begin)
      break;
    if (status.comp_method == ZIP_CM_STORE)
      offsets[name] = begin;
    // Sizes may stand behind the bytes, in one of four forms.
    at = begin + status.comp_size;
    size_t next = bytes.substr(at).take_front(kDescriptor + 4).find("PK\3\4");
    at = next == StringRef::npos ? bytes.size() : at + next;
  }
  return offsets;
}

llvm::Expected<std::string> Archive::readText(const std::string &member) const {
  zip_stat_t status;
  if (zip_stat(archive, member.c_str(), 0, &status) != 0 || !(status.valid & ZIP_STAT_SIZE))
    return llvm::createStringError("expected the member " + quote(member) + ", found none");
  if (status.size / kGreatestZipRatio > file->getBytes().size())
    return llvm::createStringError("cannot read " + quote(member) + ": an archive of this size cannot hold as much");
  std::string text(status.size, '\0');
  if (llvm::Error error = readMember(archive, member, status.index, text.data(), text.size()))
    return std::move(error);
  return text;
}

llvm::Error Archive::readConfig(const std::string &folder, StringRef name) {
  std::string member = folder + name.str();
  if (zip_name_locate(archive, member.c_str(), 0) < 0)
    return llvm::Error::success(); // a program may have none of these
  auto text = readText(member);
  if (!text)
    return text.takeError();
  auto parsed = json::parse(*text);
  if (!parsed)
    return llvm::createStringError(quote(member) + ": " + llvm::toString(parsed.takeError()));
  const json::Object *root = parsed->getAsObject(), *config = root ? root->getObject("config") : nullptr;
  if (!config)
    return llvm::createStringError(quote(member) + ": expected an object 'config'");
  for (const auto &each : *config) {
    const json::Object *entry = each.second.getAsObject();
    std::optional<StringRef> path = entry ? entry->getString("path_name") : std::nullopt;
    if (!path)
      return llvm::createStringError(quote(member) + ": expected a 'path_name' for " + quote(StringRef(each.first)));
    tensors.try_emplace(each.first, Member{folder + path->str(), each.second});
  }
  return llvm::Error::success();
}

llvm::Expected<std::unique_ptr<Archive>> Archive::open(StringRef path) {
  auto file = MappedFile::open(path);
  if (!file)
    return file.takeError();
  std::unique_ptr<Archive> result(new Archive());
  result->file = *file;
  result->path = path.str();
  int code = 0;
  result->archive = zip_open(result->path.c_str(), ZIP_RDONLY, &code);
  if (!result->archive)
    return llvm::createStringError("expected an archive of torch.export.save: " + describeZipError(code));
  // NAME/models/NAME.json, of which there is one.
  std::string member;
  zip_int64_t count = zip_get_num_entries(result->archive, 0);
  for (zip_int64_t index = 0; index < count; ++index) {
    const char *raw = zip_get_name(result->archive, index, 0);
    StringRef name = raw ? StringRef(raw) : StringRef();
    auto [folder, rest] = name.split("models/");
    bool isModel = name.contains("models/") && folder.count('/') <= 1 && rest.ends_with(".json") && !rest.contains('/');
    if (isModel && !member.empty())
      return llvm::createStringError("expected one program in the archive, found " + quote(member) + " and " +
                                     quote(name));
    if (isModel)
      member = name.str();
  }
  if (member.empty())
    return llvm::createStringError("expected an archive of torch.export.save, found one without models/NAME.json");
  auto text = result->readText(member);
  if (!text)
    return text.takeError();
  result->program = std::move(*text);
  StringRef name = member;
  std::string root = name.take_front(name.find("models/")).str();
  StringRef model = name.drop_front(root.size() + strlen("models/")).drop_back(strlen(".json"));
  for (auto [folder, file] :
       {std::pair("data/weights/", "_weights_config.json"), {"data/constants/", "_constants_config.json"}})
    if (llvm::Error error = result->readConfig(root + folder, model.str() + file))
      return std::move(error);
  result->offsets = findOffsets(result->file->getBytes(), result->archive);
  return result;
}

/// Integers of a list of SymInts; none where one is computed.
static std::optional<SmallVector<int64_t>> readInts(const json::Array *list) {
  if (!list)
    return std::nullopt;
  SmallVector<int64_t> numbers;
  for (const json::Value &each : *list) {
    const json::Object *holder = each.getAsObject();
    std::optional<int64_t> number = holder ? holder->getInteger("as_int") : std::nullopt;
    if (!number || *number < 0)
      return std::nullopt;
    numbers.push_back(*number);
  }
  return numbers;
}

/// Elements that stand in `memory`, a list, `strides` apart.
static llvm::Expected<HostArray> copyStrided(const HostArray &memory, int64_t offset, ArrayRef<int64_t> shape,
                                             ArrayRef<int64_t> strides) {
  auto array = HostArray::create(memory.getElementType(), shape);
  if (!array)
    return array;
  unsigned each = getElementBytes(memory.getElementType());
  SmallVector<int64_t> at(shape.size(), 0);
  for (int64_t i = 0; i < array->getNumElements(); ++i) {
    int64_t place = offset;
    for (auto [index, stride] : llvm::zip(at, strides))
      place += index * stride;
    std::memcpy(array->getBytes() + i * each, memory.getBytes() + place * each, each);
    for (size_t dim = shape.size(); dim-- > 0;) {
      if (++at[dim] < shape[dim])
        break;
      at[dim] = 0;
    }
  }
  return array;
}

llvm::Expected<HostArray> Archive::readTensor(StringRef name) const {
  auto fail = [&](const Twine &text) { return llvm::createStringError(quote(name) + ": " + text); };
  auto it = tensors.find(name);
  if (it == tensors.end())
    return fail("the archive has no such weight");
  const json::Object *entry = it->second.entry.getAsObject();
  const json::Object *meta = entry->getObject("tensor_meta");
  if (entry->getBoolean("use_pickle").value_or(false) || !meta)
    return fail("expected a tensor, found an object that Python has pickled");
  std::optional<int64_t> type = meta->getInteger("dtype");
  std::optional<ElementType> element = type ? getElement(*type) : std::nullopt;
  if (!element)
    return fail("elements of type " + getScalarTypeName(type.value_or(0)) + " are not supported");
  std::optional<SmallVector<int64_t>> shape = readInts(meta->getArray("sizes")),
                                      strides = readInts(meta->getArray("strides"));
  const json::Object *first = meta->getObject("storage_offset");
  std::optional<int64_t> offset = first ? first->getInteger("as_int") : 0;
  if (!shape || !strides || strides->size() != shape->size() || !offset || *offset < 0)
    return fail("expected sizes, strides and an offset of at least 0");
  if (std::optional<std::string> problem = findShapeProblem(*element, *shape))
    return fail(*problem);
  if (ShapedType::getNumElements(*shape) == 0)
    return HostArray::create(*element, *shape);

  // The last element's place, and whether the elements are laid out row by row.
  int64_t last = *offset, row = 1;
  bool isContiguous = true, overflows = false;
  for (size_t dim = shape->size(); dim-- > 0; row *= (*shape)[dim]) {
    int64_t span;
    overflows |= llvm::MulOverflow((*shape)[dim] - 1, (*strides)[dim], span) || llvm::AddOverflow(last, span, last);
    isContiguous &= (*shape)[dim] == 1 || (*strides)[dim] == row;
  }
  const std::string &member = it->second.path;
  zip_stat_t status;
  if (zip_stat(archive, member.c_str(), 0, &status) != 0 || !(status.valid & ZIP_STAT_SIZE))
    return fail("expected the member " + quote(member) + ", found none");
  unsigned each = getElementBytes(*element);
  if (overflows || static_cast<uint64_t>(last) >= status.size / each)
    return fail("expected " + Twine(last) + " elements and one more in " + quote(member) + ", found " +
                Twine(status.size / each));
  auto stored = offsets.find(member);
  if (isContiguous && stored != offsets.end())
    return readArray(file, stored->second + *offset * each, *element, *shape);
  if (status.size / kGreatestZipRatio > file->getBytes().size())
    return fail("an archive of this size cannot hold as much");
  int64_t count = static_cast<int64_t>(status.size / each);
  auto memory = HostArray::createUninitialized(*element, {count});
  if (!memory)
    return memory.takeError();
  if (status.size % each != 0)
    return fail("expected whole elements in " + quote(member) + ", found " + Twine(status.size) + " bytes");
  if (llvm::Error error = readMember(archive, member, status.index, memory->getBytes(), status.size))
    return std::move(error);
  normalizeBooleans(*memory);
  if (isContiguous && *offset == 0 && count == ShapedType::getNumElements(*shape))
    return memory->reshaped(*shape);
  return copyStrided(*memory, *offset, *shape, *strides);
}
