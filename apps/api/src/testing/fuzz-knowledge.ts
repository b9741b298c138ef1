import type { FuzzRequest } from './fuzz.ts';

/** The objects that an account has, so that requests can refer to them. */
export type Knowledge = {
  key: string;
  /** The request as it is sent, its placeholders replaced. */
  fill(request: FuzzRequest): { path: string; body: string | Buffer<ArrayBuffer> | null };
  learn(endpoint: string, data: unknown): void;
};

const MAX_KEPT = 50;

export function createKnowledge(key: string, hook: string): Knowledge {
  const ago = (hours: number) => `${new Date(Date.now() - hours * 3_600_000).toISOString().slice(0, 19)}Z`;
  const known = new Map<string, string[]>([
    ['$hook', [hook]],
    ['$since', [ago(48), ago(1)]],
    ['$until', [ago(0.5)]],
  ]);
  const add = (name: string, value: unknown) => {
    if (typeof value !== 'string' || value === '') return;
    const values = known.get(name) ?? [];
    known.set(name, [...values.slice(-MAX_KEPT), value]);
  };
  let turn = 0;
  const replace = (text: string, own: string) =>
    text.replace(/\$[a-z]+/g, (name) => {
      const values = known.get(name === '$own' ? own : name);
      turn += 1;
      return values === undefined ? name : (values[turn % values.length] ?? name);
    });
  return {
    key,
    fill({ endpoint, params, query, body }) {
      const own = kindOf(endpoint.replace(/\/replay.*/, ''));
      const path = endpoint.replace(/:(\w+)/g, (_, name: string) => encode(replace(params[name] ?? '', own)));
      const search = query.map(([name, value]) => `${encode(name)}=${encode(replace(value, own))}`).join('&');
      const filled = typeof body === 'string' ? replace(body, own) : body === null ? null : Buffer.from(body);
      return { path: search === '' ? path : `${path}?${search}`, body: filled };
    },
    learn(endpoint, data) {
      const kind = kindOf(endpoint);
      // The list of keys has the one that is used here, which must not be revoked.
      if (kind === '$key' && !Object.hasOwn(Object(data), 'key')) return;
      // The list of accounts has those that send requests here, which must not be disabled.
      if (kind === '$account' && !Object.hasOwn(Object(data), 'account')) return;
      for (const [name, value] of fieldsOf(kind === '$account' ? Object(data).account : data)) {
        if (name === 'id') add(kind, value);
        if (name === 'webhook_id') add('$webhook', value);
        if (name === 'order_id') add('$order', value);
        if (name === 'message_id') add('$message', value);
        if (name === 'next_cursor' || name === 'next_before') add('$cursor', value);
      }
    },
  };
}

function kindOf(endpoint: string): string {
  if (endpoint.includes('/deliveries')) return '$delivery';
  if (endpoint.includes('/replay')) return '$replay';
  if (endpoint === '/events') return '$message';
  if (endpoint.startsWith('/keys')) return '$key';
  if (endpoint.startsWith('/operator')) return '$account';
  if (endpoint.startsWith('/account/members')) return '$member';
  if (endpoint.startsWith('/imports')) return '$import';
  if (endpoint.startsWith('/bulk')) return '$bulk';
  return endpoint.startsWith('/webhooks') ? '$webhook' : '$tracking';
}

function fieldsOf(data: unknown): [string, unknown][] {
  if (typeof data !== 'object' || data === null) return [];
  return Object.entries(data).flatMap((entry) => [entry, ...fieldsOf(entry[1])]);
}

/** As `encodeURIComponent`, which cannot take half of a character. */
function encode(text: string): string {
  return [...Buffer.from(text)].map((byte) => `%${byte.toString(16).padStart(2, '0')}`).join('');
}
