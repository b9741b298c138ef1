import { createHash } from 'node:crypto';
import { type OutageKind, startOutageSwitch } from '@pts/testing/network-faults';
import type { Timeline } from '../timeline.ts';

export const CARRIERS = ['sandbox', 'kuaidi100'] as const;
export type Carrier = (typeof CARRIERS)[number];

/** Stands between the services and the sandbox carrier. */
export type WorldCarriers = {
  url: string;
  /** Puts a carrier into outage; null ends it. */
  set(carrier: Carrier, outage: OutageKind | null): void;
  /** The calls that were answered. */
  requested(): number;
  close(): Promise<void>;
};

/** The first part of the path of each carrier's calls. */
const PATHS: Record<Carrier, string> = { sandbox: 'track', kuaidi100: 'kuaidi100' };

export async function startWorldCarriers(sandboxUrl: string, timeline: Timeline): Promise<WorldCarriers> {
  let requested = 0;
  const outage = await startOutageSwitch(
    () => sandboxUrl,
    (path) => {
      const carrier = CARRIERS.find((each) => PATHS[each] === path);
      if (carrier === undefined) return;
      requested += 1;
      timeline.poll(performance.now(), carrier);
    },
  );
  return {
    url: outage.url,
    set: (carrier, kind) => outage.set(PATHS[carrier], kind),
    requested: () => requested,
    close: outage.close,
  };
}

/** A carrier's current scans of a number, asked directly over its wire. @returns `<time> <text>` of each scan. */
export async function scansOf(sandboxUrl: string, carrier: Carrier, number: string): Promise<string[]> {
  return carrier === 'sandbox' ? scansOfSandbox(sandboxUrl, number) : scansOfKuaidi100(sandboxUrl, number);
}

async function scansOfSandbox(sandboxUrl: string, number: string): Promise<string[]> {
  const response = await fetch(`${sandboxUrl}/track`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ numbers: [{ number }] }),
  });
  const { results } = (await response.json()) as { results: { scans?: { time: string; description: string }[] }[] };
  return (results[0]?.scans ?? []).map(({ time, description }) => `${time} ${description}`);
}

/** Its account at the sandbox, whose calls are signed; its times are China's. */
export const KUAIDI100 = { customer: 'sandbox-customer', key: 'sandbox-key', company: 'yuantong' };

async function scansOfKuaidi100(sandboxUrl: string, number: string): Promise<string[]> {
  const { customer, key, company } = KUAIDI100;
  const param = JSON.stringify({ com: company, num: number });
  const sign = createHash('md5').update(`${param}${key}${customer}`).digest('hex').toUpperCase();
  const body = new URLSearchParams({ customer, sign, param });
  const response = await fetch(`${sandboxUrl}/kuaidi100/poll/query.do`, { method: 'POST', body });
  const { data = [] } = (await response.json()) as { data?: { ftime: string; context: string }[] };
  return data.map(({ ftime, context }) => `${utcOf(ftime)} ${context}`);
}

function utcOf(chinaTime: string): string {
  return new Date(`${chinaTime.replace(' ', 'T')}+08:00`).toISOString().replace('.000Z', 'Z');
}
