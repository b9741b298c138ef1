import type { Shipment } from '@pts/client/types';
import { Fragment } from 'react';
import { useText } from '../i18n/language.ts';
import css from './words.module.css';

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

/** Why a parcel needs attention, in a few words, or in the service's for a reason that this console does not know. */
export function Reason({ attention: { reason, message } }: { attention: NonNullable<Shipment['attention']> }) {
  const words: Partial<Record<string, string>> = useText().attention;
  return (
    <strong className={css.reason} title={message}>
      {words[reason] ?? message}
    </strong>
  );
}
