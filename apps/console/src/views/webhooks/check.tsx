import { useCheckWebhook, usePing, type Webhook } from '../../data/webhooks.ts';
import { useFormat } from '../../i18n/format.ts';
import { useText } from '../../i18n/language.ts';
import { Button } from '../../ui/button.tsx';
import { sheet } from '../../ui/page.tsx';
import { Pill } from '../../ui/pill.tsx';
import { Problem } from '../../ui/states.tsx';
import { Said } from '../../ui/words/said.tsx';
import { Compose } from './compose.tsx';
import css from './webhooks.module.css';

/** A ping, and the four pushes that show whether the receiver verifies what it gets. */
export function CheckEndpoint({ webhook }: { webhook: Webhook }) {
  const t = useText().webhooks;
  const format = useFormat();
  const ping = usePing(webhook.id);
  const check = useCheckWebhook(webhook.id);
  return (
    <div className={css.form}>
      <section className={css.part}>
        <h2>{t.ping}</h2>
        <p>{t.pingWhat}</p>
        <div className={css.actions}>
          <Button onClick={() => ping.mutate()} busy={ping.isPending}>
            {t.ping}
          </Button>
          <span role="status">
            {ping.data && (
              <>
                <Pill tone={ping.data.error === undefined ? 'green' : 'red'}>
                  {ping.data.http_status === 0 ? t.noAnswer : String(ping.data.http_status)}
                </Pill>{' '}
                {format.duration(ping.data.response_ms)} {ping.data.error && <Said message={ping.data.error} />}
              </>
            )}
          </span>
        </div>
        {ping.error && <Problem error={ping.error} />}
      </section>
      <section className={css.part}>
        <h2>{t.check}</h2>
        <p>{t.checkWhat}</p>
        <div className={css.actions}>
          <Button onClick={() => check.mutate()} busy={check.isPending}>
            {check.isPending ? t.checkRunning : t.check}
          </Button>
          <span role="status">{check.data && (check.data.passed ? t.checkPassed : t.checkFailed)}</span>
        </div>
        {check.error && <Problem error={check.error} />}
        {check.data && (
          <ul className={sheet}>
            {check.data.checks.map((one) => (
              <li key={one.name} className={css.checkLine}>
                <Pill tone={one.passed ? 'green' : 'red'}>{one.passed ? t.passed : t.notPassed}</Pill>
                <strong>{t.checks[one.name]}</strong>
                <span className={css.muted}>
                  {t.answered(one.http_status === 0 ? t.noAnswer : String(one.http_status), one.expected)} ·{' '}
                  {format.duration(one.response_ms)}
                </span>
                {one.advice && (
                  <span className={css.advice}>
                    <Said message={one.advice} />
                  </span>
                )}
              </li>
            ))}
          </ul>
        )}
      </section>
      <Compose webhook={webhook} />
    </div>
  );
}
