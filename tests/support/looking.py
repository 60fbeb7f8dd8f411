"""How the tests look at the page."""


def settled(page):
    page.evaluate("lab.settled()")


def state(page, expression):
    """Return a part of the page's state, typed arrays as lists."""
    return page.evaluate(
        f"""() => {{
        const value = lab.state.{expression};
        return value === undefined ? null : JSON.parse(JSON.stringify(value,
          (_, part) => ArrayBuffer.isView(part) ? [...part] : part)); }}"""
    )


def centre_of(page, cell, canvas="board"):
    """Return where on the screen a cell of a map is."""
    return page.evaluate("([id, cell]) => lab.centreOf(id, cell)", [canvas, cell])


def slide(page, name, value):
    page.locator(f"#{name}").evaluate(
        "(slider, value) => { slider.value = value; slider.dispatchEvent(new Event('input')); }",
        value,
    )
    settled(page)


def type_in(page, name, text):
    """Replace what a field holds, by keys: not every browser tells the page of other changes."""
    page.press(f"#{name}", "Control+a")
    page.keyboard.press("Delete")
    page.keyboard.type(text)


def colours(page, canvas):
    return page.locator(f"#{canvas}").evaluate(
        """canvas => {
        const { data } = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height);
        return new Set(new Uint32Array(data.buffer)).size; }"""
    )


def drawing(page):
    return page.evaluate("import('./scene.js').then(({ drawing }) => drawing(lab.state.scene))")


def download(page, kind, folder):
    """Return the path of a file that the page has saved in a folder."""
    page.click("#download")
    with page.expect_download() as waiting:
        page.click(f"[data-export={kind}]")
    path = folder / waiting.value.suggested_filename
    waiting.value.save_as(path)
    return path
