//===- CommandLine.cpp - Options that are read by hand ---------------------------------------===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "fuse/Driver/CommandLine.h"

using namespace mlir::fuse;
using llvm::StringRef;

void OptionParser::printOptions(llvm::raw_ostream &os) const {
  for (const Entry &entry : entries) {
    const OptionText &option = entry.text;
    if (!option.name) {
      os << "\n" << option.help << ":\n";
      continue;
    }
    std::string left = std::string("--") + option.name;
    if (option.value)
      left += std::string(" ") + option.value;
    StringRef help = option.help;
    while (!help.empty()) {
      auto [line, rest] = help.split('\n');
      os.indent(2) << left;
      os.indent(left.size() < 22 ? 22 - left.size() : 1) << line << "\n";
      left.clear();
      help = rest;
    }
  }
}

llvm::Error mlir::fuse::expected(const llvm::Twine &what, StringRef found) {
  return llvm::createStringError("expected " + what + ", found '" + found.str() + "'");
}

llvm::Error mlir::fuse::readPath(StringRef text, std::string &path) {
  if (text.empty())
    return expected("a name", text);
  if (!path.empty())
    return llvm::createStringError("given twice: '" + path + "' and '" + text.str() + "'");
  path = text.str();
  return llvm::Error::success();
}

llvm::Error mlir::fuse::readProgram(StringRef text, std::string &program) {
  if (!program.empty())
    return llvm::createStringError("expected one program, found '" + program + "' and '" +
                                   text.str() + "'");
  program = text.str();
  return llvm::Error::success();
}

/// The option that differs least from a name, if it differs by little.
std::string OptionParser::suggest(StringRef name) const {
  constexpr unsigned kMostEdits = 2;
  unsigned least = kMostEdits + 1;
  StringRef best;
  for (const Entry &each : entries) {
    if (!each.text.name)
      continue;
    unsigned edits = name.edit_distance(each.text.name, /*AllowReplacements=*/true, kMostEdits);
    // Of a short name little would be left.
    if (edits < least && edits * 2 < name.size()) {
      least = edits;
      best = each.text.name;
    }
  }
  return best.empty() ? std::string() : ": did you mean '--" + best.str() + "'?";
}

llvm::Error OptionParser::set(StringRef name, std::optional<StringRef> value) {
  for (const Entry &entry : entries) {
    if (!entry.text.name || name != entry.text.name)
      continue;
    if (!entry.text.value && value)
      return llvm::createStringError(name + ": expected no value, found '" + *value + "'");
    if (entry.text.value && !value)
      return llvm::createStringError(name + ": expected " + entry.text.value + ", found nothing");
    if (llvm::Error error = entry.set(value.value_or("")))
      return llvm::createStringError(name + ": " + llvm::toString(std::move(error)));
    return llvm::Error::success();
  }
  return llvm::createStringError("unknown option '" + name + "'" + suggest(name));
}

llvm::Error
OptionParser::parse(llvm::ArrayRef<const char *> arguments,
                    llvm::function_ref<llvm::Error(StringRef)> setPositional) {
  bool onlyFiles = false; // after "--"
  for (size_t i = 0; i < arguments.size(); ++i) {
    StringRef argument = arguments[i];
    if (onlyFiles || argument == "-" || !argument.starts_with("-")) {
      if (llvm::Error error = setPositional(argument))
        return error;
      continue;
    }
    if (argument == "--") {
      onlyFiles = true;
      continue;
    }
    std::string unknown = argument.split('=').first.str();
    if (argument == "-h" || argument == "-o")
      argument = argument == "-h" ? "--help" : "--output";
    auto [name, value] = argument.split('=');
    const Entry *entry = nullptr;
    if (name.consume_front("--"))
      for (const Entry &each : entries)
        if (each.text.name && name == each.text.name)
          entry = &each;
    if (!entry)
      return llvm::createStringError("unknown option '" + unknown + "'" + suggest(name));
    bool hasValue = argument.contains('=');
    std::string label = "--" + name.str();
    if (!entry->text.value && hasValue)
      return llvm::createStringError(label + ": expected no value, found '" + value.str() + "'");
    if (entry->text.value && !hasValue) {
      if (++i == arguments.size())
        return llvm::createStringError(label + ": expected " + entry->text.value +
                                       ", found nothing");
      value = arguments[i];
    }
    if (llvm::Error error = entry->set(value))
      return llvm::createStringError(label + ": " + llvm::toString(std::move(error)));
    given.push_back(name.str());
  }
  return llvm::Error::success();
}
