//===- CompilerId.cpp - Which build of the compiler this is===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "fuse/Execution/CodeCache.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Config/llvm-config.h"
#include "llvm/Support/Alignment.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

#include <link.h>

using llvm::StringRef;

/// The id that the linker gave a file, which is a hash of its contents; empty if it gave none.
static std::string readBuildId(const dl_phdr_info &object) {
  for (const ElfW(Phdr) &segment : llvm::ArrayRef(object.dlpi_phdr, object.dlpi_phnum)) {
    if (segment.p_type != PT_NOTE)
      continue;
    StringRef notes(reinterpret_cast<const char *>(object.dlpi_addr + segment.p_vaddr),
                    segment.p_memsz);
    while (notes.size() > sizeof(ElfW(Nhdr))) {
      ElfW(Nhdr) note;
      std::memcpy(&note, notes.data(), sizeof(note));
      size_t nameEnd = sizeof(note) + llvm::alignTo(note.n_namesz, 4);
      size_t end = nameEnd + llvm::alignTo(note.n_descsz, 4);
      if (end > notes.size())
        break;
      if (note.n_type == NT_GNU_BUILD_ID &&
          notes.substr(sizeof(note), note.n_namesz) == StringRef("GNU\0", 4))
        return llvm::toHex(notes.substr(nameEnd, note.n_descsz), /*LowerCase=*/true);
      notes = notes.drop_front(end);
    }
  }
  return "";
}

/// Where there is no id, which file it is and when it was written.
static std::string describeFile(const dl_phdr_info &object) {
  std::string path = *object.dlpi_name ? object.dlpi_name : "/proc/self/exe";
  llvm::sys::fs::file_status status;
  if (llvm::sys::fs::status(path, status))
    return path;
  return path + " " + std::to_string(status.getSize()) + " " +
         std::to_string(status.getLastModificationTime().time_since_epoch().count());
}

static bool contains(const dl_phdr_info &object, const void *address) {
  auto place = reinterpret_cast<ElfW(Addr)>(address);
  for (const ElfW(Phdr) &segment : llvm::ArrayRef(object.dlpi_phdr, object.dlpi_phnum)) {
    ElfW(Addr) begin = object.dlpi_addr + segment.p_vaddr;
    if (segment.p_type == PT_LOAD && place >= begin && place - begin < segment.p_memsz)
      return true;
  }
  return false;
}

/// Adds a loaded file that code of ours, of MLIR or of LLVM is in.
static int addObject(dl_phdr_info *object, size_t, void *text) {
  static const char inThisLibrary = 0;
  StringRef name = llvm::sys::path::filename(object->dlpi_name);
  if (!name.starts_with("libMLIR") && !name.starts_with("libLLVM") &&
      !contains(*object, &inThisLibrary))
    return 0;
  std::string id = readBuildId(*object);
  *static_cast<std::string *>(text) += (id.empty() ? describeFile(*object) : id) + "\n";
  return 0;
}

const std::string &mlir::fuse::getCompilerId() {
  static const std::string id = [] {
    std::string text = "LLVM " LLVM_VERSION_STRING "\n";
    dl_iterate_phdr(addObject, &text);
    return text;
  }();
  return id;
}
