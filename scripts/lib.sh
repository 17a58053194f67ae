# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
# Sourced by the other scripts, which run in the root of the source tree.
program=${0##*/}
say() { printf '%s: %s\n' "$program" "$*"; }
die() { printf '%s: %s\n' "$program" "$*" >&2; exit 2; }

# phase NAME COMMAND...: announces it, runs it, and says how long it took. The first phase that fails ends the script.
phase() {
  local start=$SECONDS
  current_phase=$1
  shift
  printf '\n==== %s: %s ====\n' "$program" "$current_phase"
  "$@"
  printf '==== %s: %s took %d s ====\n' "$program" "$current_phase" $((SECONDS - start))
  current_phase=
}
current_phase=
on_exit() {
  local status=$?
  [ -z "$current_phase" ] || printf '%s: FAILED (exit status %d) in phase: %s\n' "$program" "$status" "$current_phase" >&2
}
trap on_exit EXIT

# A cmake that scripts/setup took from PyPI because the distribution's is too old goes first.
if .venv/bin/cmake --version > /dev/null 2>&1; then PATH=$PWD/.venv/bin:$PATH; fi

# With ccache (scripts/setup --dev installs it) a second checkout compiles only what differs. The sloppiness is what precompiled headers want.
if [ -z "${CMAKE_CXX_COMPILER_LAUNCHER:-}" ] && mkdir -p "$(ccache --get-config cache_dir 2> /dev/null)" 2> /dev/null; then
  export CMAKE_CXX_COMPILER_LAUNCHER=ccache CCACHE_BASEDIR=$PWD CCACHE_NOHASHDIR=1 CCACHE_SLOPPINESS=pch_defines,time_macros
fi

# Kokkos' translation units want up to 2 GB each: no more at once than there are processors and memory for.
if [ -z "${CMAKE_BUILD_PARALLEL_LEVEL:-}" ]; then
  CMAKE_BUILD_PARALLEL_LEVEL=$(awk -v cores="$(env -u OMP_NUM_THREADS -u OMP_THREAD_LIMIT nproc)" '/MemAvailable/ { n = int($2 / 2097152); print n < 1 ? 1 : n < cores ? n : cores }' /proc/meminfo)
fi
export PATH CMAKE_BUILD_PARALLEL_LEVEL
