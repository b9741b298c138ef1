import { newSecret, pushHeaders, trackingBody } from '@pts/core/webhook/push';

export const SECRET = newSecret(new Uint8Array(32).fill(1));

export type Sent = { messageId?: string; attempt?: number; seq?: number; secret?: string; sentAt?: Date };

/** Sends a push of one parcel, signed like the service. */
export function push(url: string, { messageId = 'm-1', attempt = 1, seq = 1, ...more }: Sent = {}): Promise<Response> {
  const { secret = SECRET, sentAt = new Date() } = more;
  const times = { timeRaw: '', zoneSource: 'carrier' } as const;
  const body = trackingBody('tracking_update', sentAt, {
    id: '69a463e0a1b2c3d4e5f60718',
    trackingNumber: 'SBXEXPRESS1',
    carrier: 'sandbox',
    seq,
    status: '派送中',
    subStatus: 'out_for_delivery',
    scans: [
      {
        ...times,
        time: '2026-03-01T10:00:00Z',
        location: '深圳',
        description: 'Out for delivery',
        status: 'out_for_delivery',
      },
      { ...times, time: '2026-03-01T09:00:00Z', location: '广州', description: 'Sorted', status: 'in_transit' },
    ],
  });
  const headers = pushHeaders({ messageId, event: 'tracking_update', attempt, body, secrets: [secret], sentAt });
  return fetch(url, { method: 'POST', headers, body });
}
