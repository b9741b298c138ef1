import { type InputHTMLAttributes, type ReactNode, useId, useState } from 'react';
import { useAddress } from '../../../behaviour/address.ts';
import { instantOf, localText } from '../../../behaviour/local-time.ts';
import { useText } from '../../../i18n/language.ts';
import { Button } from '../../../ui/button.tsx';
import { Filter, Select } from '../../../ui/filters/filters.tsx';
import css from '../webhooks.module.css';
import { EVENTS, type FilterName, filterValue } from './delivery-filter.ts';

/** Shown on request, or when the address names one of them. */
const MORE = ['code', 'since', 'until', 'message'] as const satisfies FilterName[];

/** What narrows the log of attempts; all of it is in the address. */
export function Filters() {
  const t = useText().webhooks;
  const address = useAddress();
  const [isOpen, setOpen] = useState(() => MORE.some((name) => filterValue(address.get, name) !== null));
  const id = useId();
  return (
    <>
      <Choice name="failed" label={t.outcome}>
        <option value="">{t.anyOutcome}</option>
        <option value="1">{t.onlyFailed}</option>
      </Choice>
      <Choice name="event" label={t.event}>
        <option value="">{t.anyEvent}</option>
        {EVENTS.map((kind) => (
          <option key={kind} value={kind}>
            {kind}
          </option>
        ))}
      </Choice>
      <Button onClick={() => setOpen(!isOpen)} aria-expanded={isOpen} aria-controls={id}>
        {t.more}
      </Button>
      {isOpen && (
        <div id={id} className={css.panel}>
          <Typed
            name="code"
            label={t.status}
            inputMode="numeric"
            maxLength={3}
            className={css.code}
            title={t.statusHint}
          />
          <TimeField name="since" label={t.filterSince} />
          <TimeField name="until" label={t.filterUntil} />
          <Typed name="message" label="X-Webhook-Id" maxLength={24} className={css.id} title={t.messageHint} />
        </div>
      )}
    </>
  );
}

/** The value of a filter, and how it is set; empty: no filter. */
function useFilter(name: FilterName) {
  const address = useAddress();
  return {
    value: filterValue(address.get, name) ?? '',
    set: (value: string, more?: { replace: boolean }) => address.set({ [name]: value || null }, more),
  };
}

function Choice({ name, label, children }: { name: FilterName; label: string; children: ReactNode }) {
  const { value, set } = useFilter(name);
  return (
    <Select label={label} value={value} onChange={(chosen) => set(chosen)}>
      {children}
    </Select>
  );
}

type FieldProps = { name: FilterName; label: string };

/** Text that narrows the log once it is complete. */
function Typed({ name, label, className, ...more }: FieldProps & InputHTMLAttributes<HTMLInputElement>) {
  const { value, set } = useFilter(name);
  const [typed, setTyped] = useState(value);
  const isComplete = (text: string) => filterValue(() => text, name) !== null;
  return (
    <Filter label={label}>
      {(control) => (
        <input
          {...more}
          id={control.id}
          className={`${control.className} ${className}`}
          value={value === '' && !isComplete(typed) ? typed : value}
          spellCheck={false}
          autoComplete="off"
          onChange={({ target }) => {
            const text = target.value.trim();
            setTyped(text);
            set(isComplete(text) ? text : '', { replace: true });
          }}
        />
      )}
    </Filter>
  );
}

/** A date and time of the reader's clock. */
function TimeField({ name, label }: FieldProps) {
  const { value, set } = useFilter(name);
  return (
    <Filter label={label}>
      {(control) => (
        <input
          {...control}
          type="datetime-local"
          value={value === '' ? '' : localText(new Date(value))}
          onChange={({ target }) => set(instantOf(target.value) ?? '', { replace: true })}
        />
      )}
    </Filter>
  );
}
