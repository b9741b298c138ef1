import type { Tracking } from '@pts/client/types';
import { useText } from '../../i18n/language.ts';
import { SERVICE_URL } from '../../session/service-url.ts';
import { Copy } from '../../ui/copy.tsx';
import css from './shipment.module.css';

/** The record as the API returns it, and the request for it; the key is a variable of the shell. */
export function Raw({ tracking }: { tracking: Tracking }) {
  const t = useText().shipment;
  const json = JSON.stringify(tracking, null, 2);
  const curl = `curl -H "X-API-Key: $API_KEY" ${SERVICE_URL}/api/v1/trackings/${tracking.id}`;
  return (
    <div className={css.raw}>
      <p>
        <Copy value={json} label={t.copyJson} /> · <Copy value={curl} label={t.copyCurl} />
      </p>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls can be scrolled with the keyboard */}
      <pre tabIndex={0} className={css.json}>
        {json}
      </pre>
    </div>
  );
}
