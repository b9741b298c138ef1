import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Page } from 'playwright-core';

const SOURCE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
const TAGS = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'];

type Violation = { id: string; help: string; nodes: { target: unknown[]; failureSummary?: string }[] };
type Axe = { run(context: object, options: object): Promise<{ violations: Violation[] }> };

/** What axe finds wrong with a page: by WCAG 2.2 AA and its own best practices, or by some rules alone. */
export async function axeFaults(page: Page, rules?: readonly string[]): Promise<string[]> {
  if (!(await page.evaluate(() => 'axe' in globalThis))) await page.evaluate(SOURCE);
  const violations = await page.evaluate(
    async (runOnly) => {
      const { axe } = globalThis as unknown as { axe: Axe };
      return (await axe.run(document, { runOnly, resultTypes: ['violations'] })).violations;
    },
    [...(rules ?? TAGS)],
  );
  return violations.flatMap(({ id, help, nodes }) =>
    nodes.map(({ target, failureSummary = '' }) => `${id} (${help}) at ${target.join(' ')}: ${failureSummary}`),
  );
}

/** Whether the page is wider than its window. */
export async function isTooWide(page: Page): Promise<boolean> {
  return page.evaluate(() => document.documentElement.scrollWidth > document.documentElement.clientWidth);
}

/** Texts that are cut off. The list of parcels has rows of two lines: there, long texts end with an ellipsis. */
export async function cutOff(page: Page): Promise<string[]> {
  return page.evaluate(() =>
    [...document.querySelectorAll('body *:not(svg, svg *, .unseen, .unseen *, [role=cell], [role=cell] *)')]
      .filter((one) => one.scrollWidth > one.clientWidth + 1 && getComputedStyle(one).overflowX === 'hidden')
      .map(({ textContent }) => `cut off: ${textContent}`),
  );
}
