"""The Content-Security-Policy in a real browser: the page works, what was put into it does not."""

import pytest

from first_occupancy.web import single_file
from looking import settled, slide, state

PUT_IN = """
<img src="data:," onerror="ran.push('a handler')">
<a id="link" href="javascript:ran.push('a link')">x</a>
<style>#styled { color: rgb(1, 2, 3) }</style>
<p id="styled" style="background: rgb(1, 2, 3)">x</p>
<iframe srcdoc="<script>parent.ran.push('a frame')</script>"></iframe>
"""

TRIED = """
async ([html, address]) => {
  window.ran = [];
  const put = document.createElement('div');
  put.innerHTML = html;
  const script = Object.assign(document.createElement('script'), { text: "ran.push('a script')" });
  const file = Object.assign(document.createElement('script'), { src: 'data:,ran.push("a file")' });
  document.body.append(put, script, file);
  document.getElementById('link').click();
  const worker = 'data:text/javascript,postMessage(1)';
  try { new Worker(worker).onmessage = () => ran.push('a worker'); } catch {}
  await fetch(`${address}/icon.svg`).then(() => ran.push('a request'), () => {});
  await new Promise((resolve) => { setTimeout(resolve, 300); });
  const { color, backgroundColor } = getComputedStyle(document.getElementById('styled'));
  return { ran, styled: [color, backgroundColor].includes('rgb(1, 2, 3)') };
}
"""

EMPTY_MODULE = "new WebAssembly.Module(new Uint8Array([0, 97, 115, 109, 1, 0, 0, 0])) !== null"


@pytest.fixture(params=["served", "saved"])
def url(request, address, tmp_path):
    if request.param == "served":
        return address
    path = tmp_path / "lab.html"
    path.write_text(single_file.page(), "utf-8")
    return f"file://{path}"


@pytest.fixture
def visited(browser, url):
    """The page with its workers, where it may complain."""
    context = browser.new_context()
    page = context.new_page()
    page.goto(url)
    page.evaluate("lab.ready.then(() => lab.settled())")
    yield page
    context.close()


def test_nothing_that_is_put_into_the_page_runs(visited, address):
    assert visited.evaluate(TRIED, [PUT_IN, address]) == {"ran": [], "styled": False}


def test_the_page_still_plans_with_its_kernel_under_noise(visited):
    assert visited.evaluate(EMPTY_MODULE)
    slide(visited, "noise", 0.2)
    slide(visited, "switches", 9)
    settled(visited)
    assert abs(state(visited, "plan.tourDiscount") - 0.2048) < 1e-4
    assert visited.locator("#toast").is_hidden()
