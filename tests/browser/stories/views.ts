import { startReceiver } from '@pts/testing/receiver';
import type { Page } from 'playwright-core';
import { merchantOf } from '../../support/merchant.ts';
import { axeFaults, isTooWide } from '../support/axe.ts';
import { type Console, go, PHONE } from '../support/console.ts';
import { ordersFile } from '../support/orders-file.ts';

/** What the first view may weigh, as sent. */
const FIRST_VIEW_BYTES = 120 * 1024;

/** All views in two looks: everything about their structure in one, and what depends on colours and sizes in the other. */
export function viewStories(at: () => Console): void {
  test('the first one is light', async () => {
    const { page } = await at().open('/');
    await page.getByRole('heading', { name: 'Overview' }).waitFor();
    const bytes = await page.evaluate(() =>
      performance
        .getEntriesByType('resource')
        .filter(({ name }) => name.includes('/console/assets/'))
        .map((entry) => (entry as PerformanceResourceTiming).encodedBodySize),
    );
    expect(bytes.length).toBeGreaterThan(2);
    expect(bytes.reduce((sum, one) => sum + one, 0)).toBeLessThan(FIRST_VIEW_BYTES);
  });

  test('axe finds nothing; on a narrow, dark screen in Chinese, everything can be read and fits', async () => {
    const { service, open, address } = at();
    const { client, register } = merchantOf(service);
    const receiver = await startReceiver();
    try {
      const webhook = await client.webhooks.register({ url: receiver.url, events: ['tracking_update'] });
      const [{ id }] = await Promise.all([register('SBXEXPRESS71'), client.webhooks.test(webhook.id)]);
      const { id: imported } = await client.imports.start({ content: ordersFile(3), dry_run: true });
      const [attempt] = (await client.webhooks.deliveries({ webhook_id: webhook.id })).items;
      const paths = [
        '/',
        '/shipments',
        '/shipments?status=expired',
        '/shipments?needs_attention=true&created=7d&q=SBX',
        '/shipments/add?numbers=SBXEXPRESS71,SBXEXPRESS99,1',
        `/shipments?open=${id}`,
        `/shipments/${id}`,
        `/shipments/${id}?tab=events`,
        `/shipments/${id}?tab=explain`,
        `/shipments/${id}?tab=raw`,
        `/shipments/${id}?edit=1`,
        '/webhooks',
        '/webhooks?add=1',
        `/webhooks/${webhook.id}`,
        `/webhooks/${webhook.id}?attempt=${attempt?.id}`,
        `/webhooks/${webhook.id}?tab=test`,
        `/webhooks/${webhook.id}?tab=replay`,
        `/webhooks/${webhook.id}?tab=settings`,
        '/imports',
        `/imports/${imported}`,
        '/keys',
        '/keys?create=1',
        '/nothing',
      ];
      const [wide, narrow] = await Promise.all([
        open('/', { signedOut: true }),
        open('/', { ...PHONE, theme: 'dark', language: 'zh-CN', signedOut: true }),
      ]);
      const look = async ({ page }: { page: Page }, rules?: string[]) => {
        const faults: Record<string, string[]> = {};
        const check = async (name: string) => {
          await page.locator('h1').first().waitFor();
          await page.locator('[aria-busy=true]').first().waitFor({ state: 'detached' });
          const found = await axeFaults(page, rules);
          if (await isTooWide(page)) found.push('wider than the window');
          if (found.length > 0) faults[name] = found;
        };
        await check('sign-in');
        await page.locator('input[name=key]').fill(service.ready.api_key);
        await page.keyboard.press('Enter');
        await page.locator('main h1').waitFor();
        for (const path of paths) {
          await go(page, address(path));
          await check(path);
        }
        await page.keyboard.press('?');
        await check('help');
        return faults;
      };
      const faults = await Promise.all([look(wide), look(narrow, ['color-contrast', 'target-size', 'html-has-lang'])]);
      expect(faults).toEqual([{}, {}]);
      expect(await narrow.page.locator('html').getAttribute('lang')).toBe('zh-CN');
    } finally {
      await receiver.close();
    }
  });
}
