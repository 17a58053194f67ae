# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
# What the job scripts have in common; sourced in the root of the source tree with $job set.
#
#   FATVEC_PRESET     openmp or cuda                        (default: openmp)
#   FATVEC_SUITE      suite of fatvec-bench                 (default: balayre)
#   FATVEC_ARGUMENTS  further arguments of fatvec-bench     (default: --k 1,2,3,6)
#   FATVEC_MATRICES   folder of real matrices               (default: none, structural twins instead)
: "${job:?set by the job script}"
preset=${FATVEC_PRESET:-openmp}
suite=${FATVEC_SUITE:-balayre}
arguments=${FATVEC_ARGUMENTS:---k 1,2,3,6}
results=report/$suite-$preset-$job.json

export FATVEC_NO_APT=1 # a compute node installs nothing: what is missing is named
export OMP_PROC_BIND=${OMP_PROC_BIND:-spread} OMP_PLACES=${OMP_PLACES:-cores}
: "${OMP_NUM_THREADS:=${SLURM_CPUS_ON_NODE:-$(nproc)}}"
export OMP_NUM_THREADS

scripts/setup "$preset"
cmake --preset "$preset"
cmake --build --preset "$preset" --target fatvec_cli fatvec_bench
mkdir -p report
# A job that ran out of time leaves its rows in $results.part; --resume goes on with them under the same name.
# shellcheck disable=SC2086 # a list of arguments
"build/$preset/bin/fatvec-bench" --suite "$suite" --output "$results" --resume $arguments
scripts/report "$results" -o "report/$suite-$preset-$job"
