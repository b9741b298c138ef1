import type { NewWebhook } from '@pts/client/types';
import { useState } from 'react';
import type { Webhook, WebhookChange } from '../../data/webhooks.ts';
import { useText } from '../../i18n/language.ts';
import { faultOf } from '../../session/failure.ts';
import { Button } from '../../ui/button.tsx';
import { Check, Fault, Field } from '../../ui/field.tsx';
import css from './webhooks.module.css';

type Filter = NonNullable<NewWebhook['filter']>;
type SubStatus = NonNullable<Filter['sub_statuses']>[number];
type ParcelProblem = NonNullable<Filter['problems']>[number];

/** The states and problems that a filter can name. */
const SUB_STATUSES = [
  ...['pending', 'info_received', 'in_transit', 'out_for_delivery', 'available_for_pickup'],
  ...['delivered', 'exception', 'undeliverable', 'returned', 'expired'],
] as readonly SubStatus[];

/** The options of an endpoint besides its address and its events. Headers that are null are removed. */
export type Options = Pick<NewWebhook, 'filter' | 'format'> & Pick<WebhookChange, 'headers'>;

/** The fields at which a refusal of the options is said. */
export const OPTION_FIELDS = ['filter.carriers', 'filter.problems', 'filter.metadata', 'headers'] as const;

type Props = {
  chosen: Options;
  /** Why the endpoint was not saved. */
  error: unknown;
  /** The headers that the endpoint has, masked. */
  present?: Readonly<Record<string, string>>;
  onChange(change: Options): void;
};

/** Which parcels' events are sent, with which headers, and in which form. */
export function OptionFields({ chosen, error, present = {}, onChange }: Props) {
  const t = useText().webhooks.options;
  const hasOptions = chosen.filter || chosen.format === 'v4' || Object.keys(present).length > 0;
  return (
    <details className={css.options} open={Boolean(hasOptions)}>
      <summary>{t.title}</summary>
      <FilterFields filter={chosen.filter ?? {}} error={error} onChange={(filter) => onChange({ filter })} />
      <HeaderFields present={present} error={error} onChange={(headers) => onChange({ headers })} />
      <Check
        label={t.family}
        checked={chosen.format === 'v4'}
        onChange={(on) => onChange({ format: on ? 'v4' : 'v1' })}
      />
    </details>
  );
}

type FilterFieldsProps = { filter: Filter; error: unknown; onChange(filter: Filter): void };

function FilterFields({ filter, error, onChange }: FilterFieldsProps) {
  const text = useText();
  const t = text.webhooks.options;
  const { carriers, sub_statuses: states = [], problems, metadata } = filter;
  const faultAt = (field: (typeof OPTION_FIELDS)[number], label: string) => faultOf(error, field, label, text);
  return (
    <>
      <p className="muted">{t.filterWhat}</p>
      <ListField
        label={t.carriers}
        hint={t.carriersHint}
        error={faultAt('filter.carriers', t.carriers)}
        shown={carriers?.join(', ') ?? ''}
        onChange={(typed) => onChange({ ...filter, carriers: listOf(typed) })}
      />
      <fieldset className={css.states}>
        <legend>{t.states}</legend>
        {SUB_STATUSES.map((state) => (
          <Check
            key={state}
            label={text.subStatus[state]}
            checked={states.includes(state)}
            onChange={(on) =>
              onChange({
                ...filter,
                sub_statuses: SUB_STATUSES.filter((one) => (one === state ? on : states.includes(one))),
              })
            }
          />
        ))}
      </fieldset>
      <ListField
        label={t.problems}
        hint={t.problemsHint}
        error={faultAt('filter.problems', t.problems)}
        shown={problems?.join(', ') ?? ''}
        // The service names those that it does not know.
        onChange={(typed) => onChange({ ...filter, problems: listOf(typed) as ParcelProblem[] })}
      />
      <ListField
        label={t.metadata}
        hint={t.metadataHint}
        error={faultAt('filter.metadata', t.metadata)}
        shown={metadataText(metadata)}
        onChange={(typed) => onChange({ ...filter, metadata: metadataOf(typed) })}
      />
    </>
  );
}

type ListFieldProps = {
  label: string;
  hint: string;
  error: string | null;
  shown: string;
  onChange(typed: string): void;
};

/** A list as text. What is typed stays as it is typed. */
function ListField({ label, hint, error, shown, onChange }: ListFieldProps) {
  const [typed, setTyped] = useState<string | null>(null);
  return (
    <Field label={label} hint={hint} error={error}>
      {(control) => (
        <input
          {...control}
          spellCheck={false}
          value={typed ?? shown}
          onChange={({ target }) => {
            setTyped(target.value);
            onChange(target.value);
          }}
        />
      )}
    </Field>
  );
}

function listOf(typed: string): string[] {
  return typed.split(/[,，、\s]+/).filter((one) => one !== '');
}

/** `shop = hangzhou, ningbo; tier = gold`. */
function metadataOf(typed: string): Record<string, string[]> {
  const pairs = typed.split(/[;；]/).flatMap((part) => {
    const [key = '', ...values] = part.split('=');
    const given = values.join('=').split(/[,，]/);
    return key.trim() === '' ? [] : [[key.trim(), given.map((one) => one.trim()).filter((one) => one !== '')] as const];
  });
  return Object.fromEntries(pairs);
}

function metadataText(metadata: Filter['metadata']): string {
  return Object.entries(metadata ?? {})
    .map(([key, values]) => `${key} = ${values.join(', ')}`)
    .join('; ');
}

const MAX_HEADERS = 5;
const MAX_HEADER_NAME = 64;
const MAX_HEADER_VALUE = 1024;
/** The service says which header it refuses: whether because of its name or its value is seen here. */
const HEADER_VALUE = /^[!-~](?:[\t -~]*[!-~])?$/;

type Headers = Readonly<Record<string, string | null>>;
type HeaderFieldsProps = {
  present: Readonly<Record<string, string>>;
  error: unknown;
  onChange(change: Headers): void;
};

/** The headers of an endpoint: values that are stored are only replaced or removed. */
function HeaderFields({ present, error, onChange }: HeaderFieldsProps) {
  const text = useText();
  const t = text.webhooks.options;
  const [listed, setListed] = useState<Headers>({});
  const [typed, setTyped] = useState({ name: '', value: '' });
  const shown = Object.entries({ ...present, ...listed }).filter(([, content]) => content !== null);
  // What is typed is saved even if it was not added to the list.
  const update = (change: Headers, { name, value }: typeof typed) => {
    setListed(change);
    setTyped({ name, value });
    onChange(name.trim() === '' || value === '' ? change : { ...change, [name.trim()]: value });
  };
  const add = () => {
    const name = typed.name.trim();
    if (name !== '' && typed.value !== '') update({ ...listed, [name]: typed.value }, { name: '', value: '' });
  };
  const remove = (removed: string) => {
    const { [removed]: _gone, ...others } = listed;
    update(Object.hasOwn(present, removed) ? { ...others, [removed]: null } : others, typed);
  };
  const faultAt = (name: string, label: string) => name && faultOf(error, `headers.${name}`, label, text);
  const isValue = typed.value !== '' && !HEADER_VALUE.test(typed.value);
  const faultOfTyped = faultAt(typed.name.trim(), isValue ? t.headerValue : t.headerName);
  const isSaid = faultOfTyped || shown.some(([name]) => faultAt(name, name));
  const otherFault = isSaid ? null : faultOf(error, 'headers', t.headers, text);
  return (
    <fieldset>
      <legend>{t.headers}</legend>
      <p className="muted">{t.headersWhat}</p>
      <ul>
        {shown.map(([name, content]) => (
          <li key={name}>
            <div className="actions">
              <code>
                {name}: {Object.hasOwn(listed, name) ? t.newValue : content}
              </code>
              <Button look="quiet" onClick={() => remove(name)}>
                {t.removeHeader(name)}
              </Button>
            </div>
            {faultAt(name, name) && <Fault>{faultAt(name, name)}</Fault>}
          </li>
        ))}
      </ul>
      {shown.length < MAX_HEADERS && (
        <div className={css.header}>
          <Field label={t.headerName} error={isValue ? null : faultOfTyped}>
            {(control) => (
              <input
                {...control}
                spellCheck={false}
                maxLength={MAX_HEADER_NAME}
                value={typed.name}
                onChange={({ target }) => update(listed, { ...typed, name: target.value })}
              />
            )}
          </Field>
          <Field label={t.headerValue} error={isValue ? faultOfTyped : null}>
            {(control) => (
              <input
                {...control}
                type="password"
                autoComplete="off"
                maxLength={MAX_HEADER_VALUE}
                value={typed.value}
                onChange={({ target }) => update(listed, { ...typed, value: target.value })}
              />
            )}
          </Field>
          <Button onClick={add}>{t.addHeader}</Button>
        </div>
      )}
      {otherFault && <Fault>{otherFault}</Fault>}
    </fieldset>
  );
}

/** The options of an endpoint in a line; nothing if it has none. */
export function OptionsLine({ webhook: { filter, format, headers } }: { webhook: Webhook }) {
  const text = useText();
  const t = text.webhooks.options;
  const conditions = [
    ...(filter?.carriers ?? []),
    ...(filter?.sub_statuses ?? []).map((state) => text.subStatus[state]),
    ...(filter?.problems ?? []),
    ...(filter?.metadata ? [metadataText(filter.metadata)] : []),
  ];
  const parts = [
    ...(conditions.length > 0 ? [t.only(conditions.join(' · '))] : []),
    ...(headers ? [t.withHeaders(Object.keys(headers).join(', '))] : []),
    ...(format === 'v4' ? [t.familyShort] : []),
  ];
  return parts.length === 0 ? null : <span className="muted">{parts.join(' | ')}</span>;
}
