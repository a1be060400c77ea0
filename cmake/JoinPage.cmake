# Joins the files of lib/Report/page to one page and writes it as C++: what is before the place of the
# data, and what is behind it.
#   cmake -D PAGE=page.html -D STYLE=style.css -D SCRIPTS=a.js|b.js -D OUTPUT=PageFiles.cpp -P JoinPage.cmake
file(READ ${PAGE} page)
file(READ ${STYLE} style)
string(REPLACE "|" ";" SCRIPTS "${SCRIPTS}")
set(script "")
foreach(file IN LISTS SCRIPTS)
  file(READ ${file} text)
  string(APPEND script "${text}")
endforeach()
string(REPLACE "/*style*/" "${style}" page "${page}")
string(REPLACE "/*script*/" "${script}" page "${page}")
string(FIND "${page}" "/*data*/" at)
if(at EQUAL -1)
  message(FATAL_ERROR "${PAGE} lacks the place of the data")
endif()
string(SUBSTRING "${page}" 0 ${at} head)
math(EXPR behind "${at} + 8")
string(SUBSTRING "${page}" ${behind} -1 tail)

# A literal holds 64 KB with every compiler, so the text is cut into pieces.
function(append_literal result text)
  set(pieces "")
  string(LENGTH "${text}" length)
  set(from 0)
  while(from LESS length)
    string(SUBSTRING "${text}" ${from} 15000 piece)
    string(APPEND pieces "R\"page_(${piece})page_\"\n")
    math(EXPR from "${from} + 15000")
  endwhile()
  set(${result} "${pieces}" PARENT_SCOPE)
endfunction()
append_literal(head_literal "${head}")
append_literal(tail_literal "${tail}")
file(WRITE ${OUTPUT} "// Made by cmake/JoinPage.cmake of the files in lib/Report/page.
#include \"PageFiles.h\"

llvm::StringRef mlir::fuse::getPageHead() {
  static constexpr char text[] = ${head_literal};
  return llvm::StringRef(text, sizeof(text) - 1);
}

llvm::StringRef mlir::fuse::getPageTail() {
  static constexpr char text[] = ${tail_literal};
  return llvm::StringRef(text, sizeof(text) - 1);
}
")
