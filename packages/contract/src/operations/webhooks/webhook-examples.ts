import { toUtcSeconds } from '@pts/core/time';
import { ENDPOINT_HOURS } from '@pts/core/webhook/endpoint';
import { SIGNATURE_HEADER_TEXT } from '@pts/core/webhook/push';

const registered = {
  id: '691f0a2e5d2b4e6f8a9c0d1d',
  url: 'https://shop.example.cn/hooks/parcels',
  events: ['tracking_update', 'tracking_delivered', 'tracking_exception'],
  enabled: true,
  created_at: '2025-11-20T12:30:04',
};

/** A webhook as the reference shows it. */
export const WEBHOOK_EXAMPLE = {
  ...registered,
  status: 'failing',
  supersede: false,
  in_progress: [],
  pending: 17,
  next_attempt_at: '2025-11-21T02:30:00Z',
  recent: { attempts: 200, failed: 23, median_ms: 38, last_status_code: 503 },
  hours: Array.from({ length: ENDPOINT_HOURS }, (_, n) => ({
    start: toUtcSeconds(new Date(Date.UTC(2025, 10, 20, 3 + n))),
    accepted: n === 23 ? 2 : 31 + ((n * 17) % 40),
    failed: n === 23 ? 23 : 0,
  })),
  failing_since: '2025-11-21T02:10:51Z',
  retry_after: '2025-11-21T02:30:00Z',
  disabled_reason: null,
  disabled_at: null,
  previous_secret_until: null,
};

/** The same with its secret, which is shown only once. */
export const REGISTERED_EXAMPLE = {
  ...registered,
  secret: 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw5V3o0nU1f3A=',
  signature_header: SIGNATURE_HEADER_TEXT,
};
