import { type ReactNode, useEffect } from 'react';
import { useAccount, useMay, useMe } from '../../data/account.ts';
import { useStats } from '../../data/stats.ts';
import { usePages } from '../../data/trackings.ts';
import { useDeliveries, useWebhooks } from '../../data/webhooks.ts';
import { useText } from '../../i18n/language.ts';
import { isBegun, setBegun } from '../../session/preferences.ts';
import { useIsTest } from '../../session/session.ts';
import { useStore } from '../../session/store.ts';
import { Button, ButtonLink } from '../../ui/button.tsx';
import { Allowed } from '../../ui/may.tsx';
import { sheet } from '../../ui/page.tsx';
import { Samples } from '../samples.tsx';
import css from './overview.module.css';

/** A test that was accepted, and one that was rejected as the changed one of a check is: both together verify. */
const ACCEPTED = { event: 'ping', failed: false, limit: 1 } as const;
const REJECTED = { event: 'ping', status_code: 401, limit: 1 } as const;

/**
 * The steps from a new account to a shared page, which tick themselves: all of them while there is nothing else to
 * show, later the next one. They leave when all are done, or when the reader says so in this browser.
 */
export function Beginning({ isNew }: { isNew: boolean }) {
  const isOver = useStore(isBegun);
  return isNew || !isOver ? <Steps isNew={isNew} /> : null;
}

function Steps({ isNew }: { isNew: boolean }) {
  const t = useText().beginning;
  const isTest = useIsTest();
  const { data: me } = useMe();
  const may = useMay();
  const { data: account } = useAccount();
  const { data: stats } = useStats('24h');
  const webhooks = useWebhooks();
  const tests = [useDeliveries(ACCEPTED, null), useDeliveries(REJECTED, null)];
  const pages = usePages({ isEnabled: true });
  const [endpoint] = webhooks.data ?? [];
  const steps: Step[] = [
    {
      name: 'parcel',
      isDone: (stats?.parcels.total ?? 0) > 0,
      action: (
        <Allowed needs="write">
          <ButtonLink href="/shipments/add" look={isNew ? 'primary' : 'plain'}>
            {t.parcel.action}
          </ButtonLink>
          <Samples />
        </Allowed>
      ),
    },
    {
      name: 'endpoint',
      isDone: endpoint !== undefined,
      action: (
        <Allowed needs="webhooks">
          <ButtonLink href="/webhooks?add=1">{t.endpoint.action}</ButtonLink>
        </Allowed>
      ),
    },
    {
      name: 'verify',
      isDone: tests.every(({ data }) => data?.pages.some(({ items }) => items.length > 0)),
      action: endpoint && <ButtonLink href={`/webhooks/${endpoint.id}?tab=test`}>{t.verify.action}</ButtonLink>,
    },
    {
      name: 'share',
      isDone: pages.data?.enabled ?? false,
      action: (
        <Allowed needs="admin">
          <ButtonLink href="/settings#page">{t.share.action}</ButtonLink>
        </Allowed>
      ),
    },
  ];
  const done = steps.filter(({ isDone }) => isDone).length;
  const isKnown =
    [stats, account].every((data) => data !== undefined) &&
    !webhooks.isLoading &&
    !tests.some(({ isLoading }) => isLoading);
  const mayAll = (['write', 'webhooks', 'admin'] as const).every(may);
  const isDone = isKnown && done === steps.length;
  // They are not looked for again in this browser.
  useEffect(() => {
    if (isDone) setBegun();
  }, [isDone]);
  if (!isKnown || isDone || (!isNew && !mayAll)) return null;
  const next = steps.find(({ isDone }) => !isDone);
  return (
    <section className={`${sheet} ${css.beginning}`} aria-labelledby="beginning">
      <header className={css.beginningHead}>
        <h2 id="beginning">{t.title}</h2>
        <span className={css.label}>{t.progress(done, steps.length)}</span>
        {!isNew && (
          <Button look="quiet" onClick={() => setBegun()}>
            {t.hide}
          </Button>
        )}
      </header>
      <ol>
        {(isNew ? steps : steps.filter(({ name }) => name === next?.name)).map(({ name, isDone, action }) => (
          <li key={name} className={`${css.step} ${isDone ? css.done : ''}`}>
            <span className={css.tick} role="img" aria-label={isDone ? t.done : t.open} />
            <div className={css.stepText}>
              <strong>{t[name].title}</strong>
              {!isDone && <span className={css.label}>{t[name].what}</span>}
            </div>
            {!isDone && <div className={css.stepAction}>{action}</div>}
          </li>
        ))}
      </ol>
      {isNew && !isTest && me?.test_keys === true && may('admin') && (
        <p className={css.testMode}>
          {t.testMode} <ButtonLink href="/keys?create=test">{t.tryTest}</ButtonLink>
        </p>
      )}
    </section>
  );
}

type Step = { name: 'parcel' | 'endpoint' | 'verify' | 'share'; isDone: boolean; action: ReactNode };
