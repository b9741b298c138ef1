import type { Service } from './service.ts';

export type Tracking = {
  id: string;
  tracking_number: string;
  carrier: string;
  status: string;
  sub_status: string;
  events: { time: string; location: string; description: string; status: string }[];
};

type Envelope<T> = { code: number; meta: number; message: string; data: T };

/** A merchant's client: speaks HTTP only, and waits where it is asked to. */
export function merchantOf({ ready }: Service) {
  const call = async <T>(method: string, path: string, body?: object): Promise<Envelope<T>> => {
    const response = await fetch(`${ready.base_url}/api/v1${path}`, {
      method,
      headers: { 'X-API-Key': ready.api_key, ...(body ? { 'Content-Type': 'application/json' } : {}) },
      ...(body ? { body: JSON.stringify(body) } : {}),
    });
    return (await response.json()) as Envelope<T>;
  };
  const read = async (numbers: readonly string[]): Promise<Tracking[]> => {
    const chunks = Array.from({ length: Math.ceil(numbers.length / 40) }, (_, i) =>
      numbers.slice(i * 40, (i + 1) * 40),
    );
    const answers = await Promise.all(
      chunks.map((chunk) => call<{ success: Tracking[] }>('GET', `/trackings/get?tracking_numbers=${chunk.join(',')}`)),
    );
    return answers.flatMap(({ code, message, data }) => {
      if (code !== 200) throw new Error(`GET /trackings/get answered ${code}: ${message}`);
      return data.success;
    });
  };
  return {
    call,
    read,
    register: async (number: string, more: object = {}) => {
      const answer = await call<{ id: string; status: string; carrier: string }>('POST', '/trackings/create', {
        tracking_number: number,
        ...more,
      });
      if (answer.code !== 200) throw new Error(`${number}: ${answer.code} ${answer.message}`);
      return answer.data;
    },
    subscribe: async (url: string): Promise<string> => {
      const events = ['tracking_update', 'tracking_delivered', 'tracking_exception'];
      const answer = await call<{ secret: string }>('POST', '/webhooks', { url, events });
      return answer.data.secret;
    },
    quotaUsed: async () => (await call<{ quota_used: number }>('GET', '/account')).data.quota_used,
  };
}
