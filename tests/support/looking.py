"""How the tests look at the page."""


def settled(page):
    page.evaluate("lab.settled()")


def state(page, expression):
    return page.evaluate(f"lab.state.{expression}")


def centre_of(page, cell, canvas="board"):
    """Return where on the screen a cell of a map is."""
    box = page.locator(f"#{canvas}").bounding_box()
    rows, columns = state(page, "scene.rows"), state(page, "scene.columns")
    size = box["height"] / rows
    left = box["x"] + (box["width"] - size * columns) / 2
    return left + (cell % columns + 0.5) * size, box["y"] + (cell // columns + 0.5) * size


def slide(page, name, value):
    page.locator(f"#{name}").evaluate(
        "(slider, value) => { slider.value = value; slider.dispatchEvent(new Event('input')); }",
        value,
    )
    settled(page)


def colours(page, canvas):
    return page.locator(f"#{canvas}").evaluate(
        """canvas => {
        const { data } = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height);
        return new Set(new Uint32Array(data.buffer)).size; }"""
    )


def drawing(page):
    return page.evaluate("import('./scene.js').then(({ drawing }) => drawing(lab.state.scene))")
