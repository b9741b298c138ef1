import { type IdentityProvider, startIdentityProvider } from '@pts/testing/identity-provider';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { merchantOf } from '../../support/merchant.ts';
import { type Service, startFastService } from '../../support/service.ts';
import { type Look, launchBrowser, openPage, type WatchedPage } from './browser.ts';

export const PHONE = { width: 360, height: 800 };
/** A parcel that is registered first: it needs attention by the time that a story looks at it. */
export const IN_TROUBLE = 'SBXEXCEPTION75';

type Opening = Look & { signedOut?: boolean; before?(context: BrowserContext): Promise<void> };

/** The console of a running service, in a browser. */
export type Console = {
  service: Service;
  /** With which people sign in. */
  provider: IdentityProvider;
  address(path: string): string;
  /** A page of the console, signed in unless the look says otherwise. */
  open(path: string, look?: Opening): Promise<WatchedPage>;
  /** A page of anything that the service shows to everybody. */
  visit(path: string, look?: Look & Pick<Opening, 'before'>): Promise<Page>;
  /**
   * Closes all pages.
   * @returns what the console must never do and has done: ask another origin, break its policy, throw, show the key.
   */
  closePages(): Promise<string[]>;
  close(): Promise<void>;
};

export async function startConsole(): Promise<Console> {
  const provider = await startIdentityProvider();
  const oidc = {
    OIDC_ISSUER: provider.issuer,
    OIDC_CLIENT_ID: provider.clientId,
    OIDC_CLIENT_SECRET: provider.clientSecret,
    OIDC_NAME: 'Okta',
  };
  const [{ service, close }, browser]: [Awaited<ReturnType<typeof startFastService>>, Browser] = await Promise.all([
    startFastService('console', undefined, { SANDBOX_SPEED: '8', CHECK_INTERVAL_SECONDS: '5', ...oidc }),
    launchBrowser(),
  ]);
  await merchantOf(service).register(IN_TROUBLE, { title: 'Red umbrella', order_id: 'U-1' });
  const opened: WatchedPage[] = [];
  const address = (path: string) => `${service.ready.base_url}/console${path}`;
  const openAt = async (url: string, { before, ...look }: Opening) => {
    const watched = await openPage(browser, service.ready.base_url, look);
    opened.push(watched);
    await before?.(watched.context);
    await watched.page.goto(url);
    return watched;
  };
  return {
    service,
    provider,
    address,
    open: (path, { signedOut = false, ...look } = {}) =>
      openAt(address(path), { ...(signedOut ? {} : { apiKey: service.ready.api_key }), ...look }),
    visit: async (path, look = {}) => (await openAt(new URL(path, service.ready.base_url).href, look)).page,
    async closePages() {
      // A test that failed holds requests until here; a page that waits for their answers does not close.
      for (const release of releases.splice(0)) release();
      const faults = await Promise.all(opened.map((one) => one.faults()));
      await Promise.all(opened.splice(0).map(closePage));
      return faults.flat();
    },
    async close() {
      await browser.close();
      await close();
      await provider.close();
    },
  };
}

async function closePage({ page, context }: WatchedPage): Promise<void> {
  await page.unrouteAll({ behavior: 'ignoreErrors' });
  await context.unrouteAll({ behavior: 'ignoreErrors' });
  await context.close();
}

/**
 * What the console shows for a moment, in milliseconds: *Copied*, a message, Undo; and when it loads its other views.
 */
const MOMENTS_MS = [1500, 6000, 10_000, 2000];

/** Moments never end: a busy machine may look later. Whatever has failed is tried again, as ever. */
export function withEndlessMoments(context: BrowserContext): Promise<void> {
  return context.addInitScript((moments) => {
    const start = setTimeout;
    globalThis.setTimeout = ((run: () => void, ms = 0) =>
      moments.includes(ms) ? 0 : start(run, ms)) as typeof setTimeout;
  }, MOMENTS_MS);
}

/** As over plain http: only the older command copies. */
export function withoutClipboard(context: BrowserContext): Promise<void> {
  return context.addInitScript(() => {
    navigator.clipboard.writeText = () => Promise.reject(new DOMException('', 'NotAllowedError'));
  });
}

/** The rows of a list, not those of the navigation. */
export function rowsOf(page: Page) {
  return page.getByRole('main').locator('li, tbody tr, [role=row][data-id]');
}

/** Opens the menu with what else can be done with a parcel, and chooses. */
export async function choose(page: Page, name: string): Promise<void> {
  await page.getByText('More', { exact: true }).click();
  await page.locator('details[open]').getByRole('button', { name, exact: true }).click();
}

/** Chooses a sub-status among the filters. */
export async function chooseSubStatus(page: Page, label: string): Promise<void> {
  await page.getByRole('button', { name: 'Filter', exact: true }).click();
  await page.getByLabel('Sub-status', { exact: true }).selectOption({ label });
}

/** Goes to another view as a link of the console does: without loading the page again. */
export async function go(page: Page, to: string): Promise<void> {
  await page.evaluate((address) => history.pushState(null, '', address), to);
}

/** What has been held back since the pages were last closed. */
const releases: (() => void)[] = [];

type Held = { method?: string; answer?: ReturnType<typeof refusal>; late?: true };

/**
 * Something that waits until it is released, and what holds back requests until then: they go on, or are answered so,
 * or their answers are late.
 */
export function hold() {
  let release = () => {};
  const held = new Promise<void>((resolve) => {
    release = resolve;
  });
  releases.push(release);
  const back = (from: Page | BrowserContext, url: string | RegExp, { method, answer, late }: Held = {}) =>
    from.route(url, async (route) => {
      if (method !== undefined && route.request().method() !== method) return route.continue();
      const answered = late ? { response: await route.fetch() } : answer;
      await held;
      return answered ? route.fulfill(answered) : route.continue();
    });
  return { held, release, back };
}

/** A refusal, in the service's envelope. */
export function refusal(status: number, headers: Record<string, string> = {}) {
  const body = JSON.stringify({ code: status, meta: status, message: 'Refused for the test.', data: {} });
  return { status, headers: { 'Content-Type': 'application/json', ...headers }, body };
}
