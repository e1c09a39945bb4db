/** How a report looks as a PDF, in Typst. The text comes as data: no text of a report is ever read as Typst. */
export const template = `
#let data = json("/report.json")
#let directions = (ltr: ltr, rtl: rtl)
#let grey = rgb("#f6f8fa")
#let line = rgb("#d0d7de")
#let muted = rgb("#59636e")

#set document(title: data.title)
#set page(
  paper: "a4",
  margin: (x: 50pt, top: 50pt, bottom: 60pt),
  footer: context align(center, text(9pt, fill: muted, str(counter(page).get().first()) + " / " + str(counter(page).final().first()))),
)
#set text(font: data.families, size: 10.5pt, lang: data.lang, hyphenate: false, fill: rgb("#1f2328"))
#set par(leading: 0.7em, spacing: 0pt)

// A line may end between the pieces of a word that is too long for it.
#let flow(pieces) = pieces.join(h(0.001pt))

#let run(r) = {
  if r.at("line", default: false) { return linebreak() }
  let body = flow(r.pieces)
  if r.at("code", default: false) { body = highlight(fill: rgb("#eff1f3"), top-edge: 0.9em, bottom-edge: -0.25em, body) }
  if r.at("bold", default: false) { body = text(weight: "bold", body) }
  if r.at("emphasis", default: false) { body = text(fill: rgb("#0b5394"), body) }
  if r.at("strike", default: false) { body = strike(body) }
  if r.at("raised", default: false) { body = super(body) }
  if "link" in r { body = link(r.link, text(fill: rgb("#0969da"), underline(offset: 2pt, stroke: 0.5pt, body))) }
  body
}
#let runs(list) = list.map(run).join()

// Most cells are plain text; a large table is made in half of the memory if they are given as such.
#let cell(c) = if type(c) == str { c } else { text(dir: directions.at(c.dir), runs(c.runs)) }
#let title-cell(c) = text(weight: "bold", cell(c))

#let sheet(t) = table(
  columns: t.widths.map(share => share * 1fr),
  align: t.align.map(side => if side == "right" { right } else if side == "center" { center } else { start }),
  stroke: 0.6pt + line,
  inset: (x: 6pt, y: 5pt),
  fill: (_, y) => if y == 0 { grey },
  ..if t.repeats { (table.header(..t.rows.first().map(title-cell)),) } else {
    t.rows.first().map(title-cell)
  },
  ..t.rows.slice(1).flatten().map(cell),
)

#let body(b) = {
  if b.kind == "paragraph" { runs(b.runs) }
  else if b.kind == "heading" {
    heading(level: b.depth, outlined: true, text(b.size * 1pt, weight: "bold", runs(b.runs)))
  }
  else if b.kind == "code" {
    block(fill: grey, radius: 3pt, inset: 8pt, width: 100%, text(9pt, b.lines.map(flow).join(linebreak())))
  }
  else if b.kind == "table" {
    text(b.size * 1pt, b.parts.map(sheet).join(v(8pt)))
  }
  else { std.line(length: 100%, stroke: 0.7pt + line) }
}

#show heading: it => block(above: 0pt, below: 0pt, sticky: true, it.body)

#let indented(dir, by, it) = if dir == "rtl" { pad(right: by * 1pt, it) } else { pad(left: by * 1pt, it) }

#let placed(b) = {
  let it = body(b)
  if "marker" in b {
    it = grid(columns: (b.markerWidth * 1pt, 1fr), box(width: b.markerWidth * 1pt - 6pt, align(end, b.marker)), it)
  } else if b.lists > 0 {
    it = indented(b.dir, b.markerWidth, it)
  }
  if b.indent > 0 { it = indented(b.dir, b.indent, it) }
  let (over, under, after) = (b.above * 1pt, b.below * 1pt, v(b.after * 1pt))
  if b.quotes == 0 { return block(above: 0pt, below: 0pt, inset: (top: over, bottom: under), width: 100%, it) + after }
  it = text(fill: muted, block(inset: (top: over, bottom: under), width: 100%, it))
  for _ in range(b.quotes) {
    it = block(above: 0pt, below: 0pt, width: 100%, stroke: (left: 2.5pt + line), inset: (left: 10pt), it)
  }
  it + after
}

#block(below: 18pt, text(24pt, weight: "bold", dir: directions.at(data.heading.dir), runs(data.heading.runs)))
#for b in data.blocks { text(dir: directions.at(b.dir), placed(b)) }
`;
