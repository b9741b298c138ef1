import type { Shipment } from '@pts/client/types';
import { useText } from '../../i18n/language.ts';
import css from './reason.module.css';

/** Why a parcel needs attention, in a few words. A newer service may have reasons that this console does not know: in English. */
export function Reason({ attention: { reason, message } }: { attention: NonNullable<Shipment['attention']> }) {
  const words: Partial<Record<string, string>> = useText().attention;
  const known = words[reason];
  return (
    <strong className={css.reason} title={message} lang={known === undefined ? 'en' : undefined}>
      {known ?? message}
    </strong>
  );
}
