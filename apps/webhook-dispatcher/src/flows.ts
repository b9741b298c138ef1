import { type Flow, firstFlow, flowAfter } from '@pts/core/webhook/flow';

const MOST_REMEMBERED = 20_000;

/** What this process has seen of endpoints lately. Forgetting it costs a slow start. */
export type Flows = {
  of(webhookId: string, isFailing: boolean): Flow;
  note(webhookId: string, isFailing: boolean, succeeded: boolean, durationMs: number): void;
};

export function createFlows(): Flows {
  const flows = new Map<string, Flow>();
  const of: Flows['of'] = (webhookId, isFailing) => flows.get(webhookId) ?? firstFlow(isFailing);
  return {
    of,
    note(webhookId, isFailing, succeeded, durationMs) {
      const after = flowAfter(of(webhookId, isFailing), succeeded, durationMs);
      // The one noted longest ago is forgotten first.
      flows.delete(webhookId);
      flows.set(webhookId, after);
      if (flows.size > MOST_REMEMBERED) flows.delete(flows.keys().next().value ?? '');
    },
  };
}
