# SPDX-License-Identifier: Apache-2.0
# Target `docs`: the API reference and the guides as HTML in docs/html of the build folder. Where
# the programs are built, the pages and pictures that are made by them are renewed first, in the
# source tree. Target `site`: guides, lab, results and API reference as one searchable site in
# site/html, by Sphinx, whose packages scripts/site fetches.
find_package(Doxygen 1.9 QUIET)
find_package(Python3 3.9 COMPONENTS Interpreter QUIET)
if(NOT DOXYGEN_FOUND OR NOT Python3_FOUND)
  fatvec_dependency("Doxygen" "absent" "no target docs: apt-get install doxygen python3")
  return()
endif()
fatvec_dependency("Doxygen" "${DOXYGEN_VERSION}" "${DOXYGEN_EXECUTABLE}")

set(FATVEC_DOCS_DIR "${PROJECT_BINARY_DIR}/docs")
file(GLOB guides CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/docs/*.md")
set(public_folders ${FATVEC_HEADER_FOLDERS})
list(REMOVE_ITEM public_folders src/app) # of the programs
set(FATVEC_DOCS_INPUT "")
foreach(input ${public_folders} src/fatvec.hpp README.md CONTRIBUTING.md SECURITY.md CHANGELOG.md)
  string(APPEND FATVEC_DOCS_INPUT " \"${PROJECT_SOURCE_DIR}/${input}\"")
endforeach()
foreach(guide IN LISTS guides)
  string(APPEND FATVEC_DOCS_INPUT " \"${guide}\"")
endforeach()
configure_file("${PROJECT_SOURCE_DIR}/docs/Doxyfile.in" "${PROJECT_BINARY_DIR}/Doxyfile" @ONLY)

set(scripts "${PROJECT_SOURCE_DIR}/scripts/fatvec_docs")
set(renewals COMMAND Python3::Interpreter -B "${scripts}/lab_index.py")
if(TARGET fatvec_bench)
  list(APPEND renewals COMMAND Python3::Interpreter -B "${scripts}/draw_formats.py" "$<TARGET_FILE:fatvec_cli>"
                       COMMAND Python3::Interpreter -B "${scripts}/cli_page.py" "$<TARGET_FILE:fatvec_cli>" "$<TARGET_FILE:fatvec_bench>")
endif()
add_custom_target(docs
  ${renewals}
  COMMAND "${CMAKE_COMMAND}" -E rm -rf "${FATVEC_DOCS_DIR}"
  COMMAND "${CMAKE_COMMAND}" -E make_directory "${FATVEC_DOCS_DIR}"
  COMMAND "${DOXYGEN_EXECUTABLE}" "${PROJECT_BINARY_DIR}/Doxyfile"
  COMMAND "${CMAKE_COMMAND}" -E echo "API reference and guides: ${FATVEC_DOCS_DIR}/html/index.html"
  COMMENT "Documentation" VERBATIM)

# The headers alone, as XML
set(site_inputs "")
foreach(input IN LISTS public_folders)
  string(APPEND site_inputs " \"${PROJECT_SOURCE_DIR}/${input}\"")
endforeach()
file(READ "${PROJECT_BINARY_DIR}/Doxyfile" doxyfile)
set(FATVEC_SITE_DIR "${PROJECT_BINARY_DIR}/site")
file(WRITE "${PROJECT_BINARY_DIR}/Doxyfile.site" "${doxyfile}
INPUT = ${site_inputs}
OUTPUT_DIRECTORY = \"${FATVEC_SITE_DIR}\"
GENERATE_HTML = NO
GENERATE_XML = YES
XML_PROGRAMLISTING = NO
WARN_AS_ERROR = NO
WARNINGS = NO
USE_MDFILE_AS_MAINPAGE =
")
add_custom_target(site
  COMMAND "${CMAKE_COMMAND}" -E rm -rf "${FATVEC_SITE_DIR}/xml" "${FATVEC_SITE_DIR}/html/${PROJECT_VERSION}"
  COMMAND "${CMAKE_COMMAND}" -E make_directory "${FATVEC_SITE_DIR}"
  COMMAND "${DOXYGEN_EXECUTABLE}" "${PROJECT_BINARY_DIR}/Doxyfile.site"
  COMMAND "${PROJECT_SOURCE_DIR}/scripts/site" "${FATVEC_SITE_DIR}" "${FATVEC_SITE_DIR}/xml" "${PROJECT_HOMEPAGE_URL}" "${PROJECT_VERSION}" ${public_folders}
  COMMENT "Site" VERBATIM)
