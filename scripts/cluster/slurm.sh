#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Template for a SLURM cluster: builds a preset, runs a suite, leaves the JSON and the report in $SLURM_SUBMIT_DIR/report.
# Adapt the lines marked <...>, then, from the root of the source tree: sbatch scripts/cluster/slurm.sh
# One matrix over many GPUs (suites weak and strong): one rank a GPU. Every rank must see all GPUs of its node, for they exchange rows
# directly; hence not --gpus-per-task.
#
#SBATCH --job-name=fatvec
#SBATCH --nodes=1
#SBATCH --ntasks-per-node=1
##SBATCH --ntasks-per-node=<GPUs of a node>
##SBATCH --gpus-per-node=<GPUs of a node>
##SBATCH --cpus-per-task=<cores of a node over its GPUs>
#SBATCH --exclusive
#SBATCH --time=02:00:00
#SBATCH --output=fatvec-%j.log
##SBATCH --partition=<partition>
set -euo pipefail
cd "$SLURM_SUBMIT_DIR"
job=$SLURM_JOB_ID
ranks=${SLURM_NTASKS:-1}
launch="srun --cpus-per-task=${SLURM_CPUS_PER_TASK:-1}"
# <module load gcc cmake ninja cuda openmpi nccl kokkos>
. scripts/cluster/job.sh
