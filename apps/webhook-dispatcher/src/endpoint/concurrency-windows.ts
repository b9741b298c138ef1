import { type Flow, firstFlow, flowAfter } from '@pts/core/webhook/concurrency-window';
import { LRUCache } from 'lru-cache';

const MOST_ENDPOINTS = 20_000;

/** What this process has seen of endpoints lately. Forgetting it costs a slow start. */
export type Flows = {
  of(webhookId: string, isFailing: boolean): Flow;
  note(webhookId: string, isFailing: boolean, succeeded: boolean, durationMs: number): void;
};

export function createFlows(): Flows {
  const flows = new LRUCache<string, Flow>({ max: MOST_ENDPOINTS });
  const of: Flows['of'] = (webhookId, isFailing) => flows.get(webhookId) ?? firstFlow(isFailing);
  return {
    of,
    note(webhookId, isFailing, succeeded, durationMs) {
      flows.set(webhookId, flowAfter(of(webhookId, isFailing), succeeded, durationMs));
    },
  };
}
