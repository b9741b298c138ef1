import { createHash } from 'node:crypto';
import { type Html, html } from '@pts/core/html';
import { type Checks, firstFault, textsOf } from '@pts/core/process/readiness-check';
import { type Figure, shown, TABLES, type Table } from './figures.ts';
import { STYLE } from './style.ts';

/** A metric as the registry gives it. */
type Metric = {
  name: string;
  values: readonly { value: number; labels: Readonly<Record<string, unknown>>; metricName?: string | undefined }[];
};

/** What a process knows of itself. */
export type Seen = {
  app: string;
  version: string;
  host: string;
  at: Date;
  upSeconds: number;
  isLive: boolean;
  checks: Checks;
  /** As `/readyz` shows them: text by name, or by group and name. */
  details: Readonly<Record<string, unknown>>;
  metrics: readonly Metric[];
};

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

/** The operator's page: what `/readyz` and `/metrics` say, at a glance. */
export function operatorPage(seen: Seen): string {
  const { app, version, host, at, upSeconds, isLive, checks, details, metrics } = seen;
  const isReady = firstFault(checks) === null;
  const state = !isLive ? 'stuck' : isReady ? 'ready' : 'not ready';
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
<p class="${isLive && isReady ? 'good' : 'bad'}">${state}</p>
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
<footer>This page shows what one process knows, and changes nothing. It reloads every 30 seconds. A figure that is not known is missing.
<code>npm run admin -- doctor</code> says what is wrong with the installation, and how to fix it.</footer>
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
