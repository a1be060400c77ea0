# FUSE_PYTHON: a Python 3 with NumPy, which lit and the test scripts need. Debian's own comes first:
# another one in PATH often lacks NumPy.
function(fuse_python_has_numpy result candidate)
  execute_process(COMMAND ${candidate} -c "import numpy" RESULT_VARIABLE status OUTPUT_QUIET ERROR_QUIET)
  if(NOT status EQUAL 0)
    set(${result} FALSE PARENT_SCOPE)
  endif()
endfunction()
find_program(FUSE_PYTHON python3 PATHS /usr/bin NO_DEFAULT_PATH VALIDATOR fuse_python_has_numpy)
find_program(FUSE_PYTHON python3 VALIDATOR fuse_python_has_numpy)
if(NOT FUSE_PYTHON)
  message(FATAL_ERROR "no python3 with NumPy: install python3-numpy (utils/setup.sh does)")
endif()
