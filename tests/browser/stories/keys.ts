import { eventually } from '@pts/testing/eventually';
import type { BrowserContext } from 'playwright-core';
import { merchantOf } from '../../support/merchant.ts';
import { type Console, go, hold, refusal, rowsOf, withEndlessMoments } from '../support/console.ts';

/** Signing in with a key, and the keys of an account. */
export function keyStories(at: () => Console): void {
  test('a key signs in, is shared by the tabs alone, and leads to the page that was asked for', async () => {
    const { service, open, address } = at();
    const { page, context } = await open('/shipments', { signedOut: true });
    const field = page.getByLabel('API key', { exact: true });
    await field.fill(`tk_${'0'.repeat(48)}`);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByText('The API key is invalid').waitFor();
    await field.fill(service.ready.api_key);
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Shipments' }).waitFor();
    expect(page.url()).toBe(address('/shipments'));
    expect(await context.cookies()).toEqual([]);
    expect(await page.evaluate(() => JSON.stringify(localStorage))).not.toContain('tk_');
    const other = await context.newPage();
    await other.goto(address('/webhooks'));
    await other.getByRole('heading', { name: 'Webhooks' }).waitFor();
    await page.getByRole('button', { name: 'demo' }).click();
    await page.getByRole('button', { name: 'Sign out' }).click();
    await field.waitFor();
    await other.getByLabel('API key', { exact: true }).waitFor();
    expect(await page.evaluate(() => JSON.stringify(sessionStorage))).not.toContain('tk_');
  });

  test('what was kept for the tab and cannot be a key asks for one', async () => {
    const keeping = (kept: string) => (context: BrowserContext) =>
      context.addInitScript((value) => sessionStorage.setItem('pts.api-key', value), kept);
    for (const kept of ['', 'schlüssel']) {
      const { page } = await at().open('/', { signedOut: true, before: keeping(kept) });
      await page.getByLabel('API key', { exact: true }).waitFor();
    }
  });

  test('the form of a key stays when a selection ends beside it, not after a press there; it says what is missing now, not what was refused before', async () => {
    const { page } = await at().open('/keys?create=1');
    const dialog = page.getByRole('dialog');
    const field = dialog.getByLabel('Name');
    await field.fill('Warehouse');
    const [inside, around] = await Promise.all([field.boundingBox(), dialog.boundingBox()]);
    if (!inside || !around) throw new Error('the dialog is not shown');
    await page.mouse.move(inside.x + 80, inside.y + 10);
    await page.mouse.down();
    await page.mouse.move(around.x - 40, inside.y + 10);
    await page.mouse.up();
    expect(await field.inputValue()).toBe('Warehouse');
    await page.mouse.click(around.x - 40, inside.y + 10);
    await dialog.waitFor({ state: 'hidden' });
    await page.route('**/api/v1/keys', (route) => route.fulfill(refusal(400)));
    await page.getByRole('button', { name: 'Create a key' }).click();
    await dialog.getByRole('button', { name: 'Create a key' }).click();
    await dialog.getByText('Refused for the test.').waitFor();
    const read = dialog.getByRole('checkbox', { name: /^Read/ });
    await read.uncheck();
    await dialog.getByRole('button', { name: 'Create a key' }).click();
    const missing = dialog.getByText('Choose at least one.');
    await missing.waitFor();
    await dialog.getByText('Refused for the test.').waitFor({ state: 'hidden' });
    await read.check();
    await missing.waitFor({ state: 'hidden' });
  });

  test('test mode is tried with a key of its own, and left for the live one', async () => {
    const { service, open } = at();
    const { page } = await open('/keys');
    await page.getByRole('button', { name: 'Try test mode' }).click();
    const dialog = page.getByRole('dialog');
    expect(await dialog.getByLabel(/^Test key/).isChecked()).toBe(true);
    expect(await dialog.getByLabel(/^Admin/).count()).toBe(0);
    await dialog.getByRole('button', { name: 'Create a key' }).click();
    const key = (await page.getByText(/^tk_test_[0-9a-f]{48}$/).textContent()) ?? '';
    await page.getByRole('button', { name: 'Switch to test mode' }).click();
    await page.getByText('Test mode: ').waitFor();
    await page.getByRole('link', { name: 'Overview' }).click();
    // Once, with one action.
    await page.getByRole('heading', { name: 'Get started' }).waitFor();
    await page.getByRole('link', { name: 'Shipments' }).click();
    await page.getByText('No parcels yet. Paste a tracking number.').waitFor();
    await page.getByText('live', { exact: true }).waitFor();
    const { client, register } = merchantOf({ ready: { ...service.ready, api_key: key } });
    const { id } = await register('SBXEXPRESS78');
    await rowsOf(page).filter({ hasText: 'SBXEXPRESS78' }).waitFor();
    await client.trackings.delete(id);
    await page.getByRole('link', { name: 'Keys' }).click();
    await page.getByText(/^This key cannot manage keys/).waitFor();
    await page.getByRole('button', { name: 'Exit test mode' }).click();
    const row = rowsOf(page).filter({ hasText: 'test mode' });
    await row.waitFor();
    // Also one that another tab has revoked already.
    const admin = merchantOf(service).client;
    for (const { id, test } of (await admin.keys.list()).keys) if (test) await admin.keys.revoke(id);
    await row.getByRole('button', { name: 'Revoke' }).click();
    const isReadAgain = page.waitForResponse((response) => /\/api\/v1\/keys$/.test(response.url()));
    await page.getByRole('button', { name: 'Dismiss' }).click();
    await (await isReadAgain).finished();
    await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));
    expect(await page.getByText('This API key does not exist').count()).toBe(0);
  });

  test('one is created and shown once; revoking waits for Undo, then ends its sessions with the reason', async () => {
    const { service, open, address } = at();
    const { client } = merchantOf(service);
    const { page } = await open('/keys', { before: withEndlessMoments });
    await page.getByRole('button', { name: 'Create a key' }).click();
    await page.getByLabel('Name').fill('Warehouse');
    await page.getByLabel(/^Expires on/).fill('2099-12-30');
    const { back, release } = hold();
    await back(page, '**/api/v1/keys');
    // The form may be closed too early, even before it shows that it was sent.
    await page.getByRole('dialog').evaluate((dialog) => {
      const buttons = Array.from(dialog.querySelectorAll('button'));
      for (const name of ['Create a key', 'Cancel']) buttons.find(({ textContent }) => textContent === name)?.click();
    });
    await page.getByRole('dialog').waitFor({ state: 'hidden' });
    release();
    const key = (await page.getByText(/^tk_[0-9a-f]{48}$/).textContent()) ?? '';
    await page.unroute('**/api/v1/keys');
    await page.getByRole('button', { name: 'I saved it' }).click();
    const row = rowsOf(page).filter({ hasText: 'Warehouse' });
    await row.getByText('never used').waitFor();
    await row.getByText('expires Wed, Dec 30, 2099').waitFor();
    expect(await page.content()).not.toContain(key);

    const other = await open('/keys', { apiKey: key, before: (context) => context.clock.install() });
    await other.page.getByText(/^This key cannot manage keys/).waitFor();
    const requests: string[] = [];
    other.page.on('request', (request) => requests.push(new URL(request.url()).pathname));
    await other.page.getByRole('link', { name: 'Webhooks' }).click();
    await other.page.getByText(/^This key cannot see or change webhooks/).waitFor();
    const isQuotaRead = other.page.waitForRequest('**/api/v1/account');
    await other.page.clock.fastForward(60_000);
    await isQuotaRead;
    expect(requests.filter((path) => path === '/api/v1/webhooks')).toEqual([]);

    const revoke = row.getByRole('button', { name: 'Revoke' });
    await revoke.click();
    await page.getByRole('button', { name: 'Undo' }).click();
    await row.waitFor();
    await revoke.click();
    await row.waitFor({ state: 'hidden' });
    const named = async () => (await client.keys.list()).keys.map(({ name }) => name);
    expect(await named()).toContain('Warehouse');
    // Leaving the page sends what waits for Undo, also in a browser that ends all requests that do not outlive their
    // page.
    await page.evaluate(() => {
      const send = globalThis.fetch;
      globalThis.fetch = (input, init) => (init?.keepalive ? send(input, init) : new Promise(() => {}));
    });
    await page.goto(`${service.ready.base_url}/docs`);
    await eventually(async () => expect(await named()).not.toContain('Warehouse'));
    // The service may know the key for another second.
    const { call } = merchantOf({ ready: { ...service.ready, api_key: key } });
    await eventually(async () => expect((await call('GET', '/auth/me')).code).toBe(401));
    // Its feed may have been refused already: then there is no link any more.
    await go(other.page, address('/shipments'));
    await other.page.getByText('You were signed out.').waitFor();
    await other.page.getByText(/The API key (was revoked|is invalid)/).waitFor();
  });
}
