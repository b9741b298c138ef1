import type { Sent } from '@pts/egress/send';

/** What of a receiver's answer stands in the delivery log; null where it said nothing. */
export function excerptOf(sent: Sent): string | null {
  return sent.kind === 'answered' && sent.excerpt !== '' ? sent.excerpt : null;
}
