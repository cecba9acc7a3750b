"""The scripts for jax_privacy and Opacus that a notebook has as text print what it says, where these are installed."""

import re

import pytest

from tests.notebooks.stored_notebook import load, paths

NUMBER = re.compile(r"\d+(?:\.\d+)?(?:e-?\d+)?")


def script(heading):
    """Return the script and the text of what it prints, of the section of the notebook with this heading."""
    (path,) = (path for path in paths() if path.stem == "09_another_accountant")
    texts = ("".join(cell["source"]) for cell in load(path)["cells"] if cell["cell_type"] == "markdown")
    (text,) = (text for text in texts if text.startswith(f"## {heading}\n"))
    blocks = dict(re.findall(r"^```(\w+)\n(.*?)^```$", text, re.DOTALL | re.MULTILINE))
    return blocks["python"], blocks["text"]


@pytest.mark.nightly
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(("heading", "module"), [("jax_privacy", "jax_privacy.accounting"), ("Opacus", "opacus")])
def test_the_script_of_a_library_prints_what_the_notebook_says(heading, module, capsys):
    source, text = script(heading)
    compile(source, heading, "exec")
    pytest.importorskip(module)
    exec(source, {})
    out = capsys.readouterr().out
    assert NUMBER.sub("", out) == NUMBER.sub("", text)
    # The last digits depend on the processor.
    assert [float(number) for number in NUMBER.findall(out)] == pytest.approx(
        [float(number) for number in NUMBER.findall(text)], rel=1e-9
    )
