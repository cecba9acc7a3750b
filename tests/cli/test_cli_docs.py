"""``docs`` on the command line: the site's pages, their links and formulas, and what they say."""

import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest
from places import RESULTS

import pldcheck as package
from pldcheck.core.parameters import Text
from pldcheck.protocols import PROTOCOLS
from pldcheck.theorems import REGISTRY, REMARKS
from pldcheck.theorems.statements import STATEMENTS

pytest.importorskip("pdoc")
pytest.importorskip("ziamath")

from pldcheck.cli.docs import absent_lines
from pldcheck.cli.lesson_pictures import PICTURES
from pldcheck.cli.peers import meanings
from pldcheck.cli.protocol_facts import protocol_facts
from pldcheck.cli.protocol_text import NEEDED_EPS0
from pldcheck.cli.theorem_bound import bound_line
from pldcheck.core.adjacencies import NEIGHBOURS
from pldcheck.report.site import documented_modules
from pldcheck.report.site.docstring_html import Links, docstring_html, plain_line
from pldcheck.report.site.formula_svg import clauses, picture, share_letters
from pldcheck.report.site.method_chapters import CHAPTERS
from pldcheck.report.site.method_lessons import LESSONS
from pldcheck.report.site.page_templates import raised

# What must not be left of reStructuredText, of addresses that are relative to the site, and of what stood for pieces.
LEFT_OVER = re.compile('[\ue000\ue001]|:(?:math|mod|func|class|data|meth|attr|exc):`|\\.\\. math::|"@/')
# Pages of a small sample that are no page of a module.
SAMPLE = (
    "index.html",
    "answers.html",
    "tasks.html",
    "guides/which-sampling.html",
    "guides/pytest.html",
    "guides/referees.html",
    "guides/counterexamples.html",
    "method/intervals.html",
    "theorems/thm-3.2.html",
    "items/def-2.1.html",
    "statements/curves.html",
    "protocols/hidden-slot.html",
    "rooms/pldcheck/core.html",
)
LINKS = Links(
    {"pldcheck.core.interval": "@/i.html", "pldcheck.core.interval.Interval": "@/i.html#Interval"},
    {"thm-3.2": "@/theorems/thm-3.2.html"},
)


def pages(folder):
    """Return the text of all pages by path."""
    return {path.resolve(): path.read_text() for path in Path(folder).rglob("*.html")}


def broken_links(folder):
    """Yield pages and addresses in them that lead nowhere, and what pages would fetch from elsewhere."""
    texts = pages(folder)
    places = {path: set(re.findall(r'\bid="([^"]+)"', text)) for path, text in texts.items()}
    for path, text in texts.items():
        for kind, address in re.findall(r'\b(href|src)="([^"]+)"', text):
            if address.startswith(("https:", "data:")):
                if kind == "src":
                    yield path, address
                continue
            file, _, anchor = address.partition("#")
            target = (path.parent / file).resolve() if file else path
            if not target.is_file() or (anchor and anchor not in places[target]):
                yield path, address


class TestDocstrings:
    def test_roles_are_links(self):
        text = "See :mod:`~pldcheck.core.interval`, :class:`Interval` and :func:`pldcheck.core.interval.gone`."
        html = docstring_html(text, LINKS, "pldcheck.core.interval")
        assert '<a href="@/i.html"><code>interval</code></a>' in html
        assert '<a href="@/i.html#Interval"><code>Interval</code></a>' in html
        assert '<a href="@/i.html"><code>core.interval.gone</code></a>' in html

    def test_code_is_left_alone_and_theorems_are_links(self):
        html = docstring_html("``a*b < c`` and ``thm-3.2`` and 2 * 3 * 4, *Proof.* **All.** x < y", LINKS)
        assert "<code>a*b &lt; c</code>" in html
        assert '<a href="@/theorems/thm-3.2.html"><code>thm-3.2</code></a>' in html
        assert "2 &#42; 3 &#42; 4, <em>Proof.</em> <strong>All.</strong> x &lt; y" in html

    def test_formulas_are_pictures_in_lines_and_between_them(self):
        html = docstring_html("A :math:`x_1\n\\le 2` here.\n\n.. math:: y =\n    \\frac12\n\nThen more.", LINKS)
        assert html.count("<svg") == 2 and html.count('<div class="display"') == 1
        assert 'aria-label="x_1 \\le 2"' in html and 'aria-label="y = \\frac12"' in html
        assert "<p>Then more.</p>" in html

    def test_sessions_and_sections(self):
        text = ">>> f(1)  # doctest: +SKIP\n2\n\nParameters\n----------\nx : float\n    A number."
        html = docstring_html(text, LINKS)
        assert "doctest" not in html and '<pre class="pdoc-code"' in html
        assert re.search(r"Parameters</h6>.*<strong>x</strong> \(float\)", html, re.S)

    def test_first_lines_are_plain(self):
        assert plain_line("Read :mod:`~pldcheck.core.interval` and ``x``.\n\nMore.") == "Read interval and x."


class TestFormulas:
    @pytest.mark.nightly
    def test_every_statement_can_be_drawn(self):
        entries = (*REGISTRY.values(), *(remark for remark in REMARKS.values() if remark.statement))
        assert all(picture(entry.statement, display=True).startswith("<svg") for entry in entries)

    def test_clauses_are_apart(self):
        assert clauses(r"x = \frac{a \quad b}{c}, \quad y = 1") == [r"x = \frac{a \quad b}{c},", "y = 1"]
        assert clauses(r"\left(a \quad b\right)") == [r"\left(a \quad b\right)"]

    def test_letters_stand_once_in_a_page(self):
        page, letters = share_letters(picture("x + x") + picture("x"))
        uses = set(re.findall(r'href="#([^"]+)"', page))
        assert "<symbol" not in page and uses <= set(re.findall(r'<symbol id="([^"]+)"', letters))
        assert letters.count("<symbol") == len(set(re.findall(r'<symbol id="([^"]+)"', letters)))

    def test_what_cannot_be_drawn_is_shown_as_it_is(self):
        assert picture("\\frac{a<b") == "<code>\\frac{a&lt;b</code>"


def test_powers_in_plain_sentences_are_superscripts():
    assert raised("h^2 <= e^epsilon and e^(t s), 2^-53") == (
        "h<sup>2</sup> &lt;= e<sup>epsilon</sup> and e<sup>t s</sup>, 2<sup>-53</sup>"
    )
    assert raised("e^(a (b - c)) & no more") == "e^(a (b - c)) &amp; no more"


def test_modules_without_a_page_are_named_once_with_the_library_that_they_need():
    missing = {"p.a": "No module named 'pytest'", "p.b": "No module named 'pytest.x'", "p.c": "broken"}
    assert absent_lines(missing) == [
        "p.a and p.b have no page here, since pytest is not installed.",
        "p.c has no page here, because: broken.",
    ]


class TestFacts:
    def test_every_command_that_is_named_is_one(self, pldcheck):
        named = {
            command
            for facts in protocol_facts()
            for _, words in facts.answers
            for command in re.findall(r"\(pldcheck ([^)]*)\)", words)
        }
        assert "witness write shuffle" in named and "eps shuffle" in named
        for command in named:
            assert pldcheck(*command.split(), "--help").status == 0, command

    @pytest.mark.parametrize("facts", protocol_facts(), ids=lambda facts: facts.name)
    def test_the_command_and_python_ask_the_same(self, facts):
        protocol = PROTOCOLS[facts.name]
        if not facts.command:
            assert not any(protocol.supports(quantity) for quantity in ("epsilon", "delta", "renyi"))
            return
        _, _, _, *words = shlex.split(facts.command)
        options: dict = {}
        for option, value in zip(words[::2], words[1::2], strict=True):
            options.setdefault(option[2:].replace("-", "_"), []).append(value)
        call = facts.python.splitlines()[-1]
        instance = eval(call[: call.rindex(").") + 1], {"pldcheck": package})
        assert type(instance) is protocol
        arguments = {name: values for name, values in options.items() if name in protocol.parameters()}
        for name, values in arguments.items():
            parameter = protocol.parameters()[name]
            several = isinstance(parameter, Text) and parameter.several
            same = (
                tuple(values) if several else values[0] if isinstance(parameter, Text) else parameter.parse(values[0])
            )
            assert instance.params()[name] == same
        assert instance == protocol(**{name: instance.params()[name] for name in arguments})
        ((name, (value,)),) = ((name, values) for name, values in options.items() if name not in arguments)
        assert f"({name}={float(value)!r})" in call

    def test_every_theorem_has_a_line_that_evaluates_it(self, pldcheck):
        for theorem in REGISTRY.values():
            words = shlex.split(bound_line(theorem))
            result = pldcheck(*words)
            assert result.status == 0, result.err

    def test_chapters_are_of_modules_that_exist(self):
        rooms = {name.partition(".")[0] for chapter in CHAPTERS for name in chapter.modules}
        modules, _ = documented_modules.load_modules(tuple(rooms))
        assert [chapter.slug for chapter in CHAPTERS] == list(LESSONS) and len(LESSONS) == 10
        assert PICTURES.keys() <= LESSONS.keys()
        assert {f"pldcheck.{name}" for chapter in CHAPTERS for name in chapter.modules} <= modules.keys()


@pytest.mark.nightly
def test_a_small_sample_is_whole(pldcheck, engine):
    result = pldcheck("docs", "--quick", "--out", "site", "--results", RESULTS)
    assert (result.status, result.err) == (0, "")
    assert re.fullmatch(r"\d+ pages, \d\.\d MB, \d+ s\nsite/index\.html\n", result.out)
    texts = pages("site")
    assert {Path("site", name).resolve() for name in SAMPLE} <= texts.keys()
    assert list(broken_links("site")) == []
    assert not [path for path, text in texts.items() if LEFT_OVER.search(text)]
    # Every line of a printed answer is explained, every adjacency, and what verify and compare print.
    page = re.sub("<[^>]*>", "|", texts[Path("site/answers.html").resolve()])
    for label in ("at", "width", "missed", "because", "lower bound", "upper bound", "both bounds", "time", *NEIGHBOURS):
        assert re.search(rf"[|,] *{label}[|,]", page), label
    assert "$ pldcheck eps check-in --steps 1000 --eps0 1 --delta 1e-6" in page
    for words in ("left out of min, median and max", "largest tightness", "claims above eps0", *meanings().values()):
        assert words in page
    index = texts[Path("site/index.html").resolve()]
    assert 'href="#protocols"' in index and ">Modules</a>" in index and ">Rooms" not in index
    # What a package imports only when it is asked for is described as well.
    assert 'id="HiddenSlot.epsilon"' in texts[Path("site/rooms/pldcheck.html").resolve()]
    theorem = texts[Path("site/theorems/thm-3.2.html").resolve()]
    for text in ("decided cells", "Suite paper", "pldcheck audit thm-3.2", "check_in_prob", "arxiv.org", "<figure>"):
        assert text in theorem
    assert '"thm-3.2", "theorems/thm-3.2.html", "theorem"' in Path("site/search-index.js").read_text()


@pytest.mark.nightly
def test_without_stored_results_there_are_no_verdicts(pldcheck, engine):
    result = pldcheck("docs", "--quick", "--out", "site")
    assert result.status == 0 and result.out.startswith("There are no stored runs in results")
    assert "<figure>" not in Path("site/theorems/thm-3.2.html").read_text()
    assert pldcheck("docs", "--quick", "--out", "site", "--json").json["suites"] == []


@pytest.mark.parametrize("library", ["pdoc", "ziamath"])
def test_without_its_libraries_it_says_what_to_install(pldcheck, monkeypatch, library):
    for name in [name for name in sys.modules if name.startswith("pldcheck.report.site")]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.delitem(sys.modules, "pldcheck.cli.protocol_facts", raising=False)
    monkeypatch.setitem(sys.modules, library, None)
    result = pldcheck("docs", "--out", "site")
    message = f"pldcheck: the site needs {library}: pip install 'pldcheck[docs]'\n"
    assert (result.status, result.out, result.err) == (2, "", message)
    assert not Path("site").exists()


@pytest.mark.nightly
def test_pdoc_itself_needs_neither_pytest_nor_peers(tmp_path):
    absent = ["pytest", "_pytest", "prv_accountant", "autodp", "opendp", "PLD_accounting", "distributed", "pandas"]
    code = (
        f"import sys; sys.modules.update(dict.fromkeys({absent!r}))\n"
        f"from pdoc.__main__ import cli\ncli(['pldcheck', '-o', {str(tmp_path)!r}])"
    )
    process = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert process.returncode == 0, process.stderr
    assert "HiddenSlot" in (tmp_path / "pldcheck.html").read_text()


@pytest.mark.long
def test_the_whole_site_has_all_pages_and_no_broken_links(pldcheck, engine):
    result = pldcheck("docs", "--out", "site", "--results", RESULTS)
    # The work takes minutes, and says how far it is.
    assert result.status == 0 and all(re.search(r", \d+ s so far$", line) for line in result.err.splitlines())
    texts = pages("site")
    paths_of_pages = [f"theorems/{name}.html" for name in REGISTRY]
    paths_of_pages += [f"items/{name}.html" for name in REMARKS]
    paths_of_pages += [f"statements/{name}.html" for name in STATEMENTS]
    paths_of_pages += [f"protocols/{name}.html" for name in PROTOCOLS]
    paths_of_pages += [f"method/{chapter.slug}.html" for chapter in CHAPTERS]
    assert {Path("site", name).resolve() for name in paths_of_pages} <= texts.keys()
    assert list(broken_links("site")) == []
    assert not [path for path, text in texts.items() if LEFT_OVER.search(text)]
    # A formula that cannot be drawn would stand as its LaTeX.
    assert not [path for path, text in texts.items() if re.search(r"<code>[^<]*\\(?:frac|epsilon|sum)", text)]
    assert NEEDED_EPS0 in Path("site/protocols/check-in.html").read_text()
    assert "protocols/subsampled-gaussian.html" in Path("site/index.html").read_text().partition("<h2>")[0]
    violation_page = Path("site/theorems/vr-wang.html").read_text()
    proposition = Path("site/items/prop-3.4.html").read_text()
    assert "pldcheck audit prop-3.4" in proposition and "3.4/exponential" in proposition
    assert "✗ violated at" in violation_page and Path("site/theorems/thm-3.2-simple.html").read_text().count(
        "steps fail"
    )
