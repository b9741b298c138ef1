import { createHash } from 'node:crypto';
import { type Html, html } from '@pts/core/html';
import { type Checks, textsOf } from '@pts/core/process/readiness-check';

/** The style of the operator's page, in light and dark. The policy of the page names its hash. */
const STYLE = `
:root { color-scheme: light dark; --ink: light-dark(#1b2430, #e6eaf0); --muted: light-dark(#5b6675, #9aa6b5);
  --line: light-dark(#e3e7ec, #2a323d); --paper: light-dark(#ffffff, #11161d); --sunken: light-dark(#f6f8fa, #0b0f14);
  --green: light-dark(#17663a, #82d8a5); --red: light-dark(#a32020, #ffa0a0); }
* { box-sizing: border-box; }
body { margin: 0; background: var(--sunken); color: var(--ink); font: 14px/20px system-ui, sans-serif; }
main { display: grid; gap: 16px; grid-template-columns: repeat(auto-fill, minmax(min(100%, 420px), 1fr)); max-width: 1320px;
  margin: 0 auto; padding: 16px; }
header, dl, footer { grid-column: 1 / -1; margin: 0; }
header { display: flex; gap: 16px; align-items: baseline; }
h1 { margin: 0; font-size: 20px; line-height: 28px; }
header p { margin: 0; font-weight: 600; }
dl { display: flex; flex-wrap: wrap; gap: 8px 24px; }
dt { color: var(--muted); font-size: 12px; line-height: 16px; }
dd { margin: 0; font-variant-numeric: tabular-nums; overflow-wrap: anywhere; }
section { background: var(--paper); border: 1px solid var(--line); border-radius: 6px; padding: 12px 16px; min-width: 0; }
h2 { margin: 0 0 8px; font-size: 14px; line-height: 20px; }
.wide { overflow-x: auto; }
table { width: 100%; border-collapse: collapse; }
th, td { padding: 4px 8px 4px 0; text-align: start; vertical-align: top; border-top: 1px solid var(--line);
  overflow-wrap: anywhere; }
tr:first-child > * { border-top: 0; }
tbody tr:first-child > * { border-top: 1px solid var(--line); }
table > tbody:first-child tr:first-child > * { border-top: 0; }
th[scope="row"] { width: 1%; padding-inline-end: 24px; font-weight: 400; white-space: nowrap; }
.wide th[scope="row"] { padding-inline-end: 8px; }
.wide td { white-space: nowrap; }
th[scope="col"] { font-weight: 400; color: var(--muted); font-size: 12px; line-height: 16px; overflow-wrap: normal; }
.figure, .good, .bad { font-variant-numeric: tabular-nums; }
.good { color: var(--green); }
.bad { color: var(--red); font-weight: 600; }
footer { color: var(--muted); font-size: 12px; line-height: 16px; }
code { font: 12px/16px ui-monospace, monospace; }
`;

/** The page needs no script, no image and no other file. */
export const PAGE_HEADERS = {
  'Content-Security-Policy': [
    "default-src 'none'",
    `style-src 'sha256-${createHash('sha256').update(STYLE).digest('base64')}'`,
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; '),
  'Referrer-Policy': 'no-referrer',
  'X-Frame-Options': 'DENY',
};

/** A metric as the registry gives it. */
type Metric = {
  name: string;
  values: readonly { value: number; labels: Readonly<Record<string, unknown>>; metricName?: string | undefined }[];
};

/** A process's knowledge of itself. */
export type Seen = {
  app: string;
  version: string;
  host: string;
  at: Date;
  upSeconds: number;
  isLive: boolean;
  /** The status that `/readyz` reports: `ok`, `waiting` or `unavailable`. */
  status: string;
  checks: Checks;
  /** The details that `/readyz` shows: text by name, or by group and name. */
  details: Readonly<Record<string, unknown>>;
  metrics: readonly Metric[];
};

/** The operator's page: what `/readyz` and `/metrics` say, at a glance. */
export function operatorPage(seen: Seen): string {
  const { app, version, host, at, upSeconds, checks, details, metrics } = seen;
  const state = seen.isLive ? seen.status : 'stuck';
  const page = html`<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<meta http-equiv="refresh" content="30">
<title>${app}: ${state}</title>
<style>${{ markup: STYLE }}</style>
<main>
<header>
<h1>${app}</h1>
<p class="${state === 'ok' ? 'good' : 'bad'}">${state}</p>
</header>
<dl>
<div><dt>Version</dt><dd>${version}</dd></div>
<div><dt>Node</dt><dd>${process.version}</dd></div>
<div><dt>Host</dt><dd>${host}</dd></div>
<div><dt>Up for</dt><dd>${shown(upSeconds, 'seconds')}</dd></div>
<div><dt>As of</dt><dd>${at.toISOString().slice(0, 19)}Z</dd></div>
</dl>
${section('Readiness', textsOf(checks))}
${Object.entries(details).flatMap(([name, texts]) => section(titleOf(name), texts) ?? [])}
${TABLES.flatMap((table) => tableOf(table, metrics) ?? [])}
<footer>This page shows what one process knows and changes nothing. It reloads every 30 seconds. Unknown figures are left out.
To find problems of the installation and how to fix them, run <code>npm run admin -- doctor</code>.</footer>
</main>
</html>
`;
  return page.markup;
}

const titleOf = (name: string) => name.charAt(0).toUpperCase() + name.slice(1);

/** Names with their texts; `ok` and `healthy` need no attention. */
function section(title: string, texts: unknown): Html | null {
  const entries = typeof texts === 'object' && texts !== null ? Object.entries(texts) : [];
  if (entries.length === 0) return null;
  const rows = entries.map(([name, text]) => {
    const words = typeof text === 'string' ? text : JSON.stringify(text);
    return html`<tr><th scope="row">${name}</th><td class="${isGood(words) ? 'good' : 'bad'}">${words}</td></tr>`;
  });
  return html`<section><h2>${title}</h2><table>${rows}</table></section>`;
}

const isGood = (words: string) => words === 'ok' || words === 'healthy';

function tableOf({ title, by, figures }: Table, metrics: readonly Metric[]): Html | null {
  const columns = figures.map((figure) => ({ figure, values: valuesOf(metrics, figure.metric, by) }));
  const known = columns.filter(({ values }) => values.size > 0);
  const names = [...new Set(known.flatMap(({ values }) => [...values.keys()]))].sort();
  if (names.length === 0) return null;
  if (by === undefined) {
    const rows = known.map(
      ({ figure, values }) => html`<tr><th scope="row">${figure.title}</th>${cell(figure, values.get(''))}</tr>`,
    );
    return html`<section><h2>${title}</h2><table>${rows}</table></section>`;
  }
  const head = known.map(({ figure }) => html`<th scope="col">${figure.title}</th>`);
  const rows = names.map(
    (name) =>
      html`<tr><th scope="row">${name}</th>${known.map(({ figure, values }) => cell(figure, values.get(name)))}</tr>`,
  );
  return html`<section><h2>${title}</h2><div class="wide"><table><thead><tr><td></td>${head}</tr></thead>${rows}</table></div></section>`;
}

function cell({ as, isBad }: Figure, value: number | undefined): Html {
  if (value === undefined) return html`<td>–</td>`;
  return html`<td class="${isBad?.(value) ? 'bad' : 'figure'}">${shown(value, as)}</td>`;
}

/** The values of a metric by a label, added up over the others; of a histogram, its counts. */
function valuesOf(metrics: readonly Metric[], name: string, by: string | undefined): Map<string, number> {
  const sums = new Map<string, number>();
  for (const { value, labels, metricName } of metrics.find((metric) => metric.name === name)?.values ?? []) {
    if (metricName !== undefined && metricName !== name && metricName !== `${name}_count`) continue;
    const key = by === undefined ? '' : labels[by];
    if (key === undefined) continue;
    sums.set(String(key), (sums.get(String(key)) ?? 0) + value);
  }
  return sums;
}

/** A figure of the page: a metric, as a column of its table. */
type Figure = {
  metric: string;
  title: string;
  /** How a value is shown. Default: as a count. */
  as?: 'seconds' | 'milliseconds' | 'yes' | 'bytes';
  /** Whether a value needs attention. */
  isBad?(value: number): boolean;
};

/** A table: its rows are the values of one label, or a single row without one. */
type Table = { title: string; by?: string; figures: readonly Figure[] };

const isSet = (value: number) => value > 0;

const over = (limit: number) => (value: number) => value > limit;

/** Every table of the page, in order. One whose metrics the process does not have is left out. */
const TABLES: readonly Table[] = [
  {
    title: 'Checks by provider',
    by: 'provider',
    figures: [
      { metric: 'pts_checks_due', title: 'Due' },
      { metric: 'pts_checks_oldest_due_seconds', title: 'Oldest due for', as: 'seconds', isBad: over(900) },
      { metric: 'pts_provider_paused', title: 'Paused', as: 'yes', isBad: isSet },
      { metric: 'pts_provider_held_back', title: 'Held back', as: 'yes' },
      { metric: 'pts_callbacks_overdue', title: 'Callbacks overdue' },
    ],
  },
  {
    title: 'Deliveries by health of the endpoint',
    by: 'health',
    figures: [
      { metric: 'pts_endpoints_pending', title: 'Endpoints with pending deliveries' },
      { metric: 'pts_delivery_lag_seconds', title: 'Oldest due for', as: 'seconds' },
    ],
  },
  {
    title: 'Overdue work',
    by: 'work',
    figures: [{ metric: 'pts_work_oldest_due_seconds', title: 'Oldest due for', as: 'seconds', isBad: over(60) }],
  },
  {
    title: 'Queues',
    by: 'queue',
    figures: [
      { metric: 'pts_queue_depth', title: 'Waiting' },
      { metric: 'pts_queue_oldest_seconds', title: 'Oldest waiting for', as: 'seconds' },
      { metric: 'pts_queue_unreachable', title: 'Unreachable', as: 'yes', isBad: isSet },
    ],
  },
  {
    title: 'Connections to PostgreSQL',
    by: 'state',
    figures: [{ metric: 'pts_database_connections', title: 'Connections' }],
  },
  {
    title: 'Faults',
    figures: [
      { metric: 'pts_database_faults_total', title: 'Database faults since the start' },
      { metric: 'pts_wake_ups_lost_total', title: 'Lost wake-ups since the start' },
      { metric: 'pts_database_waiting', title: 'Statements waiting for a connection', isBad: isSet },
    ],
  },
  {
    title: 'Carrier responses since the start',
    by: 'kind',
    figures: [{ metric: 'pts_answers_total', title: 'Responses' }],
  },
  {
    title: 'Delivery attempts since the start',
    by: 'outcome',
    figures: [{ metric: 'pts_delivery_attempts_total', title: 'Attempts' }],
  },
  {
    title: 'Requests since the start',
    by: 'status',
    figures: [{ metric: 'pts_http_request_seconds', title: 'Requests' }],
  },
  {
    title: 'Process',
    figures: [
      {
        metric: 'pts_clock_skew_seconds',
        title: 'Clock ahead by',
        as: 'seconds',
        isBad: (value) => Math.abs(value) > 5,
      },
      { metric: 'nodejs_eventloop_lag_p99_seconds', title: 'Event loop, p99', as: 'milliseconds', isBad: over(0.25) },
      { metric: 'process_resident_memory_bytes', title: 'Memory', as: 'bytes' },
      { metric: 'nodejs_heap_size_used_bytes', title: 'Heap in use', as: 'bytes' },
    ],
  },
];

/** A value in words: `12,345`, `3 min`, `1.5 GiB`. */
function shown(value: number, as: Figure['as']): string {
  switch (as) {
    case 'yes':
      return value > 0 ? 'yes' : 'no';
    case 'milliseconds':
      return `${(value * 1000).toFixed(0)} ms`;
    case 'seconds':
      return inTime(value);
    case 'bytes':
      return value < 1024 ** 3 ? `${(value / 1024 ** 2).toFixed(0)} MiB` : `${(value / 1024 ** 3).toFixed(1)} GiB`;
    case undefined:
      return value.toLocaleString('en-US');
  }
}

function inTime(seconds: number): string {
  const size = Math.abs(seconds);
  if (size < 10) return `${seconds.toFixed(1)} s`;
  if (size < 120) return `${seconds.toFixed(0)} s`;
  if (size < 7200) return `${(seconds / 60).toFixed(0)} min`;
  return `${(seconds / 3600).toFixed(0)} h`;
}
