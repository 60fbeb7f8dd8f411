import base64
import struct

import first_occupancy as fo
from first_occupancy import plotting


def test_figures_show_themselves_at_half_of_their_pixels():
    for figure in (
        plotting.figure(size=(3, 2))[0],
        plotting.mdp_figure(fo.river_swim(3)),
        plotting.tour_figure(fo.maze(".."), [[0, 1]], [1]),
    ):
        assert isinstance(figure, plotting.NotebookFigure)
        picture, about = figure._repr_png_()
        content = base64.b64decode(picture)
        assert content.startswith(b"\x89PNG")
        width, height = struct.unpack(">II", content[16:24])
        assert abs(width - 2 * about["width"]) <= 2
        assert abs(height - 2 * about["height"]) <= 2
