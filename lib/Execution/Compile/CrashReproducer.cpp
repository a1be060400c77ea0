//===- CrashReproducer.cpp - What a crash leaves behind --------------------------------------===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "fuse/Execution/CrashReproducer.h"

#include "llvm/Support/Path.h"
#include "llvm/Support/Process.h"
#include "llvm/Support/Signals.h"

#include <cstring>
#include <fcntl.h>
#include <string>
#include <unistd.h>
#include <vector>

namespace {
/// All that the handler touches; made beforehand, never freed.
struct Reproducer {
  std::vector<std::string> paths; // of the program, in the order they are tried
  std::vector<std::string> notePaths;
  std::string program;
  std::string note; // empty: the program holds the command line itself
};
} // namespace

static Reproducer *current = nullptr;

static bool writeAll(int file, const char *data, size_t size) {
  while (size) {
    ssize_t written = write(file, data, size);
    if (written <= 0)
      return false;
    data += written;
    size -= static_cast<size_t>(written);
  }
  return true;
}

static bool writeFile(const std::string &path, const std::string &text) {
  int file = open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
  if (file < 0)
    return false;
  bool done = writeAll(file, text.data(), text.size());
  return close(file) == 0 && done;
}

static void say(const char *text) { (void)writeAll(STDERR_FILENO, text, std::strlen(text)); }

/// Runs in a signal handler: only functions that are safe there. The strings are complete.
static void writeReproducer(void *) {
  Reproducer *reproducer = current;
  if (!reproducer)
    return;
  current = nullptr;
  for (size_t i = 0; i < reproducer->paths.size(); ++i) {
    if (!writeFile(reproducer->paths[i], reproducer->program))
      continue;
    if (!reproducer->note.empty())
      (void)writeFile(reproducer->notePaths[i], reproducer->note);
    say("fuse-run: crashed; please report this with the reproducer ");
    say(reproducer->paths[i].c_str());
    say("\n");
    _exit(1);
  }
  say("fuse-run: crashed; no reproducer could be written\n");
  _exit(1);
}

static std::string quote(llvm::StringRef argument) {
  if (!argument.empty() &&
      argument.find_first_not_of("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"
                                 "_-./=:,+@%") == llvm::StringRef::npos)
    return argument.str();
  std::string quoted = "'";
  for (char c : argument)
    quoted += c == '\'' ? std::string("'\\''") : std::string(1, c == '\n' ? ' ' : c);
  return quoted + "'";
}

void mlir::fuse::installCrashReproducer(llvm::StringRef name, llvm::StringRef program,
                                        llvm::ArrayRef<llvm::StringRef> commandLine) {
  auto *made = new Reproducer();
  bool isText = !program.starts_with("ML\xEFR"); // what bytecode starts with
  std::string command;
  for (llvm::StringRef argument : commandLine)
    command += (command.empty() ? "" : " ") + quote(argument);
  std::string file = "fuse-run-crash-" + std::to_string(llvm::sys::Process::getProcessId());
  llvm::StringRef extension = llvm::sys::path::extension(name);
  file += isText ? ".mlir" : extension.empty() ? ".mlirbc" : extension.str();
  std::vector<std::string> folders = {""};
  if (std::optional<std::string> folder = llvm::sys::Process::GetEnv("TMPDIR"))
    folders.push_back(*folder + "/");
  folders.push_back("/tmp/");
  for (const std::string &folder : folders) {
    made->paths.push_back(folder + file);
    made->notePaths.push_back(folder + file + ".txt");
  }
  if (isText)
    made->program = "// " + command + "\n" + program.str();
  else {
    made->program = program.str();
    made->note = command + "\n";
  }
  current = made;
  static bool installed = false;
  if (!installed)
    llvm::sys::AddSignalHandler(writeReproducer, nullptr);
  installed = true;
}
