import { eventually } from '@pts/testing/eventually';
import type { Page } from 'playwright-core';
import { merchantOf } from '../../support/merchant.ts';
import { axeFaults, isTooWide } from '../support/axe.ts';
import { type Console, IN_TROUBLE, withoutClipboard } from '../support/console.ts';
import { vanishes } from '../support/forced-colours.ts';

const DELIVERED = 'SBXEXPRESS88';
const WIDTHS = [1280, 390, 320];
const THEMES = ['light', 'dark'] as const;
const LANGUAGES = [
  { language: 'en', direction: 'ltr', delivered: 'Delivered', history: 'History' },
  { language: 'zh-CN', direction: 'ltr', delivered: '签收', history: '物流轨迹' },
  { language: 'ar', direction: 'rtl', delivered: 'تم التسليم', history: 'السجل' },
] as const;

/** The page of a parcel, for its buyer: a stranger who has the link and nothing else. */
export function buyersPageStories(at: () => Console): void {
  let links: { delivered: string; inTrouble: string };
  beforeAll(async () => {
    const { client, register } = merchantOf(at().service);
    await client.account.changePages({ enabled: true });
    const { id } = await register(DELIVERED);
    await eventually(async () => expect((await client.trackings.one(id)).sub_status).toBe('delivered'));
    const { success } = await client.trackings.get([DELIVERED, IN_TROUBLE]);
    const [delivered = '', inTrouble = ''] = success.map(({ tracking_page_url: url = '' }) => url);
    links = { delivered, inTrouble };
  });
  const visit: Console['visit'] = (link, look) => at().visit(link, look);

  test.each(LANGUAGES)(
    'in $language: reads well on every screen, in both themes, and is printed on one sheet',
    async (expected) => {
      const { language, direction, delivered, history } = expected;
      const page = await visit(links.delivered, { language });
      await page.getByRole('heading', { level: 1, name: delivered }).waitFor();
      await page.getByRole('heading', { name: history }).waitFor();
      expect(await page.locator('html').getAttribute('dir')).toBe(direction);
      expect(await axeFaults(page)).toEqual([]);
      expect(await vanishes(page.locator('.bar i').first(), 'background-color')).toBe(false);
      for (const link of [links.delivered, links.inTrouble]) {
        await page.goto(link);
        expect(await faultsOfLooks(page, language)).toEqual([]);
        expect(sheetsOf(await page.pdf({ format: 'A4' }))).toBe(1);
      }
    },
  );

  test('finds a parcel by order number and postal code, with the keyboard alone', async () => {
    const { client } = merchantOf(at().service);
    const { lookup_url: url } = await client.account.changePages({ allow_lookup: true });
    await client.trackings.create({ tracking_number: 'SBXEXPRESS89', order_id: 'A-1001', postal_code: '24159' });
    const page = await visit(url ?? '', {});
    await page.getByLabel('Order number').fill('A-1001');
    await page.getByLabel('Postal code').fill('1');
    await page.keyboard.press('Enter');
    await page.getByRole('alert').getByText('No parcel matches these details').waitFor();
    expect(await page.getByLabel('Order number').inputValue()).toBe('A-1001');
    expect(await axeFaults(page)).toEqual([]);
    for (const width of WIDTHS) {
      await page.setViewportSize({ width, height: 800 });
      expect(await isTooWide(page)).toBe(false);
    }
    await page.getByLabel('Postal code').fill('24 159');
    await page.keyboard.press('Enter');
    await page.getByText('SBXEXPRESS89').waitFor();
  });

  test('copies the number in a frame, too, where the browser refuses the clipboard', async () => {
    const page = await visit(links.delivered, { before: withoutClipboard });
    await page.getByRole('button', { name: 'Copy' }).click();
    await page.getByRole('button', { name: 'Copied' }).waitFor();
    expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(DELIVERED);
  });

  test('copies the number, and says so for a moment', async () => {
    const page = await visit(links.delivered, { before: (context) => context.clock.install() });
    // The moment lasts until somebody has looked.
    await page.clock.pauseAt(Date.now() + 3_600_000);
    await page.getByRole('button', { name: 'Copy' }).click();
    await page.getByRole('button', { name: 'Copied' }).waitFor();
    expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(DELIVERED);
    await page.clock.runFor(2000);
    await page.getByRole('button', { name: 'Copy', exact: true }).waitFor();
  });

  test('without JavaScript says the same, has no button that does nothing, and speaks other languages', async () => {
    const page = await visit(links.delivered, { withoutScripts: true });
    await page.getByRole('heading', { name: 'Delivered' }).first().waitFor();
    await page.getByText(DELIVERED).waitFor();
    expect(await page.getByRole('button').count()).toBe(0);
    await page.locator('header summary').click();
    await page.getByRole('link', { name: '中文' }).click();
    await page.getByRole('heading', { level: 1, name: '签收' }).waitFor();
  });
}

/** What is wrong at any width; the colours of both themes are the same in every language. */
async function faultsOfLooks(page: Page, language: string): Promise<string[]> {
  const faults: string[] = [];
  for (const width of WIDTHS) {
    await page.setViewportSize({ width, height: 800 });
    if (await isTooWide(page)) faults.push(`wider than ${width}`);
  }
  faults.push(...(await axeFaults(page, ['target-size'])));
  for (const colorScheme of language === 'en' ? THEMES : []) {
    await page.emulateMedia({ colorScheme });
    const found = await axeFaults(page, ['color-contrast']);
    faults.push(...found.map((fault) => `${colorScheme}: ${fault}`));
  }
  await page.emulateMedia({ colorScheme: null });
  return faults;
}

/** The pages of a PDF document. */
function sheetsOf(pdf: Buffer): number {
  return pdf.toString('latin1').match(/\/Type\s*\/Page\b/g)?.length ?? 0;
}
