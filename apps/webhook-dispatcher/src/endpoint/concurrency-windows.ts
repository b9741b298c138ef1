import { type ConcurrencyWindow, firstWindow, windowAfter } from '@pts/core/webhook/endpoint';
import { LRUCache } from 'lru-cache';

const MAX_ENDPOINTS = 20_000;

/** The concurrency windows of recent endpoints. Losing one costs a slow start. */
export type ConcurrencyWindows = {
  of(webhookId: string, isFailing: boolean): ConcurrencyWindow;
  note(webhookId: string, isFailing: boolean, succeeded: boolean, durationMs: number): void;
};

export function createConcurrencyWindows(): ConcurrencyWindows {
  const windows = new LRUCache<string, ConcurrencyWindow>({ max: MAX_ENDPOINTS });
  const of: ConcurrencyWindows['of'] = (webhookId, isFailing) => windows.get(webhookId) ?? firstWindow(isFailing);
  return {
    of,
    note(webhookId, isFailing, succeeded, durationMs) {
      windows.set(webhookId, windowAfter(of(webhookId, isFailing), succeeded, durationMs));
    },
  };
}
