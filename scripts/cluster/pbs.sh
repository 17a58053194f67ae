#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Template for PBS Pro: builds a preset, runs a suite, leaves the JSON and the report in $PBS_O_WORKDIR/report.
# Adapt the lines marked <...>, then, from the root of the source tree: qsub scripts/cluster/pbs.sh
# One matrix over many GPUs (suites weak and strong): one rank a GPU, as in the line with ngpus.
#
#PBS -N fatvec
#PBS -l select=1:ncpus=<cores of a node>:mpiprocs=1
##PBS -l select=<nodes>:ncpus=<cores of a node>:ngpus=<GPUs of a node>:mpiprocs=<GPUs of a node>:ompthreads=<cores over GPUs>
#PBS -l place=excl
#PBS -l walltime=02:00:00
#PBS -j oe
set -euo pipefail
cd "$PBS_O_WORKDIR"
job=${PBS_JOBID%%.*}
ranks=$(wc -l <"$PBS_NODEFILE")
launch="mpirun -n $ranks"
# <module load gcc cmake ninja cuda openmpi nccl kokkos>
. scripts/cluster/job.sh
