# SPDX-License-Identifier: Apache-2.0
"""The report of fatvec-bench: load (JSON to rows), analysis (rows to comparisons), sections
(tables), figures (plots)."""
