import { merchantOf } from '../../support/merchant.ts';
import { type Console, hold, refusal, rowsOf } from '../support/console.ts';

/** The service is away, refuses, or has a newer console. */
export function troubleStories(at: () => Console): void {
  test('without the service, what is shown stays, with its time; news that was missed comes by itself', async () => {
    const { service, open } = at();
    const { register } = merchantOf(service);
    await register('SBXNOTFOUND78');
    const { page, context } = await open('/shipments');
    await rowsOf(page).first().waitFor();
    await page.getByText('live', { exact: true }).waitFor();
    await context.setOffline(true);
    await page.getByText('Can’t reach the service.').waitFor();
    expect(await rowsOf(page).count()).toBeGreaterThan(0);
    await register('SBXEXPRESS79');
    await context.setOffline(false);
    await page.getByText('Can’t reach the service.').waitFor({ state: 'hidden' });
    await rowsOf(page).filter({ hasText: 'SBXEXPRESS79' }).getByText('Delivered', { exact: true }).waitFor();
  });

  test('on a slow network, the frame comes first, and a list says that it is being read', async () => {
    const { back, release } = hold();
    const { page } = await at().open('/webhooks');
    await page.getByRole('heading', { name: 'Webhooks' }).waitFor();
    await back(page, '**/api/v1/shipments?*');
    await page.getByRole('link', { name: 'Shipments' }).click();
    await page.getByRole('heading', { name: 'Shipments' }).waitFor();
    await page.getByRole('main').getByText('Loading…').first().waitFor({ state: 'attached' });
    release();
    await rowsOf(page).first().waitFor();
  });

  test('a service that never answers is said not to, and a read that took too long is not repeated unasked', async () => {
    const { held, release } = hold();
    const lists: string[] = [];
    const { page } = await at().open('/webhooks', {
      before: (context) =>
        context.addInitScript(() => {
          const timeout = AbortSignal.timeout;
          AbortSignal.timeout = (ms) => timeout.call(AbortSignal, ms / 5);
        }),
    });
    await page.getByRole('heading', { name: 'Webhooks' }).waitFor();
    await page.route(/\/api\/v1\/|build\.json$/, async (route) => {
      if (route.request().url().includes('/shipments?')) lists.push(route.request().url());
      await held;
      await route.continue();
    });
    await page.getByRole('link', { name: 'Shipments' }).click();
    await page.getByRole('alert').filter({ hasText: 'The service did not respond.' }).waitFor();
    expect(lists).toHaveLength(1);
    const bar = page.getByRole('status').filter({ hasText: 'Can’t reach the service.' });
    await bar.waitFor();
    release();
    await bar.waitFor({ state: 'hidden' });
    await rowsOf(page).first().waitFor();
  });

  test('when other tabs have all streams, news still comes, page by page', async () => {
    const { service, open } = at();
    const { page } = await open('/shipments', {
      before: (context) => context.route('**/api/v1/events/stream*', (route) => route.fulfill(refusal(429))),
    });
    await rowsOf(page).first().waitFor();
    await page.getByText('live', { exact: true }).waitFor();
    await merchantOf(service).register('SBXEXPRESS80');
    await page.getByRole('button', { name: /^Show [\d,]+ updates?$/ }).waitFor();
  });

  test('news begins where it should, also when its first read is refused: not with what is long over', async () => {
    const { service, open } = at();
    await merchantOf(service).register('SBXEXPRESS88');
    const asked: URLSearchParams[] = [];
    const { page } = await open('/shipments', {
      before: async (context) => {
        await context.route('**/api/v1/events?last=*', (route) => route.fulfill(refusal(429, { 'Retry-After': '5' })), {
          times: 1,
        });
        context.on('request', (request) => {
          const { pathname, searchParams } = new URL(request.url());
          if (pathname === '/api/v1/events') asked.push(searchParams);
        });
      },
    });
    await page.getByText('live', { exact: true }).waitFor();
    expect(asked.filter((query) => !query.has('after') && !query.has('last'))).toEqual([]);
    expect(asked.length).toBeGreaterThan(1);
  });

  test('an error has its request id; too many requests say until when', async () => {
    const { page } = await at().open('/webhooks');
    await page.getByRole('heading', { name: 'Webhooks' }).waitFor();
    await page.route('**/api/v1/shipments?*', (route) => route.fulfill(refusal(400, { 'X-Request-Id': 'request-77' })));
    await page.getByRole('link', { name: 'Shipments' }).click();
    await page.getByRole('code').filter({ hasText: 'request-77' }).waitFor();
    await page.unroute('**/api/v1/shipments?*');
    await page.route('**/api/v1/shipments?*', (route) => route.fulfill(refusal(429, { 'Retry-After': '3600' })));
    await page.getByRole('button', { name: 'Try again' }).click();
    await page.getByText('Too many requests.').waitFor();
    await page.getByText('Retrying at').waitFor();
    await page.unroute('**/api/v1/shipments?*');
    await page.getByRole('button', { name: 'Try again' }).click();
    await rowsOf(page).first().waitFor();
    await page.route('**/trackings/retrack/*', (route) => route.fulfill(refusal(429, { 'Retry-After': '3600' })));
    await page.keyboard.press('j');
    await page.keyboard.press('r');
    await page.getByText('Too many requests. Try again in 3,600 seconds.').waitFor();
  });

  test('a refresh that fails keeps the rows and what is new, and says since when they are shown', async () => {
    const { service, open } = at();
    const { client, register } = merchantOf(service);
    // It has no news without a phone.
    const { id } = await register('SBXPHONE87');
    const { page } = await open('/shipments');
    const row = rowsOf(page).filter({ hasText: 'SBXPHONE87' });
    await row.waitFor();
    await page.getByText('live', { exact: true }).waitFor();
    await register('SBXEXPRESS87');
    const refresh = page.getByRole('button', { name: /^Show [\d,]+ updates?$/ });
    await refresh.waitFor();
    const lists = '**/api/v1/shipments?*';
    await page.route(lists, (route) => route.fulfill(refusal(500, { 'X-Request-Id': 'request-87' })));
    await refresh.click();
    await page.getByText('Couldn’t refresh.').waitFor();
    await page.getByText('Showing data from').waitFor();
    await page.getByRole('code').filter({ hasText: 'request-87' }).waitFor();
    await refresh.waitFor();
    // News that changes a row does not make the list current.
    await client.trackings.update(id, { phone: '5678' });
    await row.getByText('Delivered', { exact: true }).waitFor();
    expect(await page.getByText('Couldn’t refresh.').isVisible()).toBe(true);
    await page.unroute(lists);
    await page.getByRole('button', { name: 'Try again' }).click();
    await page.getByText('Couldn’t refresh.').waitFor({ state: 'hidden' });
    await row.waitFor();
  });

  test('news that comes while a list is read again stays', async () => {
    const { service, open } = at();
    await merchantOf(service).register('SBXEXPRESS85');
    const { page } = await open('/shipments');
    const delivered = rowsOf(page).filter({ hasText: 'SBXEXPRESS85' }).getByText('Delivered', { exact: true });
    await rowsOf(page).filter({ hasText: 'SBXEXPRESS85' }).waitFor();
    const { back, release } = hold();
    await back(page, '**/api/v1/shipments?*', { late: true });
    const read = page.waitForResponse('**/api/v1/shipments?*');
    await page.getByRole('button', { name: /^(Refresh|\d+ updated: show newest first)$/ }).click();
    await delivered.waitFor();
    release();
    await read;
    await page.getByRole('main').locator('[aria-busy=true]').first().waitFor({ state: 'detached' });
    expect(await delivered.isVisible()).toBe(true);
  });

  test('news outside the filter is counted apart', async () => {
    const { service, open } = at();
    const { page } = await open('/shipments?status=expired');
    await page.getByText('No parcels match Expired.').waitFor();
    await page.getByText('live', { exact: true }).waitFor();
    await merchantOf(service).register('SBXEXPRESS86');
    await page.getByText(/^\d+ updates? outside this view$/).waitFor();
    await page.getByRole('button', { name: 'Refresh', exact: true }).waitFor();
    await page.getByRole('button', { name: /^All \d/ }).click();
    await rowsOf(page).filter({ hasText: 'SBXEXPRESS86' }).waitFor();
  });

  test('a part that is gone with its build offers the newer one, whose reload keeps the place', async () => {
    const gone = /console\/assets\/(endpoints|zh)-/;
    const { page } = await at().open('/shipments?status=delivered', {
      before: async (context) => {
        await context.route(gone, (route) => route.fulfill({ status: 404 }));
        await context.route('**/console/build.json', (route) => route.fulfill({ json: { script: 'main-NEWER.js' } }));
      },
    });
    await page.getByRole('button', { name: 'demo' }).click();
    await page.getByText('简体中文').click();
    await page.keyboard.press('Escape');
    await page.getByText('This language could not be loaded.').waitFor();
    await page.getByText('A newer version of the console is available.').waitFor();
    await page.getByRole('link', { name: 'Webhooks' }).click();
    await page.getByText('This page could not be displayed.').waitFor();
    await page.getByRole('link', { name: 'Shipments' }).click();
    await page.getByRole('heading', { name: 'Shipments' }).waitFor();
    await page.getByRole('link', { name: 'Webhooks' }).click();
    await page.getByText('This page could not be displayed.').waitFor();
    await page.context().unroute(gone);
    await page.getByRole('button', { name: 'Reload now' }).click();
    await page.getByRole('heading', { name: 'Webhook' }).waitFor();
    expect(await page.locator('html').getAttribute('lang')).toBe('zh-CN');
  });
}
