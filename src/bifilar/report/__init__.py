"""Pages: one HTML file each, that opens by a double click and asks no network for anything.

A page is a list of sections, and a section is a class with a title, a template and the parts that fill it:

    # report/sections/payload_track.py
    @dataclass(frozen=True, eq=False)
    class PayloadTrack(Section):
        track: Track
        title = "Payload over time"
        template = "{words}{plots}"

        def parts(self) -> Mapping[str, Any]:
            t = self.track
            mass = band_plot(t.time, t.mean[:, 0], t.deviation[:, 0], title="load", what="mass [kg]", truth=t.true_mass)
            return {"words": paragraphs("What the filter believes, with two deviations."), "plots": grid([mass], wide=True)}

    Page("Payload", sections=[PayloadTrack(track)]).save("track.html")

Whatever is put into a template is escaped unless a template made it (`markup.fill`, `table`, `paragraphs`, `command`). Drawings
are `plot.Plot` (lines, clouds, bands, limits, marks; `band_plot` is a value over time with its band), `bars.bar_groups`,
`bars.values` (numbers with error bars), `bars.correlation_map`, `scene.space` (bodies in space). Colours are names of variables
of the style: `plot.colour(joint)`, "described", "identified", "ink", "noise", "forbidden". `Words` and `Drawings` in `page` are
sections for what needs no class of its own. One file of style and one of script, page.css and page.js, serve all pages.
"""
