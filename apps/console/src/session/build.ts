import { CONSOLE_PATH } from './service-url.ts';
import { createStore } from './store.ts';

/** Whether the service has a newer build of the console than this tab. */
export const isOutdated = createStore(false);

const CHECK_EVERY_MS = 60_000;
const OWN = document.querySelector<HTMLScriptElement>('script[type="module"]')?.src.split('/').at(-1);
let checkedAt = 0;

/** Compares builds, at most once a minute unless `now`: when the tab is shown again, and when a part of the console is missing. */
export async function checkBuild({ now = false } = {}): Promise<void> {
  if (!now && performance.now() - checkedAt < CHECK_EVERY_MS) return;
  checkedAt = performance.now();
  try {
    const response = await fetch(`${CONSOLE_PATH}/build.json`, { cache: 'no-cache' });
    const { script } = (await response.json()) as { script: string };
    isOutdated.set(script !== OWN);
  } catch {
    // Offline: another bar says so.
  }
}

export function watchBuild(): () => void {
  const onShown = () => {
    if (document.visibilityState === 'visible') void checkBuild();
  };
  document.addEventListener('visibilitychange', onShown);
  return () => document.removeEventListener('visibilitychange', onShown);
}
