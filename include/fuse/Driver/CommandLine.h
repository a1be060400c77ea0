//===- CommandLine.h - Options that are read by hand --------------------------*- C++ -*-===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
//
// libLLVM brings some hundred options of its own, which llvm::cl would accept here.
//
//===----------------------------------------------------------------------------------------===//

#ifndef FUSE_DRIVER_COMMANDLINE_H
#define FUSE_DRIVER_COMMANDLINE_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/ADT/Twine.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/raw_ostream.h"

#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace mlir::fuse {

/// What the help and the parser have to know of an option, or a heading of the help, which has no
/// name.
struct OptionText {
  const char *name;
  const char *value; ///< what stands for the value in the help; null for a switch
  const char *help;  ///< lines after the first are indented
};

/// An option that is kept in a struct of options.
template <typename Options>
struct OptionSpec : OptionText {
  llvm::Error (*set)(Options &, llvm::StringRef value);
};

/// Options of several structs, as one command line.
class OptionParser {
public:
  /// What `specs` set from now on is a field of `options`.
  template <typename Options>
  void add(Options &options, llvm::ArrayRef<OptionSpec<Options>> specs) {
    for (const OptionSpec<Options> &spec : specs)
      entries.push_back({spec, [&options, set = spec.set](llvm::StringRef value) {
                           return set(options, value);
                         }});
  }

  /// Lists all options in the order in which they were added.
  void printOptions(llvm::raw_ostream &os) const;

  /// Reads arguments: --name=value, --name value, --name, -h for --help and -o for --output; what
  /// follows "--" is no option. setPositional: is given each argument that is no option. An error
  /// is wrong usage and names the argument, what was expected and what was found.
  llvm::Error parse(llvm::ArrayRef<const char *> arguments,
                    llvm::function_ref<llvm::Error(llvm::StringRef)> setPositional);

  /// Sets one option by its name. An error for an unknown one, for a value where none is expected and the other way
  /// round, and for a value that is none of the option's; it begins with the name.
  llvm::Error set(llvm::StringRef name, std::optional<llvm::StringRef> value);

  /// The names of the options that were given.
  llvm::ArrayRef<std::string> getGiven() const { return given; }

private:
  /// What to add to an error about an option that there is none of.
  std::string suggest(llvm::StringRef name) const;

  struct Entry {
    OptionText text;
    std::function<llvm::Error(llvm::StringRef)> set;
  };
  std::vector<Entry> entries;
  std::vector<std::string> given;
};

/// "expected WHAT, found 'FOUND'".
llvm::Error expected(const llvm::Twine &what, llvm::StringRef found);

/// A name that is given once and not empty.
llvm::Error readPath(llvm::StringRef text, std::string &path);

/// The one argument that is no option.
llvm::Error readProgram(llvm::StringRef text, std::string &program);

} // namespace mlir::fuse

#endif // FUSE_DRIVER_COMMANDLINE_H
