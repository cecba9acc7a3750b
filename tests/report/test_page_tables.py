"""Tables of the page: heads of rows and columns, links, commands, colours, and the same as CSV."""

import csv
import re
from dataclasses import replace
from decimal import Decimal
from html import unescape
from io import StringIO
from urllib.parse import unquote

import pytest
from places import RESULTS
from stored_results import HOSTILE, full, put, rows_of_every_kind
from test_report_page import BROWSER, Page, browse, make_pages

from pldcheck.report import exception_cells, html_page, report_tables
from pldcheck.report.page_table import Table, make_table
from pldcheck.report.report_digest import digest
from pldcheck.report.results_folder import read
from pldcheck.report.table_files import csv_files, csv_text
from pldcheck.study.stored_studies import KINDS
from pldcheck.verification import Row, Verdict, suites
from pldcheck.verification.runs import run_store
from pldcheck.witness.run_files import file_name

TABLE = re.compile(r'<div class="scroll"[^>]*aria-label="([^"]*)">\s*<table id="([^"]+)".*?</table>', re.S)


@pytest.fixture(scope="module")
def text(tmp_path_factory):
    """Return the page of a folder with one of everything, without its figures."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(html_page, "pictures", lambda folder: {"runs": [], "top": []})
        return make_pages(full(tmp_path_factory.mktemp("tables")))[0]


def test_every_line_has_one_head_and_every_table_a_caption(text):
    tables = list(TABLE.finditer(text))
    assert {table[2] for table in tables} >= {"theorems", "exceptions", "rows", "answers", "comparison-krr-rows"}
    for table in tables:
        head, body = table[0].split("<tbody>")
        assert head.count('<th scope="col"') == head.count("<th ") > 1
        assert f"<caption>{table[1]}</caption>" in head and table[1]
        lines = re.findall(r"<tr>(.*?)</tr>", body, re.S)
        assert lines and all(line.count('<th scope="row"') == line.count("<th") == 1 for line in lines)
    # The head of a line says what it is about, and not how it was judged.
    (exceptions,) = (table[0] for table in tables if table[2] == "exceptions")
    assert '<td class="v">✗ VIOLATED</td><th scope="row">vr-wang</th>' in exceptions


def test_a_violated_cell_has_a_link_to_its_witness_and_the_command_that_checks_it(tmp_path):
    violated, *_ = (row for row in rows_of_every_kind() if row.verdict is Verdict.VIOLATED)
    other = replace(violated, params={**violated.params, "clients": 10})
    put(tmp_path / "suites", "mixed", (violated, other))
    path = tmp_path / "suites" / file_name(violated)
    path.parent.mkdir()
    path.write_text("{}")
    content = read(tmp_path, run_store.read, KINDS)
    summary = digest(content, evidence=file_name)
    first, second = (dict(zip(summary.exceptions.heads, line, strict=True)) for line in summary.exceptions.lines)
    assert first["file"] == f"suites/{file_name(violated)}" and second["file"] == "–"
    # Of a folder that is named from the root of the machine, its own name is told alone.
    assert first["command"] == f"pldcheck witness check {tmp_path.name}/{first['file']}"
    assert second["command"] == "pldcheck verify"
    page = html_page.render(content, summary, "../stored/").decode()
    assert f'<a href="../stored/{first["file"]}">{first["file"]}</a>' in page
    assert f'<code class="command">{first["command"]}</code>' in page
    # Without witnesses there is no column for them.
    assert "file" not in digest(content).exceptions.heads


@pytest.mark.nightly
def test_commands_are_those_of_the_suite_that_has_the_theorem(tmp_path):
    violated, *_ = (row for row in rows_of_every_kind() if row.verdict is Verdict.VIOLATED)
    unknown = Row("no-theorem", {}, Verdict.UNDECIDED, 1.0, 0.5, 2.0)
    put(tmp_path, "refuted", (violated, unknown))
    table = digest(read(tmp_path, run_store.read, KINDS)).exceptions
    commands = [line[table.heads.index("command")] for line in table.lines]
    assert commands == ["pldcheck verify --suite refuted --theorem vr-wang --out checked", "–"]
    assert "vr-wang" in suites.find("refuted").subjects
    put(tmp_path, "refuted", (violated, unknown), command="rm -rf /")
    put(tmp_path, "own", (violated,), command="rm -rf /")
    table = digest(read(tmp_path, run_store.read, KINDS)).exceptions
    assert "rm" not in "".join(line[table.heads.index("command")] for line in table.lines)


@pytest.mark.nightly
def test_files_of_tables_are_the_tables_with_all_of_their_lines(tmp_path, monkeypatch):
    put(tmp_path, "mixed", rows_of_every_kind())
    monkeypatch.setattr(report_tables, "ROWS", 5)
    monkeypatch.setattr(exception_cells, "MOST", 1)
    summary = digest(read(tmp_path, run_store.read, KINDS))
    files = csv_files(summary.tables)
    assert set(files) == {f"{table.name}.csv" for table in summary.tables}
    assert (len(summary.rows.lines), len(summary.exceptions.lines)) == (5, 1)
    lines = list(csv.reader(StringIO(files["rows.csv"].decode())))
    assert lines[0] == list(summary.rows.heads) and len(lines) == 1 + len(rows_of_every_kind())
    column = lines[0].index("upper end")
    # Violated and undecided rows stand first, the others in their order.
    order = sorted(rows_of_every_kind(), key=lambda row: report_tables.SEVERITY.index(row.verdict))
    for line, row in zip(lines[1:], order, strict=True):
        assert line[:2] == [report_tables.judgement(row), row.subject]
        if row.upper is not None:
            assert Decimal(line[column - 1]) <= Decimal(row.lower) and Decimal(row.upper) <= Decimal(line[column])
    lines = list(csv.reader(StringIO(files["exceptions.csv"].decode())))
    assert [line[0] for line in lines[1:]] == ["✗ VIOLATED", "? UNDECIDED"]
    page = html_page.render(read(tmp_path, run_store.read, KINDS), summary, "", "my tables").decode()
    assert '<a href="my%20tables/rows.csv" download>rows.csv</a>: all 17 lines as CSV' in page
    assert '<a href="my%20tables/theorems.csv" download>theorems.csv</a>: the table as CSV' in page


@pytest.mark.nightly
def test_commands_to_copy_call_pldcheck_alone():
    fine = ("pldcheck audit thm-3.2", "pldcheck verify 'my job.toml' --out checked", "pldcheck")
    bad = (
        "pldcheck x; ls",
        "pldcheck $(ls)",
        "pldcheck `ls`",
        "pldcheck x\nls",
        "pldcheck 'x",
        "ls",
        "",
        "pldcheck a|b",
    )
    bad += ("pldcheck x &", "pldcheck > x", "PLD=1 pldcheck x", "pldcheck  x", "pldcheckx", "pldcheck *")
    lines = [("t", command) for command in (*fine, *bad)]
    table = make_table("t", "T", ("theorem", "command"), lines, (), every=lines)
    for part in (table.lines, table.every):
        assert [command for _, command in part] == [*fine, *["–"] * len(bad)]


@pytest.mark.nightly
def test_files_of_tables_hold_no_formulas_and_plain_numbers():
    texts = ("=1+1", "+a", "-a", "@a", 'a"b', "a,b", "plain")
    table = Table("t", "T", ("text", "number"), tuple((one, "-1\u202f000") for one in texts), (1,))
    lines = list(csv.reader(StringIO(csv_text(table))))
    assert lines[1:] == [[f"'{one}" if one[0] in "=+-@" else one, "-1000"] for one in texts]


@pytest.mark.nightly
def test_columns_without_content_are_left_out_and_the_others_keep_their_form():
    heads, lines = ("run", "theorem", "file", "command", "n"), (("a", "t", "–", "–", "1"), ("a", "u", "–", "–", "2"))
    table = make_table("t", "T", heads, lines, (4,), row_head=1)
    assert table.heads == ("theorem", "command", "n") and table.forms == ("head", "command", "text")
    assert (table.numeric, table.row_head) == ((2,), 0) and table.all_lines == table.lines
    more = make_table("t", "T", heads, lines[:1], (4,), row_head=1, every=(*lines, ("b", "v", "x.json", "–", "3")))
    assert more.heads == heads and len(more.lines) == 1 and len(more.all_lines) == 3
    assert make_table("t", "T", heads, (), ()) is None


@pytest.mark.nightly
def test_hostile_names_of_files_make_harmless_names_of_tables(tmp_path):
    stored = full(tmp_path / "stored") / "krr.json"
    for name in ("<b> & 'c'.json", "KRR.json", "\u202e.json", "krr-.json"):
        (tmp_path / "stored" / name).write_bytes(stored.read_bytes())
    (tmp_path / "stored" / "mixed.jsonl").unlink()
    put(tmp_path / "stored", "mixed", [Row(HOSTILE, {}, Verdict.VIOLATED, 0.1, 0.2, 0.3)], command=HOSTILE)
    summary = digest(read(tmp_path / "stored", run_store.read, KINDS))
    names = [table.name for table in summary.tables]
    assert len(set(names)) == len(names) and all(re.fullmatch("[a-z0-9-]+", name) for name in names)
    page = Page(html_page.render(read(tmp_path / "stored", run_store.read, KINDS), summary).decode())
    assert len(set(page.values("id"))) == len(page.values("id"))


def luminance(colour):
    """Return the relative luminance of a colour, after the guidelines for accessible pages."""
    digits = colour.lstrip("#") if len(colour) == 7 else "".join(2 * one for one in colour.lstrip("#"))
    parts = [int(digits[place : place + 2], 16) / 255 for place in (0, 2, 4)]
    red, green, blue = (part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


@pytest.mark.nightly
def test_letters_stand_out_against_their_ground_in_light_and_in_the_dark(text):
    style = text.partition("<style>")[2].partition("</style>")[0]
    schemes = re.findall(r":root\{([^}]*--paper[^}]*)\}", style)
    assert len(schemes) == 3  # light, dark and on paper
    for scheme in schemes:
        colours = dict(re.findall(r"--(\w+):(#[0-9a-f]+)", scheme))
        for ground in ("paper", "shade"):
            for name in ("ink", "soft", "link", "good", "bad", "open"):
                low, high = sorted(luminance(colours[one]) for one in (name, ground))
                assert (high + 0.05) / (low + 0.05) >= 4.5, (name, ground, scheme)


def test_links_of_the_stored_page_lead_to_files():
    page = (RESULTS / "report.html").read_text()
    ids = set(re.findall(r'\bid="([^"]*)"', page))
    links = [unescape(link) for link in re.findall(r'<a [^>]*?href="([^"]*)"', page)]
    files = [unquote(link) for link in links if not link.startswith(("#", "http"))]
    assert all(link[1:] in ids for link in links if link.startswith("#"))
    assert [file for file in files if not (RESULTS / file).is_file()] == []
    tables = {file for file in files if file.startswith("report-tables/")}
    assert tables == {f"report-tables/{path.name}" for path in (RESULTS / "report-tables").iterdir()}
    # Each violated cell of the refuted bounds leads to its witness, and so does each stored witness of another bound.
    rows = run_store.read(RESULTS / "suites" / "refuted.jsonl").rows
    witnesses = {f"suites/witnesses/{path.name}" for path in (RESULTS / "suites" / "witnesses").iterdir()}
    assert {f"suites/{file_name(row)}" for row in rows} < set(files) - tables == witnesses and len(rows) > 20


@pytest.mark.nightly
def test_the_stored_files_of_tables_are_those_of_the_stored_results():
    files = csv_files(digest(read(RESULTS, run_store.read, KINDS), None, file_name).tables)
    assert {path.name: path.read_bytes() for path in (RESULTS / "report-tables").iterdir()} == files


@pytest.mark.nightly
@pytest.mark.skipif(BROWSER is None, reason="no chromium or chrome")
def test_a_reader_can_filter_search_and_copy(text, tmp_path):
    # The page's own script, and after it what a reader types and chooses.
    probe = """
    const states = [];
    const type = (field, value) => { field.value = value; field.dispatchEvent(new Event("input")); };
    const table = document.getElementById("rows");
    const bar = table.closest(".scroll").previousElementSibling;
    const [own, verdict] = [bar.querySelector("input"), bar.querySelector("select")];
    const count = () => Array.from(table.tBodies[0].rows).filter(line => !line.hidden).length;
    states.push(count(), bar.querySelector("output").textContent);
    type(own, "EPS0=2 thm-a.4");
    states.push(count(), bar.querySelector("output").textContent);
    type(own, "");
    verdict.value = "✗ VIOLATED"; verdict.dispatchEvent(new Event("change"));
    states.push(count());
    verdict.value = ""; verdict.dispatchEvent(new Event("change"));
    const search = document.querySelector("nav [role=search]");
    const fold = document.querySelector("details");
    states.push(fold.open);
    type(search.querySelector("input"), "categories=3 nothing");
    states.push(count(), fold.open, search.querySelector("output").textContent);
    type(search.querySelector("input"), "vr-wang");
    states.push(count(), search.querySelector("output").textContent);
    type(search.querySelector("input"), "");
    states.push(count(), document.querySelector("#exceptions .copy").getAttribute("aria-label"));
    states.push(Array.from(document.querySelectorAll("input, select")).every(one => one.closest("label")));
    document.body.append(Object.assign(document.createElement("pre"), {id: "probe", textContent: states.join("|")}));
    """
    head, _, tail = text.rpartition("</script>")
    (tmp_path / "report.html").write_text(f"{head}{{{probe}}}</script>{tail}", encoding="utf-8")
    dom, console = browse(tmp_path / "report.html", tmp_path, "--dump-dom")
    assert console == []
    states = re.search(r'<pre id="probe">(.*?)</pre>', dom, re.S)[1].split("|")
    assert states[:5] == ["17", "", "4", "4 of 17 lines", "1"]
    assert states[5:9] == ["false", "0", "false", "0 lines"]
    assert states[9] == "1" and re.fullmatch(r"[3-9] lines", states[10])
    assert states[11:] == ["17", "copy: pldcheck verify", "true"]
