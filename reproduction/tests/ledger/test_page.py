import base64
import re

from first_occupancy_paper.ledger.page import document, image


def test_a_page_stands_alone():
    page = document("Rows & <columns>", "<p>text</p>").decode()
    assert page.startswith("<!doctype html>")
    assert "<title>Rows &amp; &lt;columns&gt;</title>" in page
    assert "<p>text</p></body>" in page
    assert not re.search(r"https?://|<script|<link", page)


def test_a_figure_is_inside_with_its_caption_and_can_be_linked_to():
    figure = image(b"<svg/>", anchor="plan-1", title='the "best" plan')
    assert figure.startswith('<figure id="plan-1">')
    held = re.search(r"base64,([^\"]+)\"", figure)[1]
    assert base64.b64decode(held) == b"<svg/>"
    assert 'alt="the &quot;best&quot; plan"' in figure
    assert "<figcaption>the &quot;best&quot; plan</figcaption>" in figure
