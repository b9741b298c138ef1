import type { Explanation } from '@pts/client/types';
import type { ReactNode } from 'react';
import { useExplanation } from '../../data/trackings.ts';
import { useFormat } from '../../i18n/format.ts';
import { spoken, useText } from '../../i18n/language.ts';
import { useStore } from '../../session/store.ts';
import { CarrierName } from '../../ui/carrier-name.tsx';
import { Skeleton } from '../../ui/skeleton.tsx';
import { ErrorState } from '../../ui/states.tsx';
import { FullTime } from '../../ui/time.tsx';
import { Said } from '../../ui/words/said.tsx';
import css from './shipment.module.css';

/** Why this carrier, how it is watched, what the carrier said last, and what delays the next check. */
export function Explain({ id }: { id: string }) {
  const t = useText();
  const format = useFormat();
  const { data, error, isPending, refetch } = useExplanation(id);
  if (isPending) return <Skeleton label={t.shipments.loading} rows={6} />;
  if (!data) return <ErrorState error={error} retry={refetch} />;
  const { carrier, watch, cadence, callbacks, last_answer: answer, failing, quarantine, notice } = data;
  return (
    <div className={css.explain}>
      {notice && (
        <Part title={t.explain.notice}>
          <Said message={notice} />
        </Part>
      )}
      {failing && (
        <Part title={t.explain.failing}>
          <Said kind={failing.failure} about="failures" message={failing.message} /> <FullTime at={failing.since} />
        </Part>
      )}
      {quarantine && (
        <Part title={t.explain.quarantine}>
          <Said kind={quarantine.reason} about="quarantines" message={quarantine.message} />
        </Part>
      )}
      {data.held_back_by.length > 0 && (
        <Part title={t.explain.delayed}>
          <ul>
            {data.held_back_by.map((hold) => (
              <li key={hold.kind}>
                <Said kind={hold.kind} about="holds" message={hold.message} />{' '}
                {hold.until && <FullTime at={hold.until} />}
              </li>
            ))}
          </ul>
        </Part>
      )}
      <Part title={t.explain.carrier}>
        <p>
          <Said kind={carrier.asked_in_turn ? 'asking' : carrier.chosen_by} about="choices" message={carrier.message} />
        </p>
        {carrier.candidates.length > 0 && (
          <ul>
            {carrier.candidates.map(({ courier_code, confidence, reason }) => (
              <li key={courier_code}>
                <CarrierName code={courier_code} />{' '}
                <span className={css.muted}>
                  {t.shipment.confidence(format.number(confidence))} · <Said message={reason} />
                </span>
              </li>
            ))}
          </ul>
        )}
      </Part>
      <Part title={t.explain.watch}>
        <p>
          <Said kind={watch.reason} about="watches" message={watch.message} />
        </p>
        <p>
          <Cadence of={cadence} />
        </p>
        {callbacks && (
          <p>
            <Said kind={callbacks.state} about="pushes" message={callbacks.message} />
          </p>
        )}
        {watch.expires_at && (
          <p className={css.muted}>
            {t.explain.until} <FullTime at={watch.expires_at} />
          </p>
        )}
      </Part>
      <Part title={t.explain.answer}>
        {answer ? (
          <p>
            {t.explain.answers[answer.kind]}
            {answer.failure && (
              <>
                {' · '}
                <Said about="answers" kind={answer.failure} message={answer.failure.replaceAll('_', ' ')} />
              </>
            )}
            , {t.explain.scans(answer.scans)}
            {answer.latency_ms !== null && `, ${format.duration(answer.latency_ms)}`} · <FullTime at={answer.at} />
          </p>
        ) : (
          <p>{t.explain.noAnswer}</p>
        )}
      </Part>
      <Part title={t.explain.provider}>{data.route.join(' → ') || data.provider}</Part>
    </div>
  );
}

function Cadence({ of: { interval_seconds, webhook_enabled, message } }: { of: Explanation['cadence'] }) {
  const t = useText().shipment;
  const { said } = useStore(spoken);
  if (!said.cadence) return <span lang="en">{message}</span>;
  return said.cadence(t.every(interval_seconds), webhook_enabled);
}

function Part({ title, children }: { title: string; children: ReactNode }) {
  return (
    <section>
      <h2>{title}</h2>
      <div>{children}</div>
    </section>
  );
}
