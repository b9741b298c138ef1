/** A bar with its bare limit or goal. */
export type Bar = { label: string; value: number; limit?: number; text: string };
export type Line = { label: string; points: readonly (readonly [x: number, y: number])[] };
type Axes = { title: string; xLabel: string; yLabel: string; isLogX?: boolean; formatX?(x: number): string };

const WIDTH = 900;
const LABELS = 250;
const TEXTS = 310;
const ROW = 26;
/** Readable on white and on dark grey; the second of each pair is for dark pages. */
const COLOURS = [
  ['#0969da', '#58a6ff'],
  ['#bf5b04', '#f0883e'],
  ['#1a7f37', '#3fb950'],
  ['#8250df', '#bc8cff'],
] as const;
const STYLE = `<style>
text { font: 12px system-ui, sans-serif; fill: #1f2328 }
.title { font-size: 14px; font-weight: 600 }
.quiet { fill: #59636e }
.axis { stroke: #818b98; fill: none }
.grid { stroke: #d1d9e0 }
.limit { stroke: #cf222e; stroke-width: 2 }
${COLOURS.map(([light], n) => `.c${n} { fill: ${light} } .l${n} { stroke: ${light}; stroke-width: 2; fill: none }`).join('\n')}
@media (prefers-color-scheme: dark) {
text { fill: #e6edf3 }
.quiet { fill: #9198a1 }
.grid { stroke: #3d444d }
.limit { stroke: #ff7b72 }
${COLOURS.map(([, dark], n) => `.c${n} { fill: ${dark} } .l${n} { stroke: ${dark} }`).join('\n')}
}
</style>`;

/** Horizontal bars, each with a mark at its limit, as an SVG for light and dark pages. */
export function barChart(title: string, bars: readonly Bar[], unit: string): string {
  const height = 60 + bars.length * ROW;
  const max = Math.max(...bars.flatMap(({ value, limit = 0 }) => [value, limit]), Number.MIN_VALUE);
  const span = WIDTH - LABELS - TEXTS;
  const rows = bars.map(({ label, value, limit, text }, n) => {
    const y = 40 + n * ROW;
    const mark = limit === undefined ? '' : line('limit', LABELS + (limit / max) * span, y, y + 18);
    return [
      `<text x="${LABELS - 8}" y="${y + 13}" text-anchor="end">${escaped(label)}</text>`,
      `<rect class="c0" x="${LABELS}" y="${y + 2}" width="${round((value / max) * span)}" height="14" rx="2"/>`,
      mark,
      `<text class="quiet" x="${WIDTH - TEXTS + 8}" y="${y + 13}">${escaped(text)}</text>`,
    ].join('');
  });
  const legend = bars.some(({ limit }) => limit !== undefined) ? `${unit}; red: bare limit or goal` : unit;
  const foot = `<text class="quiet" x="${LABELS}" y="${height - 8}">${escaped(legend)}</text>`;
  return svg(title, height, [...rows, foot]);
}

/** Lines over a common x axis. The y axis begins at 0. */
export function lineChart(
  { title, xLabel, yLabel, isLogX = false, formatX = plain }: Axes,
  lines: readonly Line[],
): string {
  const points = lines.flatMap((each) => each.points);
  const xs = [...new Set(points.map(([x]) => x))].sort((a, b) => a - b);
  const [left, right, top, bottom] = [70, WIDTH - 20, 50, 290];
  const at = (x: number) => (isLogX ? Math.log10(x) : x);
  const [low, high] = [at(xs[0] ?? 0), at(xs.at(-1) ?? 1)];
  const max = niceCeiling(Math.max(...points.map(([, y]) => y)));
  const px = (x: number) => round(left + ((at(x) - low) / (high - low || 1)) * (right - left));
  const py = (y: number) => round(bottom - (y / max) * (bottom - top));
  const grid = [0, 0.25, 0.5, 0.75, 1].map(
    (share) =>
      `<path class="grid" d="M${left} ${py(share * max)}H${right}"/><text class="quiet" x="${left - 6}" y="${py(share * max) + 4}" text-anchor="end">${plain(share * max)}</text>`,
  );
  const ticks = (xs.length <= 8 ? xs : everyNth(xs, 6)).map(
    (x) => `<text class="quiet" x="${px(x)}" y="${bottom + 18}" text-anchor="middle">${escaped(formatX(x))}</text>`,
  );
  const paths = lines.map(({ points: own }, n) => {
    const dots =
      own.length <= 12 ? own.map(([x, y]) => `<circle class="c${n % 4}" cx="${px(x)}" cy="${py(y)}" r="3"/>`) : [];
    return `<path class="l${n % 4}" d="M${own.map(([x, y]) => `${px(x)} ${py(y)}`).join('L')}"/>${dots.join('')}`;
  });
  const legend = lines.map(
    ({ label }, n) =>
      `<rect class="c${n % 4}" x="${left + n * 170}" y="${bottom + 48}" width="10" height="10"/><text x="${left + 15 + n * 170}" y="${bottom + 57}">${escaped(label)}</text>`,
  );
  const names = [
    `<text class="quiet" x="${right}" y="${bottom + 36}" text-anchor="end">${escaped(xLabel)}</text>`,
    `<text class="quiet" x="${left}" y="${top - 10}">${escaped(yLabel)}</text>`,
    `<path class="axis" d="M${left} ${top}V${bottom}H${right}"/>`,
  ];
  return svg(title, bottom + 70, [...grid, ...ticks, ...names, ...paths, ...legend]);
}

function svg(title: string, height: number, parts: readonly string[]): string {
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}" width="${WIDTH}" height="${height}" role="img" aria-label="${escaped(title)}">
${STYLE}
<text class="title" x="12" y="22">${escaped(title)}</text>
${parts.filter((part) => part !== '').join('\n')}
</svg>
`;
}

const line = (name: string, x: number, from: number, to: number) =>
  `<path class="${name}" d="M${round(x)} ${from}V${to}"/>`;
const round = (value: number) => Math.round(value * 10) / 10;

/** The next number with one digit other than 0, 1.5, 2.5 and the like included. */
function niceCeiling(value: number): number {
  if (!(value > 0)) return 1;
  const unit = 10 ** Math.floor(Math.log10(value));
  return (Math.ceil((value / unit) * 2) / 2) * unit;
}

function plain(value: number): string {
  return value.toLocaleString('en-US', { maximumSignificantDigits: 3 });
}

function everyNth(values: readonly number[], count: number): number[] {
  const step = Math.max(1, Math.floor(values.length / count));
  return values.filter((_, n) => n % step === 0);
}

function escaped(text: string): string {
  return text.replace(/[&<>"]/g, (char) => `&#${char.charCodeAt(0)};`);
}
