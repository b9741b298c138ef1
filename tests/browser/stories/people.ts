import type { Scope } from '@pts/core/account';
import { eventually } from '@pts/testing/eventually';
import { merchantOf } from '../../support/merchant.ts';
import { type Console, go, IN_TROUBLE, rowsOf } from '../support/console.ts';

/** What is done in a view, by the scope that it needs: the buttons and links that must not be there without it. */
const ACTIONS: readonly [path: string, needs: Scope, actions: readonly RegExp[]][] = [
  ['/', 'write', [/^Add parcels/, /^Fix it/]],
  ['/shipments', 'write', [/^Add parcels/]],
  ['/shipments/ID', 'write', [/^Check now/, /^Edit/, /^Stop/, /^Delete/, /link/]],
  ['/shipments/ID?edit=1', 'write', [/^Save/]],
  ['/shipments/add', 'write', [/^Register/, /^Add/]],
  ['/imports', 'write', [/^Choose a file/]],
  ['/webhooks', 'webhooks', [/endpoint/]],
  ['/webhooks?add=1', 'webhooks', [/endpoint/]],
  ['/keys', 'admin', [/key/, /test mode/]],
  ['/keys?create=1', 'admin', [/^Create/]],
  ['/people', 'admin', [/^Add a member/, /^Remove/]],
  ['/settings', 'admin', []],
];
const WORDS: Readonly<Record<Scope, RegExp>> = {
  read: /cannot see parcels/,
  write: /cannot register or change parcels/,
  webhooks: /cannot see or change webhooks/,
  admin: /cannot manage keys, members or settings|Sign in with an admin key/,
};

/** What people and keys may do, and who did what. */
export function peopleStories(at: () => Console): void {
  test.each([['read'], ['read, write'], ['read, webhooks'], ['read, admin']])(
    'with a key for %s, the console offers nothing else, says why, and sends no request that is refused',
    async (given) => {
      const { service, open } = at();
      const { client } = merchantOf(service);
      const scopes = given.split(', ') as Scope[];
      const { key, id: keyId } = await client.keys.create({ scopes });
      const { id = '' } = (await client.trackings.get([IN_TROUBLE])).success[0] ?? {};
      // Nothing is asked for before it is known what the key may do.
      const { page } = await open('/keys', { apiKey: key });
      const refused: string[] = [];
      page.on('response', (response) => {
        if (response.status() === 403) refused.push(new URL(response.url()).pathname);
      });
      await page.getByRole('button', { name: 'demo' }).waitFor();
      for (const [path, needs, actions] of ACTIONS) {
        const mayNot = !scopes.includes(needs);
        await go(page, at().address(path.replace('ID', id)));
        const main = page.getByRole('main');
        if (mayNot && path !== '/') await main.getByText(WORDS[needs]).first().waitFor();
        else await main.getByRole('heading').first().waitFor();
        if (!mayNot) continue;
        for (const name of actions) {
          const offered = page.locator('main, dialog').locator('button, a, label').filter({ hasText: name });
          expect([path, await offered.allTextContents()]).toEqual([path, []]);
        }
      }
      expect(refused).toEqual([]);
      await client.keys.revoke(keyId);
    },
  );

  test('a member signs in with the identity provider, does what the role allows, and is signed out by the removal', async () => {
    const { service, provider, open, address } = at();
    const { client } = merchantOf(service);
    const admin = await open('/people');
    await admin.page.getByRole('button', { name: 'Add a member' }).click();
    const dialog = admin.page.getByRole('dialog');
    await dialog.getByRole('button', { name: 'Add a member' }).click();
    await dialog.getByText('Enter an e-mail address.').waitFor();
    await dialog.getByLabel('E-mail address').fill('Alice@example.com');
    await dialog.getByLabel('Role').selectOption('Editor');
    await dialog.getByRole('button', { name: 'Add a member' }).click();
    const row = rowsOf(admin.page).filter({ hasText: 'alice@example.com' });
    await row.getByText('has not signed in yet').waitFor();

    const signedOut = { signedOut: true, provider: provider.issuer };
    provider.person = { sub: 'mallory', email: 'mallory@example.com', email_verified: true, name: 'Mallory' };
    const { page, context } = await open('/shipments', signedOut);
    await page.getByRole('button', { name: 'Continue with Okta' }).click();
    await page.getByText('Your e-mail address is not a member of any account.').waitFor();
    provider.person = { sub: 'alice', email: 'alice@example.com', email_verified: true, name: 'Alice Example' };
    await page.getByRole('button', { name: 'Continue with Okta' }).click();
    await page.getByRole('heading', { name: 'Shipments' }).waitFor();
    expect(page.url()).toBe(address('/shipments'));
    expect(await context.cookies()).toEqual([]);
    expect(await page.evaluate(() => JSON.stringify(localStorage))).not.toContain('tk_');
    await page.getByRole('link', { name: 'Keys' }).click();
    await page.getByText('Your role cannot manage keys, members or settings.').waitFor();
    await page.getByRole('button', { name: 'Alice Example' }).click();
    await page.getByText('alice@example.com').waitFor();
    const token = await page.evaluate(() => sessionStorage.getItem('pts.api-key') ?? '');
    await page.getByRole('button', { name: 'Sign out' }).click();
    const { call } = merchantOf({ ready: { ...service.ready, api_key: token } });
    await eventually(async () => expect((await call('GET', '/auth/me')).code).toBe(401));

    await page.getByRole('button', { name: 'Continue with Okta' }).click();
    await page.getByText('Your role cannot manage keys, members or settings.').waitFor();
    await admin.page.reload();
    await row.getByText('last sign-in').waitFor();
    await row.getByRole('button', { name: 'Remove' }).click();
    await dialog.getByRole('button', { name: 'Remove' }).click();
    await row.waitFor({ state: 'hidden' });
    await eventually(async () => {
      await page.reload();
      await page.getByText('Your session has ended. Sign in again.').waitFor({ timeout: 2000 });
    });
    await admin.page.getByRole('button', { name: 'Activity' }).click();
    await rowsOf(admin.page).filter({ hasText: 'removed alice@example.com' }).waitFor();
    await rowsOf(admin.page).filter({ hasText: 'alice@example.com signed in' }).first().waitFor();
    expect((await client.call<{ count: number }>('listMembers')).count).toBe(0);
  });
}
