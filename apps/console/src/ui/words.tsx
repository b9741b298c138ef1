import type { Shipment } from '@pts/client/types';
import { Fragment } from 'react';
import { spoken, useText } from '../i18n/language.ts';
import type { SaidWords } from '../i18n/said-words.ts';
import { useStore } from '../session/store.ts';
import css from './words.module.css';

type SaidProps = { message: string; about?: Exclude<keyof SaidWords, 'cadence'>; kind?: string };

/**
 * A message of the service, in the reader's words if its kind or its sentence has any; otherwise as the service says
 * it, in English.
 */
export function Said({ about, kind, message }: SaidProps) {
  const { said, translate } = useStore(spoken);
  const words = (about && kind ? said[about]?.[kind] : undefined) ?? translate(message);
  return words === null ? <span lang="en">{message}</span> : <span>{words}</span>;
}

/**
 * A text as a carrier wrote it, in the carrier's language: an empty one says that it is not known, and is not that of
 * the page.
 */
export function CarrierText({ lang = '', children }: { lang?: string | undefined; children: string }) {
  return (
    <span lang={lang} dir="auto">
      {children}
    </span>
  );
}

type ParcelNameProps = { title?: string | null | undefined; order_id?: string | null | undefined };

/** The merchant's name for a parcel, and its order: each in the direction of its own letters. */
export function ParcelName({ title, order_id }: ParcelNameProps) {
  const names = [title, order_id].filter(Boolean);
  return names.map((name, at) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: both may be the same
    <Fragment key={at}>
      {at > 0 && ' · '}
      <bdi>{name}</bdi>
    </Fragment>
  ));
}

/**
 * Why a parcel needs attention, in a few words. A newer service may have reasons that this console does not know: in
 * English.
 */
export function Reason({ attention: { reason, message } }: { attention: NonNullable<Shipment['attention']> }) {
  const words: Partial<Record<string, string>> = useText().attention;
  const { translate } = useStore(spoken);
  const known = words[reason];
  const sentence = translate(message) ?? message;
  return (
    <strong
      className={css.reason}
      title={sentence}
      lang={known === undefined && sentence === message ? 'en' : undefined}
    >
      {known ?? sentence}
    </strong>
  );
}
