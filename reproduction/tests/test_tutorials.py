"""The tutorials on the reproduction run as notebooks, and print what their pages show."""

import pytest

from tutorials import OF_THE_REPRODUCTION, check


@pytest.mark.whole
@pytest.mark.parametrize("name", OF_THE_REPRODUCTION)
def test_a_notebook_prints_and_draws_what_its_page_shows(name, tmp_path):
    check(name, tmp_path)
