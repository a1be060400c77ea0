# The target fuse-doc, part of every whole build, makes the reference of the dialect and of the passes
# from the .td files: docs/dialect.md and docs/passes.md of the build folder.
set(doc_dir ${PROJECT_BINARY_DIR}/docs)
set(tblgen ${MLIR_TABLEGEN_EXE} -I ${PROJECT_SOURCE_DIR}/include -I ${MLIR_INCLUDE_DIRS})
file(GLOB_RECURSE td_files CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/include/fuse/*.td)

add_custom_command(OUTPUT ${doc_dir}/dialect.md
  COMMAND ${CMAKE_COMMAND} -E make_directory ${doc_dir}
  COMMAND ${tblgen} -gen-dialect-doc -dialect=fuse ${PROJECT_SOURCE_DIR}/include/fuse/IR/FuseOps.td
          -o ${doc_dir}/dialect.md
  DEPENDS ${td_files} VERBATIM)

set(pass_parts)
foreach(file IN LISTS td_files)
  if(file MATCHES "/fuse/(.*)/Passes\\.td$")
    string(REPLACE "/" "-" name ${CMAKE_MATCH_1})
    add_custom_command(OUTPUT ${doc_dir}/passes/${name}.md
      COMMAND ${CMAKE_COMMAND} -E make_directory ${doc_dir}/passes
      COMMAND ${tblgen} -gen-pass-doc ${file} -o ${doc_dir}/passes/${name}.md
      DEPENDS ${td_files} VERBATIM)
    list(APPEND pass_parts ${doc_dir}/passes/${name}.md)
  endif()
endforeach()
add_custom_command(OUTPUT ${doc_dir}/passes.md
  COMMAND ${CMAKE_COMMAND} -E cat ${pass_parts} > ${doc_dir}/passes.md
  DEPENDS ${pass_parts} VERBATIM)

add_custom_target(fuse-doc ALL DEPENDS ${doc_dir}/dialect.md ${doc_dir}/passes.md)
