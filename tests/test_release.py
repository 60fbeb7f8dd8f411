"""The places that name the version agree, and the citation file names the paper."""

import re
import tomllib
from pathlib import Path

ROOT = Path(__file__).parent.parent
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]


def found(pattern, name):
    return re.findall(pattern, (ROOT / name).read_text(encoding="utf-8"), re.MULTILINE)


def test_every_file_names_the_same_version():
    version = PROJECT["version"]
    assert found(r'^__version__ = "(.*)"$', "src/first_occupancy/__init__.py") == [version]
    assert found(r"^version: (.*)$", "CITATION.cff") == [version]
    assert found(r"version = \{(.*)\}", "docs/cite.md") == [version]
    assert found(r"^## (\S+)", "CHANGELOG.md")[0] == version
    assert found(r'^version = "(.*)"$', "reproduction/pyproject.toml") == [version]
    assert found(
        r'^dependencies = \["first-occupancy==(.*)"\]$', "reproduction/pyproject.toml"
    ) == [version]


def test_the_citation_file_names_the_paper_of_the_citation_page():
    (title,) = found(r"title     = \{(.*)\}", "docs/cite.md")
    assert found(r"^  title: (.*)$", "CITATION.cff") == [title]
    authors = found(r"^    - family-names: (.*)$", "CITATION.cff")
    (names,) = found(r"author    = \{(.*)\}", "docs/cite.md")
    assert authors == [name.split(",")[0] for name in names.split(" and ")]


def test_every_supported_python_has_a_classifier():
    versions = [
        line.rpartition(" ")[2] for line in PROJECT["classifiers"] if " :: Python :: 3." in line
    ]
    assert PROJECT["requires-python"] == f">={versions[0]}"
    assert versions == [f"3.{minor}" for minor in range(11, 11 + len(versions))]
