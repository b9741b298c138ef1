import type { Locator } from 'playwright-core';

/** Whether a colour is that of the page in the forced colours of a system, such as a contrast theme of Windows. */
export async function vanishes(element: Locator, property: string, pseudo?: string): Promise<boolean> {
  const page = element.page();
  await page.emulateMedia({ forcedColors: 'active' });
  const vanished = await element.evaluate(
    (shown, [property = '', pseudo]) =>
      getComputedStyle(shown, pseudo).getPropertyValue(property) === getComputedStyle(document.body).backgroundColor,
    [property, pseudo],
  );
  await page.emulateMedia({ forcedColors: null });
  return vanished;
}
