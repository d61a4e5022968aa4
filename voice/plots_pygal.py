"""Plots as SVG that takes its colours from the page around it; the page has the same numbers as a table."""

from collections.abc import Mapping, Sequence
from typing import Any

SVG = "http://www.w3.org/2000/svg"


def bars(values: Mapping[str, float], name: str) -> str:
    """One bar a label, from the top down, its value in words of numbers beside it."""
    import pygal

    chart = pygal.HorizontalBar(**_settings(("var(--plot)",), 50 + 26 * len(values)), show_legend=False)
    chart.x_labels = list(values)[::-1]
    chart.add(name, [round(value) for value in values.values()][::-1])
    return _svg(chart)


def steps(series: Mapping[str, Sequence[float]], labels: Sequence[str]) -> str:
    """Bars of several series beside one another: the town's, the mafia's, and what is left between them."""
    import pygal

    chart = pygal.Bar(**_settings(("var(--town)", "var(--mafia)", "var(--plot)"), 260), legend_at_bottom=True)
    chart.x_labels = list(labels)
    for name, values in series.items():
        chart.add(name, list(values))
    return _svg(chart)


def _settings(colors: tuple[str, ...], height: int) -> dict[str, Any]:
    from pygal.style import Style

    style = Style(
        background="transparent",
        plot_background="transparent",
        foreground="var(--ink)",
        foreground_strong="var(--ink)",
        foreground_subtle="var(--line)",
        guide_stroke_color="transparent",
        major_guide_stroke_color="transparent",
        value_colors=("var(--paper)",) * len(colors),
        colors=colors,
        opacity="1",
        transition="0s",
        font_family="inherit",
        label_font_size=14,
        major_label_font_size=14,
        legend_font_size=14,
        value_font_size=13,
    )
    return {
        "style": style,
        "js": [],
        "width": 420,
        "height": height,
        "print_values": True,
        "show_x_guides": False,
        "show_y_guides": False,
        "margin": 8,
        "truncate_label": -1,
        "truncate_legend": -1,
        "legend_at_bottom_columns": 3,
        "range": None,
        "include_x_axis": True,
    }


def _svg(chart: Any) -> str:
    """Without the script that pygal's tooltips need: a page may run its own alone."""
    from xml.etree import ElementTree

    drawn = ElementTree.fromstring(chart.render())
    ElementTree.register_namespace("", SVG)
    for parent in drawn.iter():
        for script in parent.findall(f"{{{SVG}}}script"):
            parent.remove(script)
    return ElementTree.tostring(drawn, encoding="unicode")
