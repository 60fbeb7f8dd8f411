"""A legend below all panels names each curve once."""

from first_occupancy.plotting import style
from first_occupancy_paper.experiments.legends import legend_below


def test_curves_of_all_panels_are_named_once():
    figure, axes = style.figure(1, 2)
    for ax, names in zip(axes[0], (("FR", "SR"), ("SR", "VI")), strict=True):
        for name in names:
            ax.plot([0, 1], label=name)
    legend_below(figure, *axes[0], ncols=3)
    (legend,) = figure.legends
    assert [text.get_text() for text in legend.get_texts()] == ["FR", "SR", "VI"]
