import type { ApiKey } from '../../data/keys.ts';
import { useFormat } from '../../i18n/format.ts';
import { useText } from '../../i18n/language.ts';
import { Button } from '../../ui/button.tsx';
import { Copy } from '../../ui/copy.tsx';
import { Pill } from '../../ui/pill.tsx';
import { Time, useNow } from '../../ui/time.tsx';
import css from './keys.module.css';
import { useRevoke } from './revoke.ts';

/** One key, identified by its name and by its first and last characters. */
export function KeyRow({ apiKey, isLastAdmin }: { apiKey: ApiKey; isLastAdmin: boolean }) {
  const { keys: t, testMode } = useText();
  const revoke = useRevoke();
  const { name, hint, scopes, last_used_at, networks, is_current } = apiKey;
  return (
    <li className={css.row}>
      <div className={css.who}>
        <strong>{name ?? t.unnamed}</strong>
        <code>{hint}</code>
        {apiKey.test && <Pill tone="violet">{testMode.title}</Pill>}
        {is_current && <Pill tone="blue">{t.current}</Pill>}
      </div>
      <ul className={css.scopes} aria-label={t.scopes}>
        {scopes.map((scope) => (
          <li key={scope}>
            <Pill tone="grey">{t.scopeNames[scope]}</Pill>
          </li>
        ))}
      </ul>
      <p className={css.facts}>
        <span>
          {last_used_at ? (
            <>
              {t.used} <Time at={last_used_at} />
            </>
          ) : (
            t.neverUsed
          )}
        </span>
        <Expiry at={apiKey.expires_at} />
        <span className={css.networks}>
          {networks.length === 0 ? (
            t.everywhere
          ) : (
            <>
              {t.from(networks.join(', '))} <Copy value={networks.join(', ')} />
            </>
          )}
        </span>
      </p>
      <div className={css.act}>
        {isLastAdmin ? (
          <span className={css.note}>{t.lastAdmin}</span>
        ) : (
          <Button look="danger" onClick={() => revoke(apiKey)} data-row="">
            {t.revoke}
            <span className="unseen"> {name ?? hint}</span>
          </Button>
        )}
      </div>
    </li>
  );
}

function Expiry({ at }: { at: string | null }) {
  const t = useText().keys;
  const format = useFormat();
  const now = useNow();
  if (at === null) return <span>{t.noExpiry}</span>;
  const date = new Date(at);
  return (
    <time dateTime={at} title={format.full(date)} className={date.getTime() < now ? css.expired : undefined}>
      {date.getTime() < now ? t.expired(format.day(date)) : t.expires(format.day(date))}
    </time>
  );
}
