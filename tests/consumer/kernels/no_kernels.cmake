# SPDX-License-Identifier: Apache-2.0
# An object of an application that links fatvec::kernels defines no kernel, conversion or analysis: it has them from the library.
# cmake -DNM=nm -DOBJECT=file -P no_kernels.cmake
cmake_minimum_required(VERSION 3.22)
execute_process(COMMAND "${NM}" --demangle --defined-only "${OBJECT}" OUTPUT_VARIABLE symbols COMMAND_ERROR_IS_FATAL ANY)
if(NOT symbols MATCHES " main")
  message(FATAL_ERROR "${NM} found no symbols in ${OBJECT}")
endif()
string(REGEX REPLACE "[][;]" "|" symbols "${symbols}") # what would hold a list together, or cut it
string(REPLACE "\n" ";" symbols "${symbols}")
# Functors of fatvec's kernels, Kokkos' launches of them, conversions, and what a plan is made by.
string(CONCAT compiled "Parallel[A-Za-z]*<fatvec::|fatvec::detail::[A-Za-z]*Product|fatvec::portable::RowKernel|fatvec::detail::launch<|"
       "fatvec::(convert|footprints|structure_of|measure_machine|row_statistics)<|Matrix<.*>::from_csr|"
       "fatvec::Plan<.*>::(analyse|update|run)<")
list(FILTER symbols INCLUDE REGEX "${compiled}")
if(symbols)
  list(JOIN symbols "\n  " symbols)
  message(FATAL_ERROR "${OBJECT} compiles what fatvec::kernels has:\n  ${symbols}")
endif()
