"""A static site of reference: rooms, theorems, protocols and the method, made of what the package says of itself.

Read :mod:`~pldcheck.report.site.site_build` first, which puts all pages together; then
:mod:`~pldcheck.report.site.docstring_html` (docstrings as HTML with links and formulas) and one kind of page, such as
:mod:`~pldcheck.report.site.theorem_pages`.  The files of this folder need the libraries of the extra ``docs``.
"""
