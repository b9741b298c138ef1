import { findChromium } from '@pts/testing/browser';
import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core';

/** A page that is watched: `faults` is what the console must never do. */
export type WatchedPage = { page: Page; context: BrowserContext; faults(): Promise<string[]> };

export type Look = {
  width?: number;
  height?: number;
  theme?: 'light' | 'dark';
  language?: 'en' | 'zh-CN' | 'ar';
  timeZone?: string;
  withoutScripts?: boolean;
  /** Signs in before the first page. */
  apiKey?: string;
  /** Another origin that the page may go to. */
  provider?: string;
};

/** A console that shows what it says is wrong with a request on purpose; such lines are no faults. */
const EXPECTED = /Failed to load resource/;
/** A busy machine is slow, and an event is shown only once every older transaction of the server has ended. */
const PATIENT_MS = 180_000;

export async function launchBrowser(fonts?: 'pictures'): Promise<Browser> {
  const program = await findChromium((line) => process.stdout.write(`${line}\n`), fonts);
  return chromium.launch(program);
}

/** A page of its own session, on a screen of this size. */
export async function openPage(browser: Browser, baseUrl: string, look: Look = {}): Promise<WatchedPage> {
  const { width = 1280, height = 800, theme = 'light', language = 'en', timeZone = 'Europe/Berlin', apiKey } = look;
  const { provider = baseUrl } = look;
  const isPhone = width < 640;
  const context = await browser.newContext({
    viewport: { width, height },
    colorScheme: theme,
    locale: language,
    timezoneId: timeZone,
    hasTouch: isPhone,
    isMobile: isPhone,
    reducedMotion: 'reduce',
    javaScriptEnabled: !look.withoutScripts,
    permissions: ['clipboard-read', 'clipboard-write'],
  });
  context.setDefaultTimeout(PATIENT_MS);
  if (apiKey) {
    await context.addInitScript((key) => {
      // Once: a sign-out must last.
      if (sessionStorage.getItem('signed-in')) return;
      sessionStorage.setItem('signed-in', 'yes');
      sessionStorage.setItem('pts.api-key', key);
    }, apiKey);
  }
  const faults: string[] = [];
  await context.exposeFunction('reportFault', (fault: string) => void faults.push(fault));
  await context.addInitScript(() => {
    document.addEventListener('securitypolicyviolation', (event) => {
      const { reportFault } = globalThis as unknown as { reportFault(fault: string): void };
      reportFault(`the content security policy forbids ${event.blockedURI} (${event.violatedDirective})`);
    });
  });
  const page = await context.newPage();
  page.on('pageerror', (error) => faults.push(`an error was thrown: ${error.message}`));
  page.on('console', (message) => {
    if (message.type() === 'error' && !EXPECTED.test(message.text())) faults.push(`the log says: ${message.text()}`);
  });
  page.on('request', (request) => {
    const url = request.url();
    const isAllowed = [baseUrl, provider].some((origin) => url.startsWith(`${origin}/`));
    if (!isAllowed && !/^(data|blob):/.test(url)) faults.push(`a request left the origin: ${url}`);
    if (/tk_\w*[0-9a-f]{48}/.test(url)) faults.push(`a key is in an address: ${url}`);
  });
  return { page, context, faults: async () => faults };
}
