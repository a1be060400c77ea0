# Installs headers, libraries and tools, and exports the package Fuse (targets Fuse::…) for the
# build tree and the install tree.
include(CMakePackageConfigHelpers)
include(GNUInstallDirs)
get_property(libraries GLOBAL PROPERTY FUSE_LIBRARIES)
get_property(tools GLOBAL PROPERTY FUSE_TOOLS)
install(TARGETS ${libraries} EXPORT FuseTargets ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR}
        LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(TARGETS ${tools} RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR}
        LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(DIRECTORY ${PROJECT_SOURCE_DIR}/include/fuse ${PROJECT_BINARY_DIR}/include/fuse
        DESTINATION include FILES_MATCHING PATTERN "*.h" PATTERN "*.td" PATTERN "*.inc"
        PATTERN CMakeFiles EXCLUDE)
string(REPLACE ";" " " FUSE_EXPORTED "${libraries}")
set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/fuse)
configure_package_config_file(${PROJECT_SOURCE_DIR}/cmake/FuseConfig.cmake.in
  ${PROJECT_BINARY_DIR}/FuseConfig.cmake INSTALL_DESTINATION ${package_dir})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/FuseConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/FuseConfig.cmake ${PROJECT_BINARY_DIR}/FuseConfigVersion.cmake
        DESTINATION ${package_dir})
install(EXPORT FuseTargets NAMESPACE Fuse:: DESTINATION ${package_dir})
export(EXPORT FuseTargets NAMESPACE Fuse:: FILE ${PROJECT_BINARY_DIR}/FuseTargets.cmake)
