import { createHash } from 'node:crypto';
import { clusterGauge, counter, createRegistry, gauge, histogram, poolUse } from './metrics.ts';
import { operatorPage, PAGE_HEADERS, type Seen } from './operator-page.ts';

const registry = createRegistry('carrier-poller');
clusterGauge(registry, { name: 'pts_checks_due', help: '.', labels: ['provider'] }).set({ provider: 'ups' }, 12_345);
clusterGauge(registry, { name: 'pts_checks_oldest_due_seconds', help: '.', labels: ['provider'] }).set(
  { provider: 'ups' },
  1200,
);
clusterGauge(registry, { name: 'pts_provider_paused', help: '.', labels: ['provider'] }).set({ provider: 'gls' }, 1);
const answers = counter(registry, { name: 'pts_answers_total', help: '.', labels: ['provider', 'kind'] });
answers.inc({ provider: 'ups', kind: 'found' }, 2);
answers.inc({ provider: 'gls', kind: 'found' }, 3);
gauge(registry, { name: 'pts_clock_skew_seconds', help: '.' }).set(-7.25);
const requests = histogram(registry, { name: 'pts_http_request_seconds', help: '.', labels: ['route', 'status'] });
for (const route of ['/a', '/b']) requests.observe({ route, status: '200' }, 0.1);
poolUse(registry, () => ({ open: 10, idle: 3, waiting: 4 }));

async function page(more: Partial<Seen> = {}): Promise<string> {
  return operatorPage({
    app: 'carrier-poller',
    version: '1.2.3',
    host: 'poller-7',
    at: new Date('2031-04-05T06:07:08.900Z'),
    upSeconds: 7300,
    isLive: true,
    status: 'ok',
    checks: { database: { state: 'ok' } },
    details: { providers: { gls: 'paused: GLS refused <the key>', ups: 'ok' } },
    metrics: await registry.getMetricsAsJSON(),
    ...more,
  });
}
/** The words of a page, cell by cell. */
const words = (markup: string) =>
  markup
    .replace(/<style>[\s\S]*?<\/style>/, '')
    .replace(/<[^>]*>/g, '|')
    .replace(/[|\s]*\|[|\s]*/g, '|');

test('it says what the process is, and whether it is ready, in the words of /readyz', async () => {
  expect(words(await page())).toContain('|carrier-poller|ok|Version|1.2.3|');
  expect(words(await page())).toContain('|poller-7|Up for|2 h|As of|2031-04-05T06:07:08Z|');
  const checks = { schema: { state: 'unfit', reason: 'lacks a migration' } } as const;
  expect(words(await page({ status: 'waiting', checks }))).toMatch(
    /\|waiting\|.*\|Readiness\|schema\|lacks a migration\|/s,
  );
  expect(words(await page({ isLive: false }))).toContain('|carrier-poller|stuck|');
});

test('the metrics are tables, in words; what is not known is missing', async () => {
  const text = words(await page());
  expect(text).toContain('|Due|Oldest due for|Paused|gls|–|–|yes|ups|12,345|20 min|–|');
  expect(text).toContain('|Carrier responses since the start|Responses|found|5|');
  expect(text).toContain('|Requests since the start|Requests|200|2|');
  expect(text).toContain('|Connections|active|7|idle|3|');
  expect(text).toContain('|Statements waiting for a connection|4|');
  expect(text).toContain('|Clock ahead by|-7.3 s|');
  expect(text).not.toContain('Delivery attempts');
});

test('what needs attention stands out', async () => {
  const bad = Array.from((await page()).matchAll(/class="bad">([^<]*)</g), ([, text]) => text);
  expect(bad).toEqual(['paused: GLS refused &lt;the key&gt;', 'yes', '20 min', '4', '-7.3 s']);
});

test('it has no script and no other file, and its policy allows only its own style', async () => {
  const markup = await page();
  expect(markup).not.toMatch(/<script|<link|<img|<iframe|<form|style=|\son\w+=|https?:/i);
  const [, style = ''] = /<style>([\s\S]*)<\/style>/.exec(markup) ?? [];
  const hash = createHash('sha256').update(style).digest('base64');
  expect(PAGE_HEADERS['Content-Security-Policy']).toBe(
    `default-src 'none'; style-src 'sha256-${hash}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`,
  );
});
