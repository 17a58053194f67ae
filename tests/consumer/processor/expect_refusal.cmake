# SPDX-License-Identifier: Apache-2.0
# A program that was compiled for another processor ends with status 2 and says what is missing.
# cmake [-DQEMU=program] -DPROGRAM=program [-DLACKS=feature] -P expect_refusal.cmake
cmake_minimum_required(VERSION 3.22)
set(command "${PROGRAM}" --version)
if(DEFINED QEMU)
  if(NOT QEMU)
    message("skipped: there is no qemu-x86_64 (apt-get install qemu-user)")
    return()
  endif()
  list(PREPEND command "${QEMU}" -cpu Nehalem)
endif()
execute_process(COMMAND ${command} RESULT_VARIABLE status OUTPUT_VARIABLE output ERROR_VARIABLE error)
if(DEFINED QEMU AND status EQUAL 0)
  message("skipped: ${PROGRAM} is compiled for a processor as old as that")
elseif(NOT status EQUAL 2 OR NOT error MATCHES "compiled for a processor with sse3.*lacks[a-z0-9. ]* ${LACKS}[ .].*FATVEC_HOST_ARCH")
  message(FATAL_ERROR "status ${status}, expected 2 and a message that ${LACKS} is missing; it says: ${output}${error}")
endif()
