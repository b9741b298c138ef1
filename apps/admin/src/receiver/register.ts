import { createClient } from '@pts/client/client';
import { isApiError, NoAnswerError, TrackingApiError } from '@pts/client/errors';
import { EVENT_KINDS } from '@pts/core/tracking/status';
import { messageOf } from '@pts/db/connection/message';
import { aMoment, MOMENTS } from '../command-line/moments.ts';
import { Problem } from '../command-line/problem.ts';

export type Registration = {
  id: string;
  url: string;
  secret: string;
  /** Whether the URL was already registered: then it is not removed at the end. */
  wasThere: boolean;
  /** @throws Problem if it could not be removed */
  remove(): Promise<void>;
};

/** Registers a receiver for all events. @throws Problem */
export async function register(target: { baseUrl: string; apiKey: string }, url: string): Promise<Registration> {
  const client = createClient({
    ...target,
    timeoutMs: 10_000,
    userAgent: 'pts-receiver',
    maxRetries: MOMENTS,
    sleep: aMoment,
  });
  try {
    const { webhooks } = await client.webhooks.list();
    const wasThere = webhooks.some((webhook) => webhook.url === url);
    const { id, secret } = await client.webhooks.register({ url, events: [...EVENT_KINDS] });
    return { id, url, secret, wasThere, remove: () => remove(id) };
  } catch (error) {
    throw explain(error, target.baseUrl, url);
  }

  async function remove(id: string): Promise<void> {
    try {
      await client.webhooks.delete(id);
    } catch (error) {
      if (isApiError(error, 'not_found')) return;
      throw new Problem(`The webhook ${id} could not be removed and is still registered: ${messageOf(error)}`);
    }
  }
}

function explain(error: unknown, baseUrl: string, url: string): unknown {
  if (isApiError(error, 'invalid_field'))
    return new Problem(
      `${baseUrl} refuses ${url}: ${error.message}\nIf the deployment refuses private receivers, set --url to a public https URL that leads here, such as a tunnel.`,
    );
  if (error instanceof TrackingApiError) return new Problem(`${baseUrl} refuses to register: ${error.message}`);
  if (error instanceof NoAnswerError) return new Problem(`No answer from ${baseUrl}: ${error.message}`);
  return error;
}
