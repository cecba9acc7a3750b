"""The page and its Markdown twin: what they say, that they say the same, and that nothing in them is fetched."""

import os
import re
import shutil
import subprocess
from html.parser import HTMLParser
from pathlib import Path

import pytest
from stored_results import HOSTILE, full, many_rows, put, rows_of_every_kind

from pldcheck.cli.eps_delta_renyi import SAMPLE
from pldcheck.core.parameters import parse
from pldcheck.report import html_page, markdown_page
from pldcheck.report.html_page import css_text
from pldcheck.report.page_table import make_table, page_number
from pldcheck.report.report_digest import digest, summary_lines
from pldcheck.report.report_tables import parameters
from pldcheck.report.results_folder import read
from pldcheck.report.table_files import csv_text
from pldcheck.study.stored_studies import KINDS
from pldcheck.theorems import REGISTRY
from pldcheck.verification import Row, Verdict
from pldcheck.verification.runs import run_store

BROWSER = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome", "chrome"))), None)
VOID = {"meta", "link", "br", "input", "img", "hr", "path", "use"}


class Page(HTMLParser):
    """Texts of tables, all attributes, ids and references, and whether the elements nest."""

    def __init__(self, text):
        super().__init__()
        self.attributes, self.texts, self.open, self.lines, self.tags = [], [], [], [], []
        self.feed(text)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag, attrs):
        self.tags.append(tag)
        self.attributes += [(tag, *pair) for pair in attrs]
        if tag not in VOID:
            self.open.append(tag)
        if tag == "tr":
            self.lines.append([])
        if tag in ("td", "th"):
            self.lines[-1].append("")

    def handle_startendtag(self, tag, attrs):
        self.handle_starttag(tag, attrs)
        if tag not in VOID:
            self.open.pop()

    def handle_endtag(self, tag):
        if tag not in VOID:
            assert self.open.pop() == tag

    def handle_data(self, text):
        self.texts.append(text)
        if {"td", "th"} & set(self.open):  # a link or a command is inside of its cell
            self.lines[-1][-1] += text

    def values(self, *names):
        return [value for _, name, value in self.attributes if name in names]


def make_pages(path, title=None):
    """Return the page and the Markdown of a folder."""
    content = read(path, run_store.read, KINDS)
    summary = digest(content, title)
    return html_page.render(content, summary).decode(), markdown_page.render(content, summary, "report.html").decode()


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return full(tmp_path_factory.mktemp("stored"))


@pytest.fixture(scope="module")
def pair(folder):
    return make_pages(folder)


@pytest.fixture(scope="module")
def page(pair):
    return Page(pair[0])


def test_the_first_screen_tells_the_answer(pair):
    text, twin = pair
    for page_text in (text, twin.replace("\\", "")):
        assert (
            "1 of 2 published theorems is false; the other one holds at every decided cell (12 cells); 1 cell is open."
            in page_text
        )
        # What is false, with its paper and year, the claim, the end that contradicts it, the place and the run.
        for part in (
            "✗ Wang et al. (2024), variation-ratio reduction, ",
            "claims δ ≤ 0.1, the truth is at least 0.2, at clients=9, eps0=1, tv=0.4, epsilon=0.5; 1 of 1 cell",
            "run mixed",
        ):
            assert part in page_text or part.replace("✗ ", "vr-wang, ") in page_text
        assert "published upper bounds on ε hold (12 cells), they claim 1.99 times the certified upper end" in page_text
        assert "3 theorems of 3 papers and 1 protocol without a theorem at 17 cells in 1 run (mixed)" in page_text
        assert "1 waterfall, 1 comparison, 1 trajectory" in page_text
    # All of it stands before the first table, and so does the picture of all published bounds.
    start = text.partition("<nav")[0]
    assert start.index("is false") < start.index("claims δ") < start.index("How tight") < start.index('id="bounds-')


def test_certified_ends_are_printed_outward_with_reasons_and_witnesses(page):
    lines = [line for line in page.lines if line[:3] == ["✗ VIOLATED", "vr-wang", "published"]]
    params = "clients=9, eps0=1, tv=0.4, epsilon=0.5"
    assert [line[2:8] for line in lines] == [["published", params, "δ", "0.1", "0.2", "0.25"]]
    assert lines[0][8:] == ["pldcheck verify", "witness: extreme law BE in every slot"]
    (undecided,) = [line for line in page.lines if line[:3] == ["? UNDECIDED", "adv-18", "published"]]
    assert undecided[-1] == "MemoryError: no"
    (answer,) = [line for line in page.lines if line[:2] == ["hidden-slot", "ε"]]
    assert answer[2:5] == ["steps=50, eps0=1, delta=1e-6, adjacency=replace", "0.123456", "0.123457"]


def test_shares_of_the_error_budget_are_shown(page):
    lines = {
        line[0]: line[1:4] for line in page.lines if line and line[0] in ("discretisation", "truncation", "rounding")
    }
    assert lines == {
        "discretisation": ["75 %", "75 %", "3e-9"],
        "truncation": ["25 %", "25 %", "1.01e-9"],
        "rounding": ["0 %", "0 %", "0"],
    }


def test_markdown_has_the_tables_of_the_page(pair, page):
    lines = []
    for line in pair[1].splitlines():
        if line.startswith("| "):
            cells = re.split(r"(?<!\\)\|", line)[1:-1]
            lines.append([re.sub(r"\\(.)", r"\1", cell).strip() for cell in cells])
    assert lines == page.lines and len(lines) > 30


def test_a_page_loads_nothing_from_elsewhere(pair, page):
    text = pair[0]
    assert not {"img", "iframe", "object", "embed", "base", "video", "audio"} & set(page.tags)
    for tag, name, value in page.attributes:
        if name in ("src", "href", "xlink:href", "srcset", "action", "data", "poster"):
            assert value.startswith(("#", "data:")) or (tag, name) == ("a", "href"), (tag, name, value)
    assert "@import" not in text and not re.search(r"url\((?!#)", text) and "xlink" not in text
    assert page.tags.count("script") == 1 and not any(name.startswith("on") for _, name, _ in page.attributes)


def test_ids_are_unique_and_references_lead_somewhere(pair, page):
    ids = page.values("id")
    assert len(set(ids)) == len(ids)
    for reference in page.values("href", "aria-labelledby"):
        if not reference.startswith(("http", "data:")):
            assert reference.removeprefix("#") in ids
    for reference in re.findall(r"url\(#([^)]*)\)", pair[0]):
        assert reference in ids


def test_figures_have_a_text_for_those_who_do_not_see_them(page):
    labels = [value for tag, name, value in page.attributes if (tag, name) == ("div", "aria-label")]
    assert page.tags.count("figure") == page.tags.count("figcaption") == 6
    assert all(len(label) > 5 for label in labels)
    assert ("html", "lang", "en") in page.attributes
    heads = [tag for tag in page.tags if re.fullmatch("h[1-6]", tag)]
    assert heads[0] == "h1" and heads.count("h1") == 1
    assert all(int(after[1]) - int(before[1]) <= 1 for before, after in zip(heads, heads[1:], strict=False))


@pytest.mark.nightly
def test_the_same_files_give_the_same_bytes(folder, pair):
    assert make_pages(folder) == pair
    assert str(folder) not in pair[0] + pair[1]


def test_hostile_text_is_shown_as_it_is(tmp_path):
    row = Row(
        HOSTILE,
        {HOSTILE: HOSTILE, "eps0": 1.0},
        Verdict.UNDECIDED,
        1.0,
        0.5,
        2.0,
        reason=HOSTILE,
        witness={"kind": HOSTILE},
    )
    free = Row(None, {"steps": 3}, Verdict.NOT_JUDGED, None, 0.5, 0.5, protocol=HOSTILE)
    put(tmp_path, "x", (row, free), command=HOSTILE, machine={HOSTILE: HOSTILE})
    (tmp_path / "<b>.json").write_text("{")
    text, twin = make_pages(tmp_path, title=HOSTILE)
    page = Page(text)
    assert page.tags.count("script") == 1 and "<b>" not in text.split("<dl")[0].split("<body>")[0]
    assert "<script>alert" not in text and "&lt;script&gt;alert" in text and "{{ 1 + 1 }}" in text
    assert any("<script>alert('x')</script>" in part for part in page.texts)
    for line in twin.splitlines():
        assert not line.startswith("# head") and not re.search(r"(?<!\\)<script", line)
    # A line of a table is one line, with the cells it should have.
    lengths = {line.count("|") - line.count("\\|") for line in twin.splitlines() if line.startswith("| ")}
    assert len(lengths) > 1 and "witness" in twin


def test_other_outcomes_are_stated_in_sentences(tmp_path):
    def answer(*rows):
        return digest(read(put(tmp_path, "x", rows), run_store.read, KINDS)).answer

    def row(verdict, theorem="thm-A.4"):
        params = {"steps": 1, "eps0": 1.0, "weight": 1.0, "delta": 0.1}
        if theorem is None:
            return Row(None, params, verdict, None, 1.0, 1.0, protocol="hidden-slot")
        if verdict is Verdict.OUT_OF_CONDITIONS:
            return Row(theorem, params, verdict)
        ends = {Verdict.HOLDS: (1.0, 1.0), Verdict.VIOLATED: (3.0, 3.0), Verdict.UNDECIDED: (1.0, 3.0)}[verdict]
        return Row(theorem, params, verdict, 2.0, *ends)

    hold, false, open_ = row(Verdict.HOLDS), row(Verdict.VIOLATED), row(Verdict.UNDECIDED)
    assert answer(hold) == "The one published theorem holds at every decided cell (1 cell)."
    all_hold = "The one published theorem holds at every decided cell (2 cells); 1 cell is open."
    assert answer(hold, hold, open_) == all_hold
    assert answer(false, hold) == "1 of 1 published theorem is false."
    assert answer(open_, open_) == "The one published theorem could not be judged; 2 cells are open."
    assert answer(row(Verdict.OUT_OF_CONDITIONS)).startswith("No verdict on 1 published theorem: no cell is inside its")
    assert answer(row(Verdict.NOT_JUDGED, None)) == "No theorem was judged."


def test_published_recalled_and_deliberately_false_claims_are_told_apart_published_first(tmp_path):
    """A reading that nobody claims is no violated theorem of a paper."""

    def row(theorem, verdict, steps=3, **facts):
        ends = {Verdict.HOLDS: (0.1, 0.1), Verdict.VIOLATED: (0.3, 0.3), Verdict.UNJUDGEABLE: (None, None)}[verdict]
        values = {name: {**SAMPLE, "steps": steps}[name] for name in REGISTRY[theorem].parameters}
        return Row(theorem, parse(**values), verdict, None if facts else 0.2, *ends, **facts)

    rows = [
        row("group-linear", Verdict.VIOLATED),
        row("bs16-3.6", Verdict.HOLDS),
        row("thm-A.4", Verdict.HOLDS),
        row("thm-A.4", Verdict.VIOLATED, steps=4),
        row("thm-5.1-approx", Verdict.UNJUDGEABLE, reason="no protocol takes it"),
        row("chen-gdp", Verdict.VIOLATED),
        row("thm-3.2-improved", Verdict.HOLDS),
    ]
    page = digest(read(put(tmp_path, "x", rows), run_store.read, KINDS))
    assert page.answer == (
        "1 of 1 published theorem is false; 1 cell is open. 1 of 1 published approximation is no bound. "
        "The one bound of pldcheck's own holds at every decided cell (1 cell). "
        "The one theorem as recalled holds at every decided cell (1 cell). "
        "1 of 1 deliberately false reading is false."
    )
    assert page.exceptions is not None and page.theorems is not None and page.rows is not None
    last = page.exceptions.lines[-1]
    assert (last[0], last[1], last[-1]) == ("— UNJUDGEABLE", "thm-5.1-approx", "no protocol takes it")
    # In each table the verdict stands first, and above all others what is violated, published theorems first.
    assert [line[:2] for line in page.theorems.lines] == [
        ("✗ VIOLATED", "thm-A.4"),
        ("✗ VIOLATED", "chen-gdp"),
        ("✗ VIOLATED", "group-linear"),
        ("— UNJUDGEABLE", "thm-5.1-approx"),
        ("✓ HOLDS", "thm-3.2-improved"),
        ("✓ HOLDS", "bs16-3.6"),
    ]
    assert [line[1] for line in page.exceptions.lines[:3]] == ["thm-A.4", "chen-gdp", "group-linear"]
    assert [line[0] for line in page.rows.lines] == ["✗ VIOLATED"] * 3 + ["— UNJUDGEABLE"] + ["✓ HOLDS"] * 3
    place = page.theorems.heads.index("statement")
    origins = ["published", "approximation", "deliberately false", "published", "of pldcheck", "recalled"]
    assert [line[place] for line in page.theorems.lines] == origins
    assert page.theorems.lines[0][place - 1] == "Balle et al. (2020), Theorem A.4"
    assert "in no run, since no protocol here is what they are about (lem-A.3, thm-A.7-approx" in page.left_out
    # A deliberately false reading is no news: it is named, and not told like a false theorem.
    lines = summary_lines(page)
    assert sum("✗" in line for line in lines) == 2 and lines[-1] == "1 of 1 deliberately false reading is false."
    # The badge of a theorem says of which run it is.
    text, twin = make_pages(tmp_path)
    badge = '<span class="badge"><b class="v">✗ VIOLATED</b> 1 of 2 cells, run x</span>'
    assert badge in text and "group-linear." in text and "\ngroup-linear.\n" in twin


def test_damaged_files_are_reported_in_the_page_and_its_markdown_twin(tmp_path):
    put(tmp_path, "good", rows_of_every_kind())
    (tmp_path / "bad.jsonl").write_text("no\n")
    text, twin = make_pages(tmp_path)
    for page_text in (text, twin.replace("\\", "")):
        assert "bad.jsonl" in page_text and "line 1: not JSON" in page_text
    assert 'class="warning"' in text and "**left out**" in twin


@pytest.mark.nightly
def test_infinite_and_zero_ends_are_shown(tmp_path):
    rows = (
        Row(
            "thm-A.4", {"steps": 1, "eps0": 1.0, "weight": 1.0, "delta": 0.1}, Verdict.UNDECIDED, 1.0, 0.0, float("inf")
        ),
        Row("thm-A.4", {"steps": 10, "eps0": 1.0, "weight": 1.0, "delta": 0.1}, Verdict.HOLDS, 1.0, 0.0, 0.0),
    )
    lines = Page(make_pages(put(tmp_path, "x", rows))[0]).lines
    assert [line[6:8] for line in lines if line[:1] == ["? UNDECIDED"] and line[2] == "published"] == [["0", "inf"]]
    assert [line[4:6] for line in lines if line[0] == "✓ HOLDS" and len(line) == 8] == [["0", "0"]]


@pytest.mark.long
def test_a_hundred_thousand_rows_are_a_page_of_less_than_five_megabytes(tmp_path):
    put(tmp_path, "large", many_rows(100_000))
    text, twin = make_pages(tmp_path)
    assert len(text.encode()) < 5e6 and len(twin.encode()) < 5e6
    assert "All 7 published theorems hold at every decided cell (87\u202f500 cells)" in text
    assert "4\u202f000 of 100\u202f000 rows" in text
    assert text.count("<path") + text.count("<use") < 20_000


def test_verdicts_have_a_sign_beside_their_colour_and_numbers_one_format(page):
    """No exponent has a plus or a zero in front, and thousands stand apart in every column of numbers."""
    cells = [cell for line in page.lines for cell in line]
    assert {"✗ VIOLATED", "? UNDECIDED", "✓ HOLDS", "∅ OUT-OF-CONDITIONS", "· NOT-JUDGED"} <= set(cells)
    assert not [cell for cell in cells if re.search(r"[0-9]e(\+|-?0)", cell)]
    assert [page_number(text) for text in ("1234", "1e-06", "12345.6789", "9.1e+07", "≤ 1500 s", "inf")] == [
        *("1\u202f234", "1e-6", "12\u202f345.6789", "9.1e7", "≤ 1\u202f500 s", "inf"),
    ]
    row = Row("t", {"steps": 10**400, "clients": 10**7, "delta": 1e-06, "n": 12345, "known": True}, Verdict.NOT_JUDGED)
    assert parameters(row) == f"steps={10**400}, clients=1e7, delta=1e-6, n=12345, known=True"
    table = make_table("t", "T", ("a", "b"), [("10000", "10000.5")], (1,))
    assert table.lines == (("10000", "10\u202f000.5"),) and csv_text(table) == "a,b\n10000,10000.5\n"
    assert css_text('a"\\}</style>') == "a\\22 \\5c \\7d \\3c \\2f style\\3e "


def browse(path, tmp_path, *options):
    """Return what a browser makes of a page, and what it complains of."""
    words = [BROWSER, "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run"]
    words += ["--disable-background-networking", "--disable-extensions", "--enable-logging=stderr", "--v=0"]
    words += [f"--user-data-dir={tmp_path / 'profile'}", f"--log-net-log={tmp_path / 'net.json'}"]
    words += ["--virtual-time-budget=5000", *options, path.as_uri()]
    environment = {**os.environ, "HOME": str(tmp_path)}
    process = subprocess.run(words, capture_output=True, text=True, timeout=600, env=environment, check=False)
    return process.stdout, [line for line in process.stderr.splitlines() if "CONSOLE" in line]


@pytest.mark.skipif(BROWSER is None, reason="no chromium or chrome")
class TestInABrowser:
    def test_it_is_drawn_without_complaints_or_requests(self, pair, tmp_path):
        (tmp_path / "report.html").write_text(pair[0], encoding="utf-8")
        dom, console = browse(tmp_path / "report.html", tmp_path, "--dump-dom")
        assert console == []
        for text in (
            "published theorems is false",
            "✗ VIOLATED",
            "Where thm-3.2 loses",
            "All 17 rows are here",
            "</html>",
        ):
            assert text in dom
        assert dom.count("<button") > 20 and dom.count("<svg") >= 7
        requests = re.findall(r'"url":"((?:https?|wss?|ftp|file|data):[^"]*)"', (tmp_path / "net.json").read_text())
        ours = [url for url in requests if "report.html" not in url and "google" not in url and "gstatic" not in url]
        assert [url for url in ours if url.startswith(("file", "ftp"))] == []
        assert not any("arxiv" in url for url in requests)

    @pytest.mark.nightly
    def test_heads_sort_by_number_and_back_and_say_so(self, pair, tmp_path):
        # The page's own script, and after it the clicks of a reader.
        probe = """
        const table = document.getElementById("rows");
        const heads = Array.from(table.tHead.rows[0].cells);
        const column = heads.findIndex(head => head.textContent === "claimed");
        const read = () => Array.from(table.tBodies[0].rows, row => row.cells[column].textContent).join(" ");
        const button = heads[column].querySelector("button");
        const states = [];
        for (let i = 0; i < 2; i++) {
          button.focus(); button.click(); states.push(heads[column].getAttribute("aria-sort"), read());
        }
        heads[0].querySelector("button").click();
        states.push(heads[column].getAttribute("aria-sort"), heads[0].getAttribute("aria-sort"));
        states.push(document.activeElement.tagName);
        const box = document.createElement("pre");
        box.id = "probe";
        box.textContent = states.join("\\n");
        document.body.append(box);
        """
        head, _, tail = pair[0].rpartition("</script>")
        (tmp_path / "report.html").write_text(f"{head}{probe}</script>{tail}", encoding="utf-8")
        dom, console = browse(tmp_path / "report.html", tmp_path, "--dump-dom")
        assert console == []
        up, rising, down, falling, *rest = re.search(r'<pre id="probe">(.*?)</pre>', dom, re.S)[1].split("\n")
        assert (up, down, rest) == ("ascending", "descending", ["", "ascending", "BUTTON"])
        numbers = [float(text) for text in rising.split() if text != "–"]
        assert numbers == sorted(numbers) and len(numbers) == 15
        # What is missing stays last.
        assert rising.split()[-2:] == falling.split()[-2:] == ["–", "–"]
        assert [float(text) for text in falling.split() if text != "–"] == numbers[::-1]

    @pytest.mark.nightly
    def test_no_page_scrolls_sideways_on_a_desk_or_a_phone_where_tables_are_cards(self, pair, tmp_path):
        (tmp_path / "report.html").write_text(pair[0], encoding="utf-8")
        probe = """
        onload = () => {
          const told = Array.from(document.querySelectorAll("iframe"), frame => {
            const page = frame.contentDocument, cell = page.querySelector("#theorems tbody td:nth-child(3)");
            const view = page.defaultView, table = page.querySelector("#theorems").closest(".scroll");
            return [page.documentElement.scrollWidth <= view.innerWidth, table.scrollWidth <= table.clientWidth,
              view.getComputedStyle(cell).display, view.getComputedStyle(cell, "::before").content].join(" ");
          });
          const box = Object.assign(document.createElement("pre"), {id: "probe", textContent: told.join("|")});
          document.body.append(box);
        };
        """
        frames = "".join(f'<iframe src="report.html" width="{width}" height="800"></iframe>' for width in (1280, 390))
        (tmp_path / "frames.html").write_text(f"<body>{frames}<script>{probe}</script></body>", encoding="utf-8")
        dom, _ = browse(tmp_path / "frames.html", tmp_path, "--dump-dom", "--allow-file-access-from-files")
        desk, phone = re.search(r'<pre id="probe">(.*?)</pre>', dom, re.S)[1].split("|")
        assert (desk, phone) == ("true true table-cell none", 'true true inline "paper: "')

    @pytest.mark.nightly
    def test_it_is_readable_without_scripts_and_in_the_dark(self, pair, tmp_path):
        bare = re.sub(r"<script>.*?</script>", "", pair[0], flags=re.S)
        (tmp_path / "report.html").write_text(bare, encoding="utf-8")
        dom, console = browse(
            tmp_path / "report.html", tmp_path, "--dump-dom", "--blink-settings=preferredColorScheme=0"
        )
        assert console == [] and "✗ VIOLATED" in dom and "<button" not in dom


def test_templates_are_part_of_the_package():
    folder = Path(html_page.__file__).parent / "templates"
    assert {path.name for path in folder.iterdir()} == {"report.html.jinja", "report.css", "report.js"}
