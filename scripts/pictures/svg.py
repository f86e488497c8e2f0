"""A picture of arrays, lines and arrows, written as SVG."""

CELL, ROW = 44, 34  # size of an array's cell
COLORS = ["#cfe3f7", "#fbd9b5", "#cdebcf", "#ead0ee"]
GRAY = "#e4e4e4"


class Picture:
    def __init__(self, title, width, height):
        self.title, self.width, self.height, self.parts = title, width, height, []

    def text(self, x, y, text, anchor="middle", size=15, weight="normal", color="#222"):
        text = str(text).replace("&", "&amp;").replace("<", "&lt;")
        self.parts.append(
            f'<text x="{x:g}" y="{y:g}" text-anchor="{anchor}" font-size="{size}" font-weight="{weight}" '
            f'fill="{color}">{text}</text>'
        )

    def box(self, x, y, text="", color="#fff", width=CELL, height=ROW):
        place = f'x="{x:g}" y="{y:g}" width="{width:g}" height="{height:g}"'
        self.parts.append(f'<rect {place} fill="{color}" stroke="#555"/>')
        if text != "":
            self.text(x + width / 2, y + height / 2 + 5, text)

    def line(self, x1, y1, x2, y2, color="#555", arrow=False, width=1.4):
        head = ' marker-end="url(#head)"' if arrow else ""
        place = f'x1="{x1:g}" y1="{y1:g}" x2="{x2:g}" y2="{y2:g}"'
        self.parts.append(f'<line {place} stroke="{color}" stroke-width="{width}"{head}/>')

    def dot(self, x, y):
        self.parts.append(f'<circle cx="{x:g}" cy="{y:g}" r="3.5" fill="#333"/>')

    def row(self, x, y, label, values, colors=None, gap_after=()):
        """A labelled array; returns the x of the middle of each cell."""
        self.text(x - 12, y + ROW / 2 + 5, label, "end")
        middles = []
        for i, value in enumerate(values):
            self.box(x, y, value, colors[i] if colors else "#fff")
            middles.append(x + CELL / 2)
            x += CELL + (12 if i in gap_after else 0)
        return middles

    def svg(self):
        return (
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {self.width} {self.height}" '
            f'width="{self.width}" height="{self.height}" '
            f'font-family="Helvetica, Arial, sans-serif" role="img"><title>{self.title}</title>'
            '<defs><marker id="head" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" '
            'orient="auto">'
            '<path d="M0 0 8 4 0 8z" fill="#555"/></marker></defs><rect width="100%" height="100%" fill="#fff"/>'
            + "\n".join(self.parts)
            + "</svg>\n"
        )
