"""A static reference site: rooms, theorems, protocols and the method, built from the package itself.

Read ``site_build`` first, which puts all pages together; then ``docstring_html`` (docstrings as HTML with links and
formulas) and one kind of page, such as ``theorem_pages``.  The files here need the libraries of the extra ``docs``.
"""
