import { type ConcurrencyWindow, firstWindow, windowAfter } from '@pts/core/webhook/endpoint';
import { LRUCache } from 'lru-cache';

/** `prompt`: first attempts to healthy endpoints. `late`: all others. */
export type Priority = 'prompt' | 'late';

/** The permit for one push. Both ends are reported in this order, once each. */
export type PushPermit = {
  /** The receiver has answered, or the push was given up: another may be sent. */
  answered(): void;
  /** The attempt is stored, or nothing will be. */
  recorded(): void;
};

export type FairLimiter = { take(accountId: string, priority: Priority): Promise<PushPermit> };

/**
 * The attempts not yet recorded, as a multiple of the pushes in flight. If the process is killed, receivers get these
 * pushes twice; and a database that stores slowly slows the pushes down.
 */
const UNRECORDED = 2;

/**
 * The permits for pushes in flight in this process. Late ones get at most half of them, so that retries and failing
 * endpoints never take those of first attempts; waiting accounts take turns, so that a busy one does not delay the
 * others.
 */
export function createFairLimiter(total: number): FairLimiter {
  const free = { all: total, late: Math.max(1, Math.floor(total / 2)), unrecorded: UNRECORDED * total };
  const waiting: Record<Priority, Map<string, (() => void)[]>> = { prompt: new Map(), late: new Map() };

  const isFree = (priority: Priority) =>
    free.unrecorded > 0 && free.all > 0 && (priority === 'prompt' || free.late > 0);
  const occupy = (priority: Priority) => {
    free.unrecorded -= 1;
    free.all -= 1;
    if (priority === 'late') free.late -= 1;
  };
  const admit = () => {
    for (const priority of ['prompt', 'late'] as const) {
      while (isFree(priority)) {
        const next = nextOf(waiting[priority]);
        if (!next) break;
        occupy(priority);
        next();
      }
    }
  };
  const permitWith = (priority: Priority): PushPermit => ({
    answered() {
      free.all += 1;
      if (priority === 'late') free.late += 1;
      admit();
    },
    recorded() {
      free.unrecorded += 1;
      admit();
    },
  });
  return {
    take: async (accountId, priority) => {
      if (isFree(priority)) occupy(priority);
      else {
        await new Promise<void>((resolve) => {
          const queue = waiting[priority].get(accountId);
          if (queue) queue.push(resolve);
          else waiting[priority].set(accountId, [resolve]);
        });
      }
      return permitWith(priority);
    },
  };
}

/** The first of the account that is first; that account then queues up behind the others. */
function nextOf(waiting: Map<string, (() => void)[]>): (() => void) | undefined {
  const [entry] = waiting;
  if (!entry) return undefined;
  const [accountId, queue] = entry;
  const next = queue.shift();
  waiting.delete(accountId);
  if (queue.length > 0) waiting.set(accountId, queue);
  return next;
}

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
