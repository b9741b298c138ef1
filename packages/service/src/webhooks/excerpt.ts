import type { Sent } from '@pts/egress/send';

/** The response excerpt for the delivery log; null if the body was empty or there was no response. */
export function excerptOf(sent: Sent): string | null {
  return sent.kind === 'answered' && sent.excerpt !== '' ? sent.excerpt : null;
}
