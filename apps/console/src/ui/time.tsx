import { useFormat } from '../i18n/format.ts';
import { createStore, useStore } from '../session/store.ts';

const TICK_MS = 5_000;

const ticks = createStore(Date.now());
setInterval(() => document.visibilityState === 'visible' && ticks.set(Date.now()), TICK_MS);
document.addEventListener('visibilitychange', () => ticks.set(Date.now()));

/** The current time in milliseconds, which moves every few seconds, for all components at once. */
export function useNow(): number {
  return useStore(ticks);
}

/**
 * A time as its distance from now; the time itself, with its zone, appears under a pointer or a finger, and with the
 * focus of its row.
 */
export function Time({ at }: { at: string }) {
  const format = useFormat();
  const now = useNow();
  const date = new Date(at);
  return (
    <time dateTime={at} data-full={format.full(date)}>
      {format.relative(date, now)}
    </time>
  );
}

/** A time with its distance from now. */
export function FullTime({ at }: { at: string }) {
  const format = useFormat();
  const now = useNow();
  const date = new Date(at);
  return (
    <>
      <time dateTime={at} title={format.full(date)}>
        {format.brief(date, now)}
      </time>{' '}
      <span className="note">{format.relative(date, now)}</span>
    </>
  );
}
