"""Runs on screen and on paper: tables, figures, and a folder of results as one page.

Read :mod:`~pldcheck.report.results_folder` first (the content of a folder), then :mod:`~pldcheck.report.report_digest`
(what is said of it) and :mod:`~pldcheck.report.html_page`.  :mod:`~pldcheck.report.stored_kinds` is how other rooms
bring their own kinds of results to the page, and :mod:`~pldcheck.report.page_table` what a table of it is.
"""
