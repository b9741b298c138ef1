import { startReceiver } from '@pts/testing/receiver';
import { merchantOf } from '../../support/merchant.ts';
import { type Console, rowsOf } from '../support/console.ts';

/** Endpoints of the merchant. */
export function webhookStories(at: () => Console): void {
  test('a broken receiver is seen, checked, repaired and caught up', async () => {
    let status = 500;
    const receiver = await startReceiver({ respond: () => ({ status, body: 'no space left' }) });
    try {
      const { service, open } = at();
      const { page } = await open('/webhooks');
      await page.getByRole('button', { name: 'Add an endpoint' }).first().click();
      await page.getByLabel('Address').fill(receiver.url);
      await page.getByRole('dialog').getByRole('button', { name: 'Add an endpoint' }).click();
      await page.getByText(/whsec_/).waitFor();
      await page.getByRole('button', { name: 'I have stored it' }).click();
      await merchantOf(service).register('SBXEXPRESS91');
      const endpoint = rowsOf(page).filter({ hasText: receiver.url });
      await endpoint.getByText('Failing').waitFor();
      await endpoint.getByRole('link').click();
      await page.getByRole('button', { name: 'tracking_update' }).first().click();
      const drawer = page.getByRole('dialog');
      await drawer.getByText('no space left').waitFor();
      await drawer.getByText('First byte').waitFor();
      status = 200;
      const before = receiver.requests.length;
      await drawer.getByRole('button', { name: 'Send again' }).click();
      await page.getByText('It is being sent again.').waitFor();
      await page.keyboard.press('Escape');
      await page.getByText('Healthy').waitFor();
      expect(receiver.requests.length).toBeGreaterThan(before);
      await page.getByRole('button', { name: 'Test', exact: true }).click();
      await page.getByRole('button', { name: 'Check the verification' }).click();
      await page.getByText('Not all four are as they should be.').waitFor();
      await page.getByRole('button', { name: 'Replay', exact: true }).click();
      await page.getByRole('button', { name: 'Send again' }).click();
      await page.getByText('Done', { exact: true }).waitFor();
      await page.getByRole('button', { name: 'Settings', exact: true }).click();
      await page.getByRole('button', { name: 'Remove the endpoint' }).click();
      await page.getByRole('dialog').getByRole('button', { name: 'Remove the endpoint' }).click();
      await page.getByText('The endpoint is removed.').waitFor();
    } finally {
      await receiver.close();
    }
  });
}
