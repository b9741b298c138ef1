import { type InputHTMLAttributes, type ReactNode, useId, useState } from 'react';
import { useAddress } from '../../../behaviour/address.ts';
import { instantOf, localText } from '../../../behaviour/local-time.ts';
import { useWebhooks } from '../../../data/webhooks.ts';
import { useText } from '../../../i18n/language.ts';
import { Button } from '../../../ui/button.tsx';
import line from '../../../ui/filters/filters.module.css';
import { Filter, Select } from '../../../ui/filters/filters.tsx';
import { TimeInput } from '../../../ui/filters/time-input.tsx';
import css from '../webhooks.module.css';
import { EVENTS, type FilterName, FROM_TOP, filterValue, OUTCOMES } from './delivery-filter.ts';

/** Shown on request, and each once it narrows the log. */
const MORE = ['code', 'since', 'until', 'parcel', 'message'] as const satisfies FilterName[];

/** What narrows the log of attempts; all of it is in the address. @param ofAll the log is that of all endpoints. */
export function Filters({ ofAll }: { ofAll: boolean }) {
  const t = useText().webhooks;
  const address = useAddress();
  const [isOpen, setOpen] = useState(false);
  const [used, setUsed] = useState<readonly FilterName[]>([]);
  const shown = MORE.filter((name) => isOpen || used.includes(name) || filterValue(address.get, name) !== null);
  // One that is emptied stays, to be typed again.
  if (!isOpen && shown.length > used.length) setUsed(shown);
  const id = useId();
  return (
    <>
      {ofAll && <EndpointChoice />}
      <Choice name="outcome" label={t.outcome}>
        <option value="">{t.anyOutcome}</option>
        {OUTCOMES.map((outcome) => (
          <option key={outcome} value={outcome}>
            {t.outcomes[outcome]}
          </option>
        ))}
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
      {shown.length > 0 && (
        <div id={id} className={`${css.panel} ${line.grid}`}>
          {shown.map((name) => (
            <Field key={name} name={name} />
          ))}
        </div>
      )}
    </>
  );
}

function Field({ name }: { name: (typeof MORE)[number] }) {
  const t = useText().webhooks;
  switch (name) {
    case 'code':
      return (
        <Typed
          name={name}
          label={t.status}
          inputMode="numeric"
          maxLength={3}
          className={css.code}
          title={t.statusHint}
        />
      );
    case 'since':
      return <TimeField name={name} label={t.filterSince} />;
    case 'until':
      return <TimeField name={name} label={t.filterUntil} />;
    case 'parcel':
      return <Typed name={name} label={t.parcel} maxLength={24} className={css.id} title={t.parcelHint} />;
    case 'message':
      return <Typed name={name} label="X-Webhook-Id" maxLength={24} className={css.id} title={t.messageHint} />;
    default:
      return name satisfies never;
  }
}

/** The value of a filter, and how it is set; empty: no filter. */
function useFilter(name: FilterName) {
  const address = useAddress();
  return {
    value: filterValue(address.get, name) ?? '',
    set: (value: string, more?: { replace: boolean }) => address.set({ [name]: value || null, ...FROM_TOP }, more),
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

/** The endpoints of the account, and one that is chosen, but no longer there. */
function EndpointChoice() {
  const t = useText().webhooks;
  const { value } = useFilter('endpoint');
  const { data } = useWebhooks();
  const isRemoved = value !== '' && data !== undefined && !data.some(({ id }) => id === value);
  return (
    <Choice name="endpoint" label={t.one}>
      <option value="">{t.allEndpoints}</option>
      {data?.map(({ id, url }) => (
        <option key={id} value={id}>
          {url}
        </option>
      ))}
      {isRemoved && <option value={value}>{t.removedOne}</option>}
    </Choice>
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
        <TimeInput
          {...control}
          type="datetime-local"
          value={value === '' ? '' : localText(new Date(value))}
          onChange={(text) => set(instantOf(text) ?? '', { replace: true })}
        />
      )}
    </Filter>
  );
}
