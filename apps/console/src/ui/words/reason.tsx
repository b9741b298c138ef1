import type { Shipment } from '@pts/client/types';
import { spoken, useText } from '../../i18n/language.ts';
import { useStore } from '../../session/store.ts';
import css from './reason.module.css';

/** Why a parcel needs attention, in a few words. A newer service may have reasons that this console does not know: in English. */
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
