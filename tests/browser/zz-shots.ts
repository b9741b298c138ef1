import { launchBrowser, openPage } from '/work/h/portal/tests/browser/support/browser.ts';
import { startFastService } from '/work/h/portal/tests/support/service.ts';
const [{ service, close }, browser] = await Promise.all([startFastService('shots', undefined), launchBrowser()]);
const base = service.ready.base_url;
try {
  for (const [name, path] of [['start', '/docs'], ['guide', '/docs/receivers'], ['op', '/docs/reference/createTracking'], ['error', '/docs/errors/4113'], ['zh', '/docs/zh/quickstart']] as const)
    for (const theme of ['light', 'dark'] as const)
      for (const width of [1280, 360]) {
        if (theme === 'dark' && name === 'zh') continue;
        const { page, context } = await openPage(browser, base, { width, height: 900, theme });
        await page.goto(base + path);
        await page.waitForTimeout(300);
        await page.screenshot({ path: `/tmp/shots/${name}-${theme}-${width}.png` });
        if (name === 'op') { await page.locator('.tabs').scrollIntoViewIfNeeded(); await page.screenshot({ path: `/tmp/shots/${name}2-${theme}-${width}.png` });
          await page.locator('.try').scrollIntoViewIfNeeded(); await page.screenshot({ path: `/tmp/shots/${name}3-${theme}-${width}.png` }); }
        await context.close();
      }
  const { page } = await openPage(browser, base, { width: 1280, height: 900 });
  await page.goto(base + '/docs'); await page.keyboard.press('/'); await page.getByRole('searchbox').fill('signature'); await page.waitForTimeout(500);
  await page.screenshot({ path: '/tmp/shots/search.png' });
  const phone = await openPage(browser, base, { width: 360, height: 780 });
  await phone.page.goto(base + '/docs#menu'); await phone.page.screenshot({ path: '/tmp/shots/menu.png' });
} finally { await browser.close(); await close(); }
