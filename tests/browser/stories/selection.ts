import { eventually } from '@pts/testing/eventually';
import { merchantOf } from '../../support/merchant.ts';
import { type Console, choose, go, hold, IN_TROUBLE, refusal, rowsOf, withEndlessMoments } from '../support/console.ts';

const RUNNING = {
  ...{ id: '6b0af0c348445e637654c309', action: 'retrack', state: 'running', filter: {}, dry_run: false },
  ...{ matched: 5, matched_is_lower_bound: false, done: 1, skipped: 0, failed: 0 },
};

const envelopeOf = (data: object) => ({ code: 200, meta: 200, message: '', data });

/** Rows of a list that are selected, and what is done with them. */
export function selectionStories(at: () => Console): void {
  test('all that match are acted on by the service, after a question that says how many', async () => {
    const { service, open } = at();
    const { client } = merchantOf(service);
    const parcels = Array.from({ length: 12 }, (_, n) => ({
      tracking_number: `SBXEXPRESS${4100 + n}`,
      title: 'Green scarf',
    }));
    await client.trackings.batch(parcels);
    const { page } = await open('/shipments?q=green+scarf', { before: withEndlessMoments });
    await page.getByText('12 matches', { exact: true }).waitFor();
    await rowsOf(page).filter({ hasText: 'SBXEXPRESS41' }).first().getByRole('checkbox').check();
    await page.getByRole('button', { name: 'Select all 12' }).click();
    await page.getByText('All 12 selected').waitFor();
    // What matches another filter was not chosen.
    await page.getByRole('button', { name: '“green scarf”' }).click();
    await page.getByText('1 parcel selected').waitFor();
    await page.getByRole('button', { name: /^Select all [\d,]+$/ }).waitFor();
    await page.goBack();
    await page.getByText('All 12 selected').waitFor();
    await page.getByRole('button', { name: 'Stop checking' }).click();
    const stopping = page.getByRole('dialog', { name: 'Stop checking all 12 parcels?' });
    // The list of actions is read again only when this one is over.
    await page.route(/\/api\/v1\/bulk$/, async (route) => {
      await eventually(async () => {
        const states = (await client.bulk.list()).bulk_actions.map(({ state }) => state);
        expect(states.filter((state) => state === 'queued' || state === 'running')).toEqual([]);
      });
      await route.continue();
    });
    await stopping.getByRole('button', { name: 'Stop checking' }).click();
    await page.getByText(/^Stop checking: \d+ done\./).waitFor();
    await page.unroute(/\/api\/v1\/bulk$/);
    expect((await client.shipments.list({ q: 'green scarf' })).shipments).toHaveLength(12);
    await rowsOf(page).filter({ hasText: 'SBXEXPRESS41' }).first().getByRole('checkbox').check();
    await page.getByRole('button', { name: 'Select all 12' }).click();
    await page.getByRole('button', { name: 'Delete', exact: true }).click();
    const removing = page.getByRole('dialog', { name: 'Delete all 12 parcels?' });
    await removing.waitFor();
    await client.trackings.create({ tracking_number: 'SBXEXPRESS4199', title: 'Green scarf' });
    await removing.getByLabel('Type 12 to confirm').fill('12');
    await removing.getByRole('button', { name: 'Delete' }).click();
    await page.getByText('Delete: 12 done.').waitFor();
    expect((await client.shipments.list({ q: 'green scarf' })).shipments).toMatchObject([
      { tracking_number: 'SBXEXPRESS4199' },
    ]);
    await page.getByRole('button', { name: 'Undo' }).click();
    await eventually(async () =>
      expect((await client.shipments.list({ q: 'green scarf' })).shipments).toHaveLength(13),
    );
  });

  test('all that match: they are counted first, however long it takes, and those are acted on', async () => {
    const counted = { ...RUNNING, dry_run: true, matched: 10_000, matched_is_lower_bound: true };
    let actions = [counted];
    const { page } = await at().open('/shipments', { before: withEndlessMoments });
    const started: unknown[] = [];
    await page.route(/\/api\/v1\/bulk(\/\w+)?$/, (route) => {
      const [request, isList] = [route.request(), route.request().url().endsWith('/bulk')];
      if (!isList) started.push([request.url().split('/').at(-1), request.postDataJSON()]);
      route.fulfill({ json: envelopeOf(isList ? { bulk_actions: actions } : counted) });
    });
    await rowsOf(page).first().getByRole('checkbox').check();
    await page.getByRole('button', { name: /^Select all [\d,]+$/ }).click();
    await page.getByRole('button', { name: 'Stop checking' }).click();
    const counting = page.getByRole('dialog', { name: 'Counting… 10,000 so far' });
    expect(await counting.getByRole('button', { name: 'Stop checking' }).isEnabled()).toBe(false);
    actions = [{ ...counted, state: 'done', matched: 12_345, matched_is_lower_bound: false }];
    const question = page.getByRole('dialog', { name: 'Stop checking all 12,345 parcels?' });
    await question.getByRole('button', { name: 'Stop checking' }).click();
    await question.waitFor({ state: 'hidden' });
    expect(started).toEqual([
      ['retrack', { filter: {}, dry_run: true }],
      ['stop', { filter: {}, expected_count: 12_345, dry_run_id: counted.id }],
    ]);
  });

  test('keep selected what could not be done, until it is removed', async () => {
    const { service, open } = at();
    const { client } = merchantOf(service);
    const { success } = await client.trackings.batch(['SBXNOTFOUND64', 'SBXNOTFOUND65']);
    const { id: later } = await client.trackings.create('SBXNOTFOUND63');
    const { page } = await open('/shipments?q=SBXNOTFOUND6', { before: withEndlessMoments });
    for (const { tracking_number } of success) await page.getByLabel(`Select ${tracking_number}`).check();
    const { back, release } = hold();
    await back(page, `**/trackings/${success[0]?.id}/stop`, { answer: refusal(403) });
    await page.getByRole('button', { name: 'Stop checking' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Stop checking' }).click();
    await page.getByText('0 of 2').waitFor();
    // What is selected meanwhile stays so.
    await page.getByLabel('Select SBXNOTFOUND63').check();
    release();
    await page.getByText('2 parcels selected').waitFor();
    expect(await page.getByLabel(`Select ${success[0]?.tracking_number}`).isChecked()).toBe(true);
    expect(await page.getByLabel(`Select ${success[1]?.tracking_number}`).isChecked()).toBe(false);
    expect(await page.getByLabel('Select SBXNOTFOUND63').isChecked()).toBe(true);
    // What is removed is no longer among them.
    await rowsOf(page)
      .getByRole('link', { name: success[0]?.tracking_number ?? '' })
      .click();
    await choose(page, 'Delete');
    await page.getByText('1 parcel selected').waitFor();
    await page.getByRole('complementary').waitFor({ state: 'hidden' });
    // One that somebody else has removed meanwhile is removed, too.
    await client.trackings.delete(later);
    await page.getByRole('button', { name: 'Delete', exact: true }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
    await page.getByText('1 deleted.', { exact: true }).waitFor();
  });

  test('all that match: a failure to stop the action is said', async () => {
    const { page } = await at().open('/shipments', {
      before: (context) =>
        context.route('**/api/v1/bulk', (route) => route.fulfill({ json: envelopeOf({ bulk_actions: [RUNNING] }) })),
    });
    await page.route('**/api/v1/bulk/*', (route) => route.fulfill(refusal(403)));
    await page.getByRole('button', { name: 'Stop' }).click();
    await page.getByText('Refused for the test.').waitFor();
  });

  test('are no longer worked on once the reader has signed out, or the key is refused', async () => {
    const { service, open } = at();
    const { success } = await merchantOf(service).client.trackings.batch(['SBXNOTFOUND611', 'SBXNOTFOUND612']);
    for (const isRefused of [false, true]) {
      const { page } = await open('/shipments?q=SBXNOTFOUND61', { before: withEndlessMoments });
      const { held, release } = hold();
      const sent: string[] = [];
      await page.route('**/trackings/*/stop', async (route) => {
        sent.push(route.request().url());
        await held;
        await route.fulfill(refusal(isRefused ? 401 : 403));
      });
      for (const { tracking_number } of success) await page.getByLabel(`Select ${tracking_number}`).check();
      await page.getByRole('button', { name: 'Stop checking' }).click();
      await page.getByRole('dialog').getByRole('button', { name: 'Stop checking' }).click();
      await page.getByText('0 of 2').waitFor();
      if (!isRefused) {
        await page.getByRole('button', { name: 'demo' }).click();
        await page.getByRole('button', { name: 'Sign out' }).click();
        await page.getByLabel('API key', { exact: true }).waitFor();
      }
      release();
      await page.getByText(/^Stopped checking 0. 1 failed.$/).waitFor();
      await page.getByLabel('API key', { exact: true }).waitFor();
      expect(sent).toHaveLength(1);
    }
  });

  test('are left when the key is refused for a row', async () => {
    const { page } = await at().open(`/shipments?q=${IN_TROUBLE}`);
    await page.route('**/trackings/retrack/*', (route) => route.fulfill(refusal(401)));
    await page.getByRole('link', { name: IN_TROUBLE }).focus();
    await page.keyboard.press('r');
    await page.getByLabel('API key', { exact: true }).waitFor();
    await page.getByText('Refused for the test.').waitFor();
  });

  test('stay when the key of an earlier session is refused', async () => {
    const { service, open, address } = at();
    const { page } = await open(`/shipments?q=${IN_TROUBLE}`);
    const { back, release } = hold();
    await back(page, '**/trackings/*/stop', { answer: refusal(401) });
    await page.getByRole('link', { name: IN_TROUBLE }).click();
    const requested = page.waitForRequest('**/trackings/*/stop');
    await choose(page, 'Stop checking');
    await requested;
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'demo' }).click();
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByLabel('API key', { exact: true }).fill(service.ready.api_key);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await rowsOf(page).first().waitFor();
    const refused = page.waitForEvent('requestfinished', (request) => request.url().endsWith('/stop'));
    release();
    await refused;
    await go(page, address('/keys'));
    await page.getByRole('button', { name: 'Create a key' }).waitFor();
  });
}
