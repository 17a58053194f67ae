# SPDX-License-Identifier: Apache-2.0
"""The site: guides, lab, results and the API reference, by Sphinx, as Kokkos' own; made by the
target `site` (cmake/docs.cmake), which gives version, release and folders by -D. The pages come
from scripts/fatvec_docs/site_pages.py."""

project = "fatvec"
author = "the authors of fatvec"
copyright = "the authors of fatvec, Apache-2.0"
extensions = ["myst_parser", "breathe"]
root_doc = "index"

myst_heading_anchors = 6  # as on GitHub: a link to a heading works here and there
breathe_default_project = "fatvec"
breathe_default_members = ("members",)
breathe_show_include = False
cpp_maximum_signature_line_length = 70
primary_domain = "cpp"
highlight_language = "none"
# Each header's page opens the namespace; values of constants may be more than Sphinx parses.
suppress_warnings = ["duplicate_declaration.cpp", "source_code_parser.cpp"]

html_theme = "furo"
templates_path = ["templates"]
html_static_path = ["site.css"]
html_css_files = ["site.css"]
html_sidebars = {
    "**": [f"sidebar/{name}.html" for name in "brand versions search navigation".split()]
}
html_copy_source = False
html_show_sourcelink = False


def setup(app):
    """Each page's title has the version."""
    app.connect(
        "config-inited", lambda _, config: setattr(config, "html_title", f"fatvec {config.version}")
    )
