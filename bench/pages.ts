import { cpSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { type Client, createClient } from '@pts/client/client';
import { openDatabase } from '@pts/db/connection/client';
import { createAccount } from '@pts/service/accounts/create';
import { findChromium } from '@pts/testing/browser/chromium';
import { filesFromNpm } from '@pts/testing/browser/npm-files';
import { PATIENT, testDatabase } from '@pts/testing/database';
import { eventually } from '@pts/testing/eventually';
import { redisUrlOn } from '@pts/testing/stores';
import type { BenchOptions } from './options.ts';
import { type Figure, figure } from './parts/figure.ts';
import { openInstallation } from './parts/installation.ts';
import { percentile } from './parts/samples.ts';
import { storeShipments, typedText } from './seed/shipments.ts';

const ROUNDS = 9;
/** Milliseconds that people do not notice as waiting. */
const GOAL = { overview: 300, search: 200, frame: 100 };
const GOAL_SCORE = 95;
const PACKAGE = { name: 'lighthouse', version: '12.8.2' };
const CATEGORIES = ['performance', 'accessibility', 'best-practices'];
const WIDE = { width: 1280, height: 800 };

/** What is used of puppeteer-core, which Lighthouse brings. */
type Page = {
  goto(url: string): Promise<unknown>;
  setViewport(size: typeof WIDE): Promise<void>;
  evaluate<T>(work: string): Promise<T>;
  evaluateOnNewDocument(work: string): Promise<unknown>;
  waitForFunction(condition: string, options: { polling: 'raf'; timeout: number }): Promise<unknown>;
  type(selector: string, text: string): Promise<void>;
  close(): Promise<void>;
};
type Browser = { newPage(): Promise<Page>; close(): Promise<void> };
type Tools = {
  lighthouse(
    url: string,
    flags: object,
    config: object,
    page: Page,
  ): Promise<{ lhr: { categories: Record<string, { score: number }> } }>;
  launch(options: object): Promise<Browser>;
};

/**
 * The console of an account with many parcels, a million by default, and a buyer's page, in a browser: milliseconds until the
 * overview and a search are shown, the longest time between two frames while a list is scrolled, and the scores of Lighthouse.
 * It needs a Chromium, and installs Lighthouse into .cache.
 */
export async function benchPages({ shipments: count }: BenchOptions): Promise<Figure[]> {
  const { lighthouse, launch } = await tools();
  const database = await testDatabase();
  const installation = await openInstallation({
    databaseUrl: database.url,
    redisUrl: redisUrlOn('redis'),
    apps: { 'sandbox-carrier': 1, api: 1, 'carrier-poller': 1 },
    // For the parcel whose page is measured; those of the account are not polled.
    env: { SANDBOX_SPEED: '3', CHECK_INTERVAL_SECONDS: '1', IDLE_CHECK_INTERVAL_SECONDS: '1' },
  });
  const { apiUrl } = installation;
  const db = openDatabase({ url: database.url, poolSize: 2, ...PATIENT });
  const now = () => new Date();
  const { account, key } = await createAccount({ db, now }, { name: 'bench', plan: 'enterprise' });
  await storeShipments(db, account.id, count, now());
  await db.$executeRaw`VACUUM ANALYZE trackings, tracking_search`;
  const browser = await launch({ ...(await chromium()), defaultViewport: WIDE });
  const signIn = `sessionStorage.setItem('pts.api-key', ${JSON.stringify(key.apiKey)})`;
  const score = async (name: string, url: string, isSignedIn: boolean, isPhone: boolean): Promise<Figure[]> => {
    const page = await browser.newPage();
    if (isSignedIn) await page.evaluateOnNewDocument(signIn);
    const flags = { onlyCategories: CATEGORIES, disableStorageReset: true, ...(isPhone ? {} : DESKTOP) };
    const { lhr } = await lighthouse(url, flags, { extends: 'lighthouse:default' }, page);
    await page.close();
    return CATEGORIES.map((category) =>
      figure(`${name}, ${category}`, 100 * (lhr.categories[category]?.score ?? 0), GOAL_SCORE, 'of 100'),
    );
  };
  try {
    const buyersPage = await publish(createClient({ baseUrl: apiUrl, apiKey: key.apiKey }));
    const page = await browser.newPage();
    await page.setViewport(WIDE);
    await page.evaluateOnNewDocument(signIn);
    return [
      ofGoal('console overview', await overviews(page, apiUrl), GOAL.overview),
      ofGoal('console search', await searches(page, apiUrl, count), GOAL.search),
      figure('console scroll, longest frame', await longestFrame(page, apiUrl), GOAL.frame, 'ms'),
      ...(await score('lighthouse sign-in', `${apiUrl}/console`, false, false)),
      ...(await score('lighthouse overview', `${apiUrl}/console`, true, false)),
      ...(await score("lighthouse buyer's page", buyersPage, false, true)),
    ];
  } finally {
    await browser.close();
    await db.$disconnect();
    await installation.close();
    await database.close();
  }
}

/** Lighthouse's own settings for a desktop: a wide screen, and neither a slow network nor a slow processor. */
const DESKTOP = {
  formFactor: 'desktop',
  screenEmulation: { mobile: false, ...WIDE, deviceScaleFactor: 1, disabled: false },
  throttling: { rttMs: 40, throughputKbps: 10_240, cpuSlowdownMultiplier: 1 },
};

async function tools(): Promise<Tools> {
  const home = await filesFromNpm(`lighthouse-${PACKAGE.version}`, PACKAGE, (packageDir, into) =>
    cpSync(join(packageDir, '..'), join(into, 'node_modules'), { recursive: true }),
  );
  const load = (path: string) => import(pathToFileURL(join(home, 'node_modules', path)).href);
  const { default: lighthouse } = await load('lighthouse/core/index.js');
  const { default: puppeteer } = await load('puppeteer-core/lib/esm/puppeteer/puppeteer-core.js');
  return { lighthouse, launch: (options) => puppeteer.launch(options) };
}

async function chromium() {
  const { executablePath, args, env } = await findChromium(console.error);
  return { executablePath, args, env };
}

/** All sections are there, and none of them, nor a figure, is still being read. */
const OVERVIEW = `document.querySelectorAll('main h2').length >= 4 && !document.querySelector('main [aria-busy=true]')
  && [...document.querySelectorAll('main ul a > span:nth-child(2)')].every((one) => one.textContent.trim() !== '')`;
const LIST = `document.querySelectorAll('main li').length > 5`;
const shown = (page: Page, condition: string) => page.waitForFunction(condition, { polling: 'raf', timeout: 60_000 });

/** From the navigation to the last figure, once the assets are in the browser's cache. */
async function overviews(page: Page, apiUrl: string): Promise<number[]> {
  const times: number[] = [];
  for (let round = 0; round <= ROUNDS; round++) {
    await page.goto(`${apiUrl}/console`);
    await shown(page, OVERVIEW);
    if (round > 0) times.push(await page.evaluate('performance.now()'));
  }
  return times;
}

/** From the request that follows the typing to the rows that match. */
async function searches(page: Page, apiUrl: string, count: number): Promise<number[]> {
  const times: number[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    await page.goto(`${apiUrl}/console/shipments`);
    await shown(page, LIST);
    const text = typedText(8 * round + 5, count);
    await page.evaluate(`globalThis.asked = 0; new PerformanceObserver((list) => {
      for (const { name, startTime } of list.getEntries()) if (/[?&]q=/.test(name)) globalThis.asked ||= startTime;
    }).observe({ type: 'resource' })`);
    await page.type('main input[type=search]', text);
    const wanted = JSON.stringify(text.toLowerCase());
    await shown(
      page,
      `(() => { const rows = [...document.querySelectorAll('main li')];
        return globalThis.asked > 0 && rows.length > 0 && rows[0].innerText.toLowerCase().includes(${wanted}); })()`,
    );
    times.push(await page.evaluate('performance.now() - globalThis.asked'));
  }
  return times;
}

/** While the list of all parcels is scrolled by 400 pixels a frame, over many pages of it. */
async function longestFrame(page: Page, apiUrl: string): Promise<number> {
  await page.goto(`${apiUrl}/console/shipments`);
  await shown(page, LIST);
  return page.evaluate(`new Promise((resolve) => {
    let [last, longest, frames] = [performance.now(), 0, 0];
    requestAnimationFrame(function frame(now) {
      longest = Math.max(longest, now - last);
      last = now;
      scrollBy(0, 400);
      if (++frames < 300) requestAnimationFrame(frame);
      else resolve(longest);
    });
  })`);
}

/** Makes the page of a parcel that moves. @returns its address */
async function publish(client: Client): Promise<string> {
  await client.account.changePages({ enabled: true });
  const { id } = await client.trackings.create({ tracking_number: 'SBXEXPRESS000001' });
  return eventually(
    async () => {
      const { events, tracking_page_url: url } = await client.trackings.one(id);
      if (events.length < 3 || url === undefined) throw new Error('the parcel has not moved');
      return url;
    },
    { deadlineMs: 60_000 },
  );
}

function ofGoal(name: string, times: readonly number[], goal: number): Figure {
  return figure(name, percentile(times, 0.5), goal, 'ms');
}
