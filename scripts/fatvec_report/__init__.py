# SPDX-License-Identifier: Apache-2.0
"""The report of fatvec-bench: load (JSON to rows), views and analysis (rows to comparisons), a
module per subject (its tables and pictures), sections (their order), page (blocks to pages)."""
