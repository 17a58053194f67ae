#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Template for a SLURM cluster: builds a preset, runs a suite, leaves the JSON and the report in $SLURM_SUBMIT_DIR/report.
# Adapt the lines marked <...>, then, from the root of the source tree: sbatch scripts/cluster/slurm.sh
#
#SBATCH --job-name=fatvec
#SBATCH --nodes=1
#SBATCH --ntasks=1
#SBATCH --exclusive
#SBATCH --time=02:00:00
#SBATCH --output=fatvec-%j.log
##SBATCH --partition=<partition>
##SBATCH --gpus=1
set -euo pipefail
cd "$SLURM_SUBMIT_DIR"
job=$SLURM_JOB_ID
# <module load gcc cmake ninja cuda kokkos>
. scripts/cluster/job.sh
