import { Fragment } from 'react';

type ParcelNameProps = { title?: string | null | undefined; order_id?: string | null | undefined };

/** What the merchant calls a parcel, and its order: each in the direction of its own letters. */
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
