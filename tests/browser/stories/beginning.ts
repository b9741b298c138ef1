import { LIMITS } from '@pts/contract/limits';
import { ATTENTION_DAYS } from '@pts/core/attention';
import { eventually } from '@pts/testing/eventually';
import { startReceiver } from '@pts/testing/http-server';
import { verify } from '@pts/webhook-verifier/verify';
import { merchantOf } from '../../support/merchant.ts';
import { startFastService } from '../../support/service.ts';
import { launchBrowser, openPage } from '../support/browser.ts';
import { type Console, rowsOf, withEndlessMoments } from '../support/console.ts';

/** What somebody does first: with `npm start` and a browser, and with the settings of the account. */
export function beginningStories(at: () => Console): void {
  test('a newcomer reads nothing but the screen, and has a delivered parcel, a verified endpoint and a shared page', async () => {
    const [{ service, close }, browser] = await Promise.all([startFastService('newcomer', undefined), launchBrowser()]);
    const [, consoleUrl = ''] = /Console +(\S+)/.exec(service.output()) ?? [];
    const [, key = ''] = /API key +(tk_\S+)/.exec(service.output()) ?? [];
    let secret = '';
    const receiver = await startReceiver({
      respond: ({ headers, rawBody }) => ({ status: secret !== '' && verify(headers, rawBody, secret).ok ? 200 : 401 }),
    });
    try {
      const { page, faults } = await openPage(browser, service.ready.base_url);
      const beginning = page.getByRole('region', { name: 'Get started' });
      await page.goto(consoleUrl);
      await page.getByLabel('API key').fill(key);
      await page.getByRole('button', { name: 'Sign in' }).click();

      await beginning.getByText('0 of 4 done').waitFor();
      await beginning.getByRole('button', { name: 'Add 10 sample parcels' }).click();
      await beginning.getByText('1 of 4 done').waitFor();

      await beginning.getByRole('link', { name: 'Add an endpoint' }).click();
      await page.getByLabel('Address').fill(receiver.url);
      await page.getByRole('dialog').getByRole('button', { name: 'Add an endpoint' }).click();
      secret = (await page.getByText(/^whsec_/).textContent()) ?? '';

      await page.getByRole('link', { name: 'Verify the endpoint' }).click();
      await page.getByRole('button', { name: 'Verify the endpoint' }).click();
      await page.getByText('Endpoint verified.').waitFor();

      await page.getByRole('link', { name: 'Overview' }).click();
      await beginning.getByText('3 of 4 done').waitFor();
      await beginning.getByRole('link', { name: 'Set it up' }).click();
      await page.getByLabel('Give every parcel a tracking page for its buyer').check();
      await page.locator('#page').getByRole('button', { name: 'Save' }).click();
      await page.getByText('Saved.').waitFor();

      await page.getByRole('link', { name: 'Shipments' }).click();
      await page.getByRole('button', { name: /^Delivered [1-9]/ }).click();
      await rowsOf(page).first().getByRole('link').first().click();
      const [buyers] = await Promise.all([
        page.waitForEvent('popup'),
        page.getByRole('link', { name: /\/t\// }).click(),
      ]);
      await buyers.getByText('Delivered').first().waitFor();
      await page.getByRole('link', { name: 'Overview' }).click();
      await page.getByRole('heading', { name: 'Needs attention' }).waitFor();
      expect(await beginning.count()).toBe(0);
      expect(await faults()).toEqual([]);
    } finally {
      await browser.close();
      await receiver.close();
      await close();
    }
  }, 300_000);

  test('each section of the settings is saved by itself, and says at its field what is refused', async () => {
    const { service, open } = at();
    const { client } = merchantOf(service);
    await client.account.change({ include: ['pickup'] });
    // The service may know the account for another second.
    await eventually(async () => expect((await client.account.get()).include).toEqual(['pickup']));
    const { page } = await open('/settings#attention', { before: withEndlessMoments });
    const [fields, attention, pages] = ['#fields', '#attention', '#page'].map((id) => page.locator(id));
    if (!fields || !attention || !pages) throw new Error('there are three forms');
    const days = attention.getByRole('spinbutton');
    await days.first().waitFor();
    expect(
      await days.evaluateAll((inputs) => inputs.map((input) => Number((input as HTMLInputElement).value))),
    ).toEqual(Object.values(ATTENTION_DAYS));
    await attention.getByLabel('Days in transit').fill('4');
    await fields.getByLabel(/^Who received it/).check();
    await fields.getByLabel('Text language').selectOption({ label: 'German' });
    await fields.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Saved.').waitFor();
    const saved = { include: ['proof', 'pickup'], lang: 'de' };
    await eventually(async () => expect(await client.account.get()).toMatchObject(saved));
    // What is typed in another section is still there, and is saved only there.
    expect((await client.account.get()).attention).toBeUndefined();
    await attention.getByRole('button', { name: 'Save' }).click();
    await eventually(async () =>
      expect((await client.account.get()).attention?.days).toEqual({ ...ATTENTION_DAYS, in_transit: 4 }),
    );
    await pages.getByLabel('Shop address').fill('http://shop.example');
    await pages.getByRole('button', { name: 'Save' }).click();
    await pages.getByText(/^Shop address must be an https address/).waitFor();
    expect(await pages.getByLabel('Shop address').getAttribute('aria-invalid')).toBe('true');
    const usage = page.locator('#usage');
    await usage.getByText('Request limits').click();
    const limit = usage.getByRole('row').filter({ hasText: /POST \S*\/trackings\/create/ });
    await limit.getByText(String(LIMITS['trackings.create']), { exact: true }).waitFor();
    await client.account.change({
      include: [],
      lang: '',
      attention: { days: { in_transit: ATTENTION_DAYS.in_transit } },
    });
  });
}
