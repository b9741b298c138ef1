import type { SubStatus } from '@pts/client/types';
import { useText } from '../i18n/language.ts';
import css from './pill.module.css';

export type Tone = 'grey' | 'blue' | 'violet' | 'green' | 'amber' | 'red';

/** A state: its word, on its colour. */
export function Pill({ tone, children }: { tone: Tone; children: string }) {
  return <span className={`${css.pill} ${css[tone]}`}>{children}</span>;
}

const TONES: Readonly<Record<SubStatus, Tone>> = {
  pending: 'grey',
  info_received: 'grey',
  in_transit: 'blue',
  out_for_delivery: 'violet',
  available_for_pickup: 'violet',
  delivered: 'green',
  exception: 'amber',
  undeliverable: 'red',
  returned: 'red',
  expired: 'grey',
};

/** The colour of a state; grey for one that a newer service has. */
export function toneOf(status: string): Tone {
  return status in TONES ? TONES[status as SubStatus] : 'grey';
}

/**
 * The state of a parcel. A newer service may have states that this console does not know: they are shown by their name.
 */
export function StatusPill({ status }: { status: string }) {
  const words: Partial<Record<string, string>> = useText().subStatus;
  return <Pill tone={toneOf(status)}>{words[status] ?? status.replaceAll('_', ' ')}</Pill>;
}
