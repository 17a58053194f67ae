#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Template for PBS Pro: builds a preset, runs a suite, leaves the JSON and the report in $PBS_O_WORKDIR/report.
# Adapt the lines marked <...>, then, from the root of the source tree: qsub scripts/cluster/pbs.sh
#
#PBS -N fatvec
#PBS -l select=1:ncpus=<cores of a node>:mpiprocs=1
#PBS -l place=excl
#PBS -l walltime=02:00:00
#PBS -j oe
set -euo pipefail
cd "$PBS_O_WORKDIR"
job=${PBS_JOBID%%.*}
# <module load gcc cmake ninja cuda kokkos>
. scripts/cluster/job.sh
