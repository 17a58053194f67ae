# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
# What the job scripts have in common; sourced in the root of the source tree with $job and $ranks set, and with $launch, which starts
# the ranks where there are several.
#
#   FATVEC_PRESET     openmp or cuda                        (default: openmp)
#   FATVEC_SUITE      suite of fatvec-bench                 (default: balayre; on several ranks weak)
#   FATVEC_ARGUMENTS  further arguments of fatvec-bench     (default: --k 1,2,3,6; on several ranks --k 1,8,32)
#   FATVEC_MATRICES   folder of real matrices               (default: none, structural twins instead)
: "${job:?set by the job script}" "${ranks:?set by the job script}"
preset=${FATVEC_PRESET:-openmp}
suite=balayre arguments="--k 1,2,3,6" threads=${SLURM_CPUS_ON_NODE:-$(nproc)}
if [ "$ranks" -gt 1 ]; then
  suite=weak arguments="--k 1,8,32" threads=${SLURM_CPUS_PER_TASK:-${NCPUS:-1}} # of one rank
else
  launch=
fi
suite=${FATVEC_SUITE:-$suite}
arguments=${FATVEC_ARGUMENTS:-$arguments}
results=report/$suite-$preset-$job.json

. scripts/lib.sh
export FATVEC_NO_APT=1 # a compute node installs nothing: what is missing is named
export OMP_PROC_BIND=${OMP_PROC_BIND:-spread} OMP_PLACES=${OMP_PLACES:-cores} OMP_NUM_THREADS=${OMP_NUM_THREADS:-$threads}

scripts/setup "$preset"
cmake --preset "$preset"
cmake --build --preset "$preset" --target fatvec_cli fatvec_bench
mkdir -p report
# A job that ran out of time leaves its rows in $results.part; --resume goes on with them under the same name. Each rank takes the GPU
# of its local rank.
# shellcheck disable=SC2086 # lists of words
$launch "build/$preset/bin/fatvec-bench" --suite "$suite" --output "$results" --resume $arguments
scripts/report "$results" -o "report/$suite-$preset-$job"
