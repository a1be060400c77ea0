//===- Npz.cpp - Named arrays in .npz archives ----------------------------------------------===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "fuse/Support/Npz.h"
#include "NpyFormat.h"
#include "fuse/Support/ZipFile.h"

#include "llvm/ADT/ScopeExit.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/raw_ostream.h"

#include <algorithm>

using namespace mlir;
using namespace mlir::fuse;
using llvm::Twine;

namespace {
struct ArchiveDiscarder {
  void operator()(zip_t *archive) const { zip_discard(archive); }
};
using Archive = std::unique_ptr<zip_t, ArchiveDiscarder>;
} // namespace

/// Reads exactly `size` bytes.
static llvm::Error readBytes(zip_file_t *file, char *to, uint64_t size, llvm::StringRef name) {
  while (size != 0) {
    zip_int64_t got = zip_fread(file, to, std::min<uint64_t>(size, 1 << 30));
    if (got < 0)
      return npy::makeError(name, Twine("cannot read: ") + zip_file_strerror(file));
    if (got == 0)
      return npy::makeError(name, "expected " + Twine(size) + " bytes more, found the end");
    to += got;
    size -= got;
  }
  return llvm::Error::success();
}

/// `name` is that of the archive and the member, for errors.
static llvm::Expected<HostArray> readMember(zip_t *archive, uint64_t index, uint64_t size,
                                            llvm::StringRef name) {
  std::unique_ptr<zip_file_t, ZipFileCloser> file(zip_fopen_index(archive, index, 0));
  if (!file)
    return npy::makeError(name, Twine("cannot read: ") + zip_strerror(archive));
  std::string start(std::min<uint64_t>(size, npy::preambleSize), '\0');
  if (llvm::Error error = readBytes(file.get(), start.data(), start.size(), name))
    return std::move(error);
  llvm::Expected<npy::Extent> extent = npy::locateHeader(start, size, name);
  if (!extent)
    return extent.takeError();
  // A version 1 header of no text at all would end inside the preamble; no valid one does.
  if (extent->end < start.size())
    return npy::makeError(name, "malformed .npy header: expected a dictionary, found nothing");
  size_t known = start.size();
  start.resize(extent->end);
  if (llvm::Error error = readBytes(file.get(), start.data() + known, start.size() - known, name))
    return std::move(error);
  llvm::Expected<npy::Header> header =
      npy::parseHeader(llvm::StringRef(start).substr(extent->begin), name);
  if (!header)
    return header.takeError();
  llvm::Expected<HostArray> array = npy::allocate(*header, size - extent->end, name);
  if (!array)
    return array;
  if (llvm::Error error = readBytes(file.get(), array->getBytes(), array->getByteSize(), name))
    return std::move(error);
  // The checksum is compared where the end is met.
  char beyond;
  zip_int64_t more = zip_fread(file.get(), &beyond, 1);
  if (more != 0)
    return npy::makeError(name, more < 0 ? Twine("cannot read: ") + zip_file_strerror(file.get())
                                         : Twine("expected the end, found more data"));
  return npy::finish(*header, std::move(*array));
}

//===- Archives -----------------------------------------------------------------------------===//

struct NpzArchive::Members {
  std::string path;
  Archive archive;
  std::vector<std::string> names;
  struct Member {
    uint64_t index, size;
    HostArray array; ///< none before it is read
  };
  llvm::StringMap<Member> byName;
};

NpzArchive::NpzArchive(std::unique_ptr<Members> members) : members(std::move(members)) {}
NpzArchive::~NpzArchive() = default;
NpzArchive::NpzArchive(NpzArchive &&other) noexcept = default;
NpzArchive &NpzArchive::operator=(NpzArchive &&other) noexcept = default;

llvm::StringRef NpzArchive::getPath() const { return members->path; }
llvm::ArrayRef<std::string> NpzArchive::getNames() const { return members->names; }

static std::string describeMember(llvm::StringRef path, llvm::StringRef name) {
  return (path + "(" + name + ")").str();
}

llvm::Expected<NpzArchive> NpzArchive::open(llvm::StringRef path) {
  llvm::sys::fs::file_status status;
  if (std::error_code error = llvm::sys::fs::status(path, status))
    return npy::makeError(path, "cannot read: " + error.message());
  if (!llvm::sys::fs::is_regular_file(status))
    return npy::makeError(path, "cannot read: expected a regular file");
  int code = 0;
  Archive archive(zip_open(path.str().c_str(), ZIP_RDONLY, &code));
  if (!archive)
    return npy::makeError(path, "expected a zip archive: " + describeZipError(code));

  // Members may overlap in a hostile archive; in an honest one their sum is bounded too.
  uint64_t budget = status.getSize() * kGreatestZipRatio;
  auto members = std::make_unique<Members>();
  members->path = path.str();
  zip_int64_t count = zip_get_num_entries(archive.get(), 0);
  for (zip_int64_t index = 0; index < count; ++index) {
    zip_stat_t member;
    constexpr zip_uint64_t wanted = ZIP_STAT_NAME | ZIP_STAT_SIZE;
    if (zip_stat_index(archive.get(), index, 0, &member) != 0 || (member.valid & wanted) != wanted)
      return npy::makeError(path, "cannot read member " + Twine(index) + ": " +
                                      zip_strerror(archive.get()));
    llvm::StringRef name = member.name;
    if (!name.consume_back(".npy"))
      return npy::makeError(path, "expected members named *.npy, found '" + name + "'");
    Members::Member entry{static_cast<uint64_t>(index), member.size, {}};
    if (!members->byName.try_emplace(name, std::move(entry)).second)
      return npy::makeError(path, "expected distinct names, found two members '" + name + "'");
    if (member.size > budget)
      return npy::makeError(describeMember(path, name),
                            "expected at most " + Twine(budget) +
                                " bytes from an archive of this size, found a claim of " +
                                Twine(member.size));
    budget -= member.size;
    members->names.push_back(name.str());
  }
  members->archive = std::move(archive);
  return NpzArchive(std::move(members));
}

llvm::Expected<HostArray> NpzArchive::read(llvm::StringRef name) const {
  auto it = members->byName.find(name);
  if (it == members->byName.end())
    return npy::makeError(members->path, "expected a member '" + name + "', found none");
  Members::Member &member = it->second;
  if (!member.array) {
    llvm::Expected<HostArray> array = readMember(members->archive.get(), member.index, member.size,
                                                 describeMember(members->path, name));
    if (!array)
      return array;
    member.array = std::move(*array);
  }
  return member.array;
}

llvm::Expected<std::vector<NamedArray>> mlir::fuse::readNpz(llvm::StringRef path) {
  llvm::Expected<NpzArchive> archive = NpzArchive::open(path);
  if (!archive)
    return archive.takeError();
  std::vector<NamedArray> arrays;
  for (const std::string &name : archive->getNames()) {
    llvm::Expected<HostArray> array = archive->read(name);
    if (!array)
      return array.takeError();
    arrays.push_back({name, std::move(*array)});
  }
  return arrays;
}

/// Adds the members; libzip reads their bytes when the archive is closed, so `headers` outlives it.
static llvm::Error addMembers(zip_t *archive, llvm::ArrayRef<NamedArray> arrays,
                              std::vector<std::string> &headers, llvm::StringRef path) {
  headers.reserve(arrays.size());
  for (const NamedArray &named : arrays) {
    headers.push_back(npy::makeHeader(named.array));
    std::string &header = headers.back();
    zip_buffer_fragment_t parts[2];
    parts[0].data = reinterpret_cast<zip_uint8_t *>(header.data());
    parts[0].length = header.size();
    parts[1].data = reinterpret_cast<zip_uint8_t *>(const_cast<char *>(named.array.getBytes()));
    parts[1].length = named.array.getByteSize();
    zip_source_t *source =
        zip_source_buffer_fragment(archive, parts, parts[1].length ? 2 : 1, /*freep=*/0);
    zip_int64_t index =
        source ? zip_file_add(archive, (named.name + ".npy").c_str(), source, ZIP_FL_ENC_UTF_8)
               : -1;
    if (index < 0) {
      if (source)
        zip_source_free(source);
      return npy::makeError(path, "cannot write '" + named.name + "': " + zip_strerror(archive));
    }
    zip_set_file_compression(archive, index, ZIP_CM_STORE, 0);
    // A fixed time: equal arrays make equal files. 1980 is the earliest the format knows.
    zip_file_set_dostime(archive, index, 0, (1 << 5) | 1, 0);
  }
  return llvm::Error::success();
}

/// Moves the finished temporary file to its place.
static llvm::Error keep(llvm::sys::fs::TempFile &file, llvm::StringRef path) {
  if (llvm::Error error = file.keep(path))
    return npy::makeError(path, "cannot write: " + llvm::toString(std::move(error)));
  return llvm::Error::success();
}

llvm::Error mlir::fuse::writeNpz(llvm::StringRef path, llvm::ArrayRef<NamedArray> arrays) {
  llvm::StringSet<> names;
  for (const NamedArray &named : arrays) {
    if (!names.insert(named.name).second)
      return npy::makeError(path, "expected distinct names, found two arrays '" + named.name + "'");
    if (!named.array)
      return npy::makeError(path, "expected an array, found none for '" + named.name + "'");
  }
  if (llvm::Error error = npy::checkWritable(path))
    return error;
  llvm::Expected<llvm::sys::fs::TempFile> file =
      llvm::sys::fs::TempFile::create(path + ".tmp-%%%%%%%%");
  if (!file)
    return npy::makeError(path, "cannot write: " + llvm::toString(file.takeError()));
  llvm::scope_exit discard([&] { llvm::consumeError(file->discard()); });

  if (arrays.empty()) {
    // libzip deletes an archive without members; the format allows one: the bare end record.
    constexpr char magic[] = {'P', 'K', 5, 6};
    llvm::raw_fd_ostream stream(file->FD, /*shouldClose=*/false);
    stream.write(magic, sizeof(magic)).write_zeros(18);
    stream.flush();
    if (std::error_code failure = stream.error()) {
      stream.clear_error();
      return npy::makeError(path, "cannot write: " + failure.message());
    }
    discard.release();
    return keep(*file, path);
  }

  std::vector<std::string> headers;
  int code = 0;
  Archive archive(zip_open(file->TmpName.c_str(), ZIP_CREATE | ZIP_TRUNCATE, &code));
  if (!archive)
    return npy::makeError(path, "cannot write: " + describeZipError(code));
  if (llvm::Error error = addMembers(archive.get(), arrays, headers, path))
    return error;
  if (zip_close(archive.get()) != 0)
    return npy::makeError(path, Twine("cannot write: ") + zip_strerror(archive.get()));
  archive.release(); // closed, hence freed
  discard.release();
  return keep(*file, path);
}
