# Thin helpers: one library per layer, with its permitted neighbours written out at the call.

# Flags of every target: LLVM's packages are built without assertions, and their headers must see
# the same NDEBUG (Pass::Statistic has another layout otherwise).
function(fuse_set_options target)
  target_compile_definitions(${target} PRIVATE NDEBUG)
  target_compile_options(${target} PRIVATE -Wall -Wextra -Wno-unused-parameter -ffp-contract=off)
  if(FUSE_SANITIZE)
    target_compile_options(${target} PRIVATE -fsanitize=${FUSE_SANITIZE} -fno-omit-frame-pointer)
    if(FUSE_SANITIZE MATCHES "undefined")
      # libMLIR.so is built without -fsanitize: its vtables carry no matching type information.
      target_compile_options(${target} PRIVATE -fno-sanitize=vptr,function)
    endif()
    target_link_options(${target} PUBLIC $<BUILD_INTERFACE:-fsanitize=${FUSE_SANITIZE}>)
  endif()
endfunction()

# Most of the time that a file takes to compile goes to MLIR's headers, to the classes of the dialect's ops, and to templates
# that all files instantiate alike: sources are compiled with these headers, and what they instantiate, compiled once. Each
# source still includes what it uses: -DCMAKE_DISABLE_PRECOMPILE_HEADERS=ON compiles each for itself. A precompiled header
# that holds the project's own headers names their folder, so that ccache finds nothing that another checkout compiled:
# FUSE_PRECOMPILE_OPS=OFF leaves them out. That is the default where CCACHE_BASEDIR says that checkouts share a cache.
set(fuse_precompile_ops ON)
if(DEFINED ENV{CCACHE_BASEDIR})
  set(fuse_precompile_ops OFF)
endif()
option(FUSE_PRECOMPILE_OPS "Precompile the classes of the dialect's ops as well" ${fuse_precompile_ops})
set(CMAKE_CXX_COMPILE_OPTIONS_CREATE_PCH -x c++-header -include <PCH_HEADER>)
set(CMAKE_CXX_COMPILE_OPTIONS_USE_PCH -include-pch <PCH_FILE>)
function(fuse_precompile_headers target)
  if(NOT TARGET FusePrecompiled)
    file(CONFIGURE OUTPUT ${PROJECT_BINARY_DIR}/cmake/Precompiled.cpp CONTENT "// Carries the precompiled headers.\n")
    add_library(FusePrecompiled OBJECT ${PROJECT_BINARY_DIR}/cmake/Precompiled.cpp)
    target_include_directories(FusePrecompiled SYSTEM PRIVATE ${MLIR_INCLUDE_DIRS} ${LLVM_INCLUDE_DIRS})
    fuse_set_options(FusePrecompiled)
    # Spelled so that ccache knows the file for one, and without its time: equal headers give equal bytes.
    target_compile_options(FusePrecompiled PRIVATE "SHELL:-Xclang -fno-pch-timestamp" -fpch-instantiate-templates)
    target_precompile_headers(FusePrecompiled PRIVATE
      <llvm/ADT/MapVector.h>
      <llvm/ADT/SetVector.h>
      <llvm/ADT/StringExtras.h>
      <llvm/ADT/StringMap.h>
      <llvm/ADT/StringSet.h>
      <llvm/ADT/StringSwitch.h>
      <llvm/ADT/TypeSwitch.h>
      <llvm/Support/FileSystem.h>
      <llvm/Support/Format.h>
      <llvm/Support/FormatVariadic.h>
      <llvm/Support/MathExtras.h>
      <llvm/Support/Path.h>
      <mlir/Dialect/Affine/IR/AffineOps.h>
      <mlir/Dialect/Arith/IR/Arith.h>
      <mlir/Dialect/Arith/Utils/Utils.h>
      <mlir/Dialect/Bufferization/IR/BufferizableOpInterface.h>
      <mlir/Dialect/ControlFlow/IR/ControlFlowOps.h>
      <mlir/Dialect/Func/IR/FuncOps.h>
      <mlir/Dialect/GPU/IR/GPUDialect.h>
      <mlir/Dialect/LLVMIR/LLVMDialect.h>
      <mlir/Dialect/Linalg/IR/Linalg.h>
      <mlir/Dialect/Math/IR/Math.h>
      <mlir/Dialect/MemRef/IR/MemRef.h>
      <mlir/Dialect/SCF/IR/SCF.h>
      <mlir/Dialect/Tensor/IR/Tensor.h>
      <mlir/Dialect/Utils/StaticValueUtils.h>
      <mlir/Dialect/Vector/IR/VectorOps.h>
      <mlir/IR/IRMapping.h>
      <mlir/IR/ImplicitLocOpBuilder.h>
      <mlir/IR/Matchers.h>
      <mlir/IR/PatternMatch.h>
      <mlir/IR/Remarks.h>
      <mlir/Interfaces/ViewLikeInterface.h>
      <mlir/Pass/PassManager.h>
      <mlir/Transforms/DialectConversion.h>
      <mlir/Transforms/GreedyPatternRewriteDriver.h>)
    if(FUSE_PRECOMPILE_OPS)
      target_precompile_headers(FusePrecompiled PRIVATE <fuse/IR/FuseBuilder.h> <fuse/IR/FuseOps.h> <fuse/IR/SymbolicShapes.h>)
      target_include_directories(FusePrecompiled PRIVATE ${PROJECT_SOURCE_DIR}/include ${PROJECT_BINARY_DIR}/include)
      add_dependencies(FusePrecompiled FuseIRIncGen FuseInterfacesIncGen FuseEnumsIncGen FuseOpKindsIncGen)
      # ccache would give one checkout's header to another.
      set_target_properties(FusePrecompiled PROPERTIES CXX_COMPILER_LAUNCHER "")
    endif()
  endif()
  # Programs are compiled as libraries are, -fPIC in place of -fPIE, which a precompiled header must agree with.
  get_target_property(type ${target} TYPE)
  if(type STREQUAL "EXECUTABLE")
    set_target_properties(${target} PROPERTIES POSITION_INDEPENDENT_CODE OFF)
    target_compile_options(${target} PRIVATE -fPIC)
  endif()
  target_precompile_headers(${target} REUSE_FROM FusePrecompiled)
  target_compile_options(${target} PRIVATE "SHELL:-Xclang -fno-pch-timestamp")
endfunction()

# What is left of a file's time is headers still, and templates that each file instantiates anew: a fresh build compiles files
# together, a few to a unit. Each source is a file of its own all the same, which includes what it uses: FUSE_UNITY_BUILD=OFF
# compiles one object a file, so that a change compiles nothing else. That is the default where CCACHE_BASEDIR says that
# there is a cache, since a developer builds there again and again.
set(fuse_unity_build ON)
if(DEFINED ENV{CCACHE_BASEDIR})
  set(fuse_unity_build OFF)
endif()
option(FUSE_UNITY_BUILD "Compile several files of a folder together" ${fuse_unity_build})

# fuse_group_sources(TARGET sources…): the units of a target. Files of a unit see each other's file-local names, so that none
# holds files of two folders. Generated sources stay alone, and those with definitions or options of their own, which CMake
# takes out of units.
set(FUSE_UNIT_FILES 16 CACHE STRING "Files that are compiled together at most")
function(fuse_group_sources target)
  set_target_properties(${target} PROPERTIES UNITY_BUILD ${FUSE_UNITY_BUILD} UNITY_BUILD_MODE GROUP)
  foreach(source IN LISTS ARGN)
    if(IS_ABSOLUTE ${source})
      continue()
    endif()
    cmake_path(GET source PARENT_PATH folder)
    string(MAKE_C_IDENTIFIER "${folder}" folder)
    if(NOT DEFINED count_${folder})
      set(count_${folder} 0)
    endif()
    math(EXPR unit "${count_${folder}} / ${FUSE_UNIT_FILES}")
    math(EXPR count_${folder} "${count_${folder}} + 1")
    set_property(SOURCE ${source} PROPERTY UNITY_GROUP ${folder}_${unit})
  endforeach()
endfunction()

# fuse_add_library(NAME sources… [NO_MLIR] [DEPENDS tablegen-targets…] [LINK libraries…])
# NO_MLIR: the library uses neither LLVM nor MLIR.
function(fuse_add_library name)
  cmake_parse_arguments(ARG "NO_MLIR" "" "DEPENDS;LINK" ${ARGN})
  add_library(${name} STATIC ${ARG_UNPARSED_ARGUMENTS})
  fuse_group_sources(${name} ${ARG_UNPARSED_ARGUMENTS})
  add_library(Fuse::${name} ALIAS ${name})
  target_include_directories(${name} PUBLIC
    $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include> $<BUILD_INTERFACE:${PROJECT_BINARY_DIR}/include>
    $<INSTALL_INTERFACE:include>)
  fuse_set_options(${name})
  if(NOT ARG_NO_MLIR)
    # FuseConfig.cmake asks for these where the package is used.
    target_include_directories(${name} SYSTEM PUBLIC
      $<BUILD_INTERFACE:${MLIR_INCLUDE_DIRS}> $<BUILD_INTERFACE:${LLVM_INCLUDE_DIRS}>)
    mlir_target_link_libraries(${name} PUBLIC MLIR)
    target_link_libraries(${name} PUBLIC LLVM)
    fuse_precompile_headers(${name})
  endif()
  if(ARG_LINK)
    target_link_libraries(${name} PUBLIC ${ARG_LINK})
  endif()
  if(ARG_DEPENDS)
    add_dependencies(${name} ${ARG_DEPENDS})
  endif()
  # What only tests use is not part of the package.
  set(tests ${PROJECT_SOURCE_DIR}/test)
  cmake_path(IS_PREFIX tests ${CMAKE_CURRENT_SOURCE_DIR} is_for_tests)
  if(NOT is_for_tests)
    set_property(GLOBAL APPEND PROPERTY FUSE_LIBRARIES ${name})
  endif()
endfunction()

# fuse_add_shared_library(NAME sources…): a library of the C interface, libNAME.so, which exports its functions and nothing
# else (cmake/exports.map).
function(fuse_add_shared_library name)
  set(exports ${PROJECT_SOURCE_DIR}/cmake/exports.map)
  add_library(${name} SHARED ${ARGN})
  add_library(Fuse::${name} ALIAS ${name})
  target_include_directories(${name} PUBLIC $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include>
                                            $<INSTALL_INTERFACE:include>)
  fuse_set_options(${name})
  target_link_options(${name} PRIVATE -Wl,--version-script=${exports} -Wl,-Bsymbolic)
  set_property(TARGET ${name} APPEND PROPERTY LINK_DEPENDS ${exports})
  set_target_properties(${name} PROPERTIES SOVERSION ${PROJECT_VERSION_MAJOR} VERSION ${PROJECT_VERSION})
  if(NOT FUSE_SANITIZE)
    target_link_options(${name} PRIVATE -Wl,-z,defs)
  endif()
  set_property(GLOBAL APPEND PROPERTY FUSE_LIBRARIES ${name})
endfunction()

# fuse_add_tool(NAME sources… LINK libraries…)
function(fuse_add_tool name)
  cmake_parse_arguments(ARG "" "" "LINK" ${ARGN})
  add_executable(${name} ${ARG_UNPARSED_ARGUMENTS})
  fuse_group_sources(${name} ${ARG_UNPARSED_ARGUMENTS})
  target_link_libraries(${name} PRIVATE ${ARG_LINK})
  fuse_set_options(${name})
  fuse_precompile_headers(${name})
  set_property(GLOBAL APPEND PROPERTY FUSE_TOOLS ${name})
endfunction()

# fuse_tablegen(TARGET FILE.td (OUTPUT FLAGS…)…): rules separated by the word GEN.
#   fuse_tablegen(FuseOpsIncGen FuseOps.td GEN FuseOps.h.inc -gen-op-decls GEN FuseOps.cpp.inc -gen-op-defs)
function(fuse_tablegen target file)
  set(LLVM_TARGET_DEFINITIONS ${file})
  set(rule)
  foreach(word IN LISTS ARGN ITEMS GEN)
    if(word STREQUAL "GEN")
      if(rule)
        mlir_tablegen(${rule} EXTRA_INCLUDES ${PROJECT_SOURCE_DIR}/include ${MLIR_INCLUDE_DIRS})
      endif()
      set(rule)
    else()
      list(APPEND rule ${word})
    endif()
  endforeach()
  add_public_tablegen_target(${target})
endfunction()
