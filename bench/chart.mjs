// Bars with their names and figures as an SVG that is read on a light and on a dark page.

const WIDTH = 760;
const LEFT = 250;
const ROW = 22;
const BAR = 15;
const TOP = 40;
const ROOM = 90; // for the figure behind the longest bar

const escape = (text) => text.replace(/[&<>"]/g, (character) => `&#${character.charCodeAt(0)};`);

/// `bars`: { name, value, group }; a group has a colour of its own and is named below. Bars of one name that follow
/// each other stand together under it.
export function chart(title, bars) {
  const groups = [...new Set(bars.map(({ group }) => group))];
  const most = Math.max(...bars.map(({ value }) => value), 1);
  let y = TOP - ROW;
  const rows = bars.flatMap(({ name, value, group }, i) => {
    const isMore = name === bars[i - 1]?.name;
    y += isMore ? BAR + 1 : ROW;
    const width = Math.max(1, ((WIDTH - LEFT - ROOM) * value) / most).toFixed(1);
    return [
      ...(isMore ? [] : [`<text x="${LEFT - 8}" y="${y + 14}" text-anchor="end">${escape(name)}</text>`]),
      `<rect class="g${groups.indexOf(group)}" x="${LEFT}" y="${y + 3}" width="${width}" height="${BAR}" rx="2"/>`,
      `<text x="${(LEFT + Number(width) + 6).toFixed(1)}" ` +
        `y="${y + 14}">${value < 100 ? value.toFixed(1) : Math.round(value)}</text>`,
    ];
  });
  const height = y + ROW + 34;
  const legend = groups.flatMap((group, i) => [
    `<rect class="g${i}" x="${LEFT + i * 120}" y="${height - 22}" width="12" height="12" rx="2"/>`,
    `<text x="${LEFT + i * 120 + 18}" y="${height - 12}">${escape(group)}</text>`,
  ]);
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}" ` +
      `width="${WIDTH}" height="${height}" role="img" aria-label="${escape(title)}">`,
    "<style>text{font:12px system-ui,sans-serif;fill:#1f2328}.title{font-size:15px;font-weight:600}",
    ".page{fill:#ffffff}.g0{fill:#6e7781}.g1{fill:#0969da}.g2{fill:#bc4c00}.g3{fill:#1a7f37}",
    "@media (prefers-color-scheme:dark){text{fill:#e6edf3}.page{fill:#0d1117}.g0{fill:#8b949e}.g1{fill:#58a6ff}" +
      ".g2{fill:#f0883e}.g3{fill:#3fb950}}</style>",
    `<rect class="page" width="${WIDTH}" height="${height}"/>`,
    `<text class="title" x="16" y="24">${escape(title)}</text>`,
    ...rows,
    ...legend,
    "</svg>",
    "",
  ].join("\n");
}
