import { isNotRegistered } from '@pts/client/errors';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { Link } from 'wouter';
import { numbersIn } from '../behaviour/numbers.ts';
import { useSettled } from '../behaviour/settled.ts';
import { useText } from '../i18n/language.ts';
import { useClient } from '../session/client.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { Field } from '../ui/field.tsx';
import { StatusPill } from '../ui/pill.tsx';
import { Problem } from '../ui/states.tsx';
import css from './frame.module.css';

const MAX_NUMBERS = 40;

/** Finds parcels by their numbers: one, or a pasted list. */
export function Search({ onClose }: { onClose(): void }) {
  const t = useText().search;
  const [typed, setTyped] = useState('');
  const { settled: numbers } = useSettled(numbersIn(typed).slice(0, MAX_NUMBERS));
  const { data, error, isFetching } = useFound(numbers);
  const isAsked = numbers.length > 0;
  return (
    <Dialog title={t.title} onClose={onClose}>
      <search>
        <form
          onSubmit={(event) => {
            event.preventDefault();
            document.querySelector<HTMLElement>('dialog[open] [data-result]')?.click();
          }}
        >
          <Field label={t.label} hint={t.hint}>
            {(control) => (
              <input
                {...control}
                autoFocus
                value={typed}
                spellCheck={false}
                onChange={(e) => setTyped(e.target.value)}
              />
            )}
          </Field>
        </form>
      </search>
      <div role="status" className={css.results}>
        {isFetching && !data && <p className={css.hint}>{t.searching}</p>}
        {error && <Problem error={error} />}
        {isAsked &&
          data?.map(({ id, tracking_number, carrier, sub_status, title }) => (
            <Link key={id} href={`/shipments/${id}`} className={css.result} data-result="" onClick={onClose}>
              <StatusPill status={sub_status} />
              <code>{tracking_number}</code>
              <span className={css.hint}>{[carrier, title].filter(Boolean).join(' · ')}</span>
            </Link>
          ))}
        {isAsked && data?.length === 0 && !isFetching && (
          <p className={css.hint}>
            {t.nothing}{' '}
            <Link href={`/shipments/add?numbers=${encodeURIComponent(numbers.join(','))}`} onClick={onClose}>
              {t.register}
            </Link>
          </p>
        )}
      </div>
    </Dialog>
  );
}

/** The registered ones among some numbers. */
function useFound(numbers: readonly string[]) {
  const client = useClient();
  return useQuery({
    queryKey: ['found', numbers],
    queryFn: async ({ signal }) => {
      try {
        return (await client.trackings.get(numbers, { signal })).success;
      } catch (error) {
        if (isNotRegistered(error)) return [];
        throw error;
      }
    },
    enabled: numbers.length > 0,
    placeholderData: (before) => before,
  });
}
