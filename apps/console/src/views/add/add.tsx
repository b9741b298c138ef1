import type { Client } from '@pts/client/client';
import type { ItemError, NewTracking, WouldRegister } from '@pts/client/types';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { Link, useLocation } from 'wouter';
import { useAddress } from '../../behaviour/address.ts';
import { keptFile } from '../../behaviour/files.ts';
import { entriesIn } from '../../behaviour/numbers.ts';
import { useSettled } from '../../behaviour/typing.ts';
import { useAccount } from '../../data/account.ts';
import { handFile } from '../../data/imports.ts';
import { refreshShipments } from '../../data/shipments.ts';
import { useFormat } from '../../i18n/format.ts';
import { useText } from '../../i18n/language.ts';
import { useClient } from '../../session/client.tsx';
import { endIfRefused, endOfSession, session } from '../../session/session.ts';
import { createStore, useStore } from '../../session/store.ts';
import { Button, ButtonLink } from '../../ui/button.tsx';
import { CarrierName, CarrierSelect } from '../../ui/carrier.tsx';
import { type Control, Field } from '../../ui/field.tsx';
import { PageHead, sheet } from '../../ui/page.tsx';
import { Pill } from '../../ui/pill.tsx';
import { ErrorState, Problem } from '../../ui/states.tsx';
import { toast } from '../../ui/toast.tsx';
import css from './add.module.css';
import { readDropped } from './dropped.ts';

/**
 * Registers numbers: one, a pasted column, or a dropped file of numbers; a table is imported. What it costs is shown
 * first.
 */
export function Add() {
  const text = useText();
  const t = text.add;
  const format = useFormat();
  const address = useAddress();
  const [, navigate] = useLocation();
  const { data: account } = useAccount();
  // The fields belong to the numbers that they were typed for.
  useState(() => draft.get() === '' && sharedDraft.set({}));
  const given = address.get('numbers');
  useEffect(() => {
    if (given === null) return;
    draft.set(given.replaceAll(',', '\n'));
    sharedDraft.set({});
    // Once: Back would put them over what was typed or registered since.
    address.set({ numbers: null }, { replace: true });
  });
  const typed = useStore(draft);
  const shared = useStore(sharedDraft);
  // What is no number is sent, too: the service says what is wrong with it.
  const numbers = entriesIn(typed);
  const isTooMany = numbers.length > MAX_PASTED;
  const preview = usePreview(isTooMany ? [] : numbers, shared);
  const registration = useRegistration();
  const [hasRegistered, setRegistered] = useState(false);
  const { progress } = registration;

  const takeFile = async (onDisk: File) => {
    const file = await keptFile(onDisk);
    if (file === null) return toast(text.imports.unreadable);
    const dropped = await readDropped(file);
    if (dropped !== 'table') return draft.set(dropped.numbers);
    handFile(file);
    navigate('/imports');
  };
  const register = async () => {
    const { registered, refused } = await registration.run(numbers, shared);
    // The view may have been left meanwhile.
    const said = [registered > 0 && t.registered(registered), refused.length > 0 && t.notRegistered(refused.length)];
    toast(said.filter(Boolean).join(' '));
    if (registered > 0) setRegistered(true);
    // Unless others were typed since then.
    if (draft.get() === typed) draft.set(refused.join('\n'));
  };

  return (
    <div className={css.page}>
      <PageHead title={t.title} />
      <form
        className="form"
        onSubmit={(event) => {
          event.preventDefault();
          void register();
        }}
      >
        <Field label={t.label} hint={t.hint} error={isTooMany ? t.tooMany(format.number(MAX_PASTED)) : undefined}>
          {(control) => (
            <textarea
              {...control}
              rows={8}
              value={typed}
              spellCheck={false}
              readOnly={progress !== null}
              // biome-ignore lint/a11y/noAutofocus: the page exists for this field
              autoFocus
              onChange={(event) => draft.set(event.target.value)}
              onDragOver={(event) => event.preventDefault()}
              onDrop={(event) => {
                const [file] = event.dataTransfer.files;
                if (!file) return;
                event.preventDefault();
                void takeFile(file);
              }}
            />
          )}
        </Field>
        <p className={css.file}>
          {t.file} <Link href="/imports">{t.toImports}</Link>
        </p>
        <SharedFields shared={shared} onChange={sharedDraft.set} />
        {preview.error !== null && <ErrorState error={preview.error} retry={preview.refetch} />}
        {numbers.length > 0 && !isTooMany && (preview.result !== null || preview.error === null) && (
          <div className={css.sum} role="status">
            {preview.result === null ? (
              t.looking(format.number(numbers.length))
            ) : (
              <>
                <strong>{t.cost(preview.result.cost)}</strong>{' '}
                {account && t.left(format.number(account.quota_remaining))}
                {preview.result.refused > 0 && <span className={css.wrong}>{t.wrong(preview.result.refused)}</span>}
              </>
            )}
          </div>
        )}
        {progress === null ? (
          <div className="actions">
            <Button
              type="submit"
              look="primary"
              disabled={preview.result === null || preview.result.lines.length === preview.result.refused}
            >
              {t.submit}
            </Button>
            {hasRegistered ? (
              <ButtonLink href="/shipments?sort=-created_at">{text.imports.show}</ButtonLink>
            ) : (
              <ButtonLink href="/shipments">{text.cancel}</ButtonLink>
            )}
          </div>
        ) : (
          <div className="actions" role="status">
            <progress max={progress.total} value={progress.done} aria-label={t.title} />
            <span>{text.selection.working(format.number(progress.done), format.number(progress.total))}</span>
            <Button onClick={registration.stop}>{text.selection.halt}</Button>
          </div>
        )}
        {registration.error !== null && <Problem error={registration.error} />}
      </form>
      {preview.result && <Preview lines={preview.result.lines} />}
    </div>
  );
}

/** More than this belong into a file. */
const MAX_PASTED = 1_000;
const PER_CALL = 40;

/** The fields that all numbers of one registration share. */
type Shared = Omit<NewTracking, 'tracking_number'>;

/** The typed input, kept while another view is shown, but not for the next person who signs in. */
const draft = createStore('');
const sharedDraft = createStore<Shared>({});
session.subscribe(() => {
  draft.set('');
  sharedDraft.set({});
});

/** The result that registering a number would have, or why it is refused. */
type Line = { number: string; would: WouldRegister } | { number: string; fault: ItemError };

type Looked = { lines: Line[]; cost: number; refused: number };

/** The result that registering these numbers would have; null until it is known. */
function usePreview(numbers: readonly string[], shared: Shared) {
  const client = useClient();
  const { settled, isSettled } = useSettled({ numbers, shared });
  const { data, error, refetch } = useQuery({
    queryKey: ['preview', settled],
    queryFn: ({ signal }) => look(client, settled.numbers, settled.shared, signal),
    enabled: settled.numbers.length > 0,
    staleTime: 0,
  });
  return { result: numbers.length > 0 && isSettled ? (data ?? null) : null, error, refetch };
}

async function look(client: Client, numbers: readonly string[], shared: Shared, signal: AbortSignal): Promise<Looked> {
  const result: Looked = { lines: [], cost: 0, refused: 0 };
  for (const some of chunks(numbers)) {
    const { success, error, would_charge } = await client.trackings.dryRunBatch(withShared(some, shared), { signal });
    const faults = new Map(error.map((fault) => [fault.index, fault]));
    const accepted = success.values();
    result.lines.push(...some.map((number, index) => lineOf(number, faults.get(index), accepted)));
    result.cost += would_charge;
    result.refused += error.length;
  }
  return result;
}

/** Accepted numbers come in the order in which they were sent. */
function lineOf(number: string, fault: ItemError | undefined, accepted: Iterator<WouldRegister>): Line {
  if (fault) return { number, fault };
  const { value } = accepted.next();
  if (value === undefined) throw new Error(`the dry run says nothing about ${number}`);
  return { number, would: value };
}

type Progress = { total: number; done: number };
type Outcome = { registered: number; refused: string[] };

/** Registers numbers, 40 at a time, until all are sent or it is stopped. */
function useRegistration() {
  const client = useClient();
  const queries = useQueryClient();
  const [progress, setProgress] = useState<Progress | null>(null);
  const [error, setError] = useState<unknown>(null);
  const isStopped = useRef(false);
  const run = async (numbers: readonly string[], shared: Shared): Promise<Outcome> => {
    isStopped.current = false;
    const ended = endOfSession();
    setError(null);
    setProgress({ total: numbers.length, done: 0 });
    const outcome: Outcome = { registered: 0, refused: [...numbers] };
    let done = 0;
    try {
      for (const some of chunks(numbers)) {
        if (isStopped.current || ended.aborted) break;
        const { success, error: faults } = await client.trackings.batch(withShared(some, shared));
        const refused = new Set(faults.map(({ index }) => some[index]));
        outcome.registered += success.length;
        outcome.refused = outcome.refused.filter((number) => !some.includes(number) || refused.has(number));
        done += some.length;
        setProgress({ total: numbers.length, done });
      }
    } catch (failure) {
      setError(failure);
      endIfRefused(failure, ended);
    }
    setProgress(null);
    void refreshShipments(queries);
    void queries.invalidateQueries({ queryKey: ['account'] });
    return outcome;
  };
  return {
    run,
    progress,
    error,
    stop: () => {
      isStopped.current = true;
    },
  };
}

function chunks(numbers: readonly string[]): string[][] {
  return Array.from({ length: Math.ceil(numbers.length / PER_CALL) }, (_, at) =>
    numbers.slice(at * PER_CALL, (at + 1) * PER_CALL),
  );
}

function withShared(numbers: readonly string[], shared: Shared): NewTracking[] {
  return numbers.map((tracking_number) => ({ tracking_number, ...shared }));
}

const SHOWN = 200;

/** Line by line: what is wrong first, then what is new, then what is known already. */
function Preview({ lines }: { lines: readonly Line[] }) {
  const t = useText().add;
  const sorted = lines.toSorted((a, b) => rank(a) - rank(b));
  return (
    <div className={`${sheet} ${css.preview}`}>
      <table>
        <thead>
          <tr>
            <th scope="col">{t.number}</th>
            <th scope="col">{t.result}</th>
            <th scope="col">{t.carrier}</th>
          </tr>
        </thead>
        <tbody>
          {sorted.slice(0, SHOWN).map((line) => (
            <tr key={line.number}>
              <td>
                <code>{line.number}</code>
              </td>
              {'fault' in line ? (
                <>
                  <td>
                    <Pill tone="red">{t.refused}</Pill>
                  </td>
                  <td>{line.fault.errorMessage}</td>
                </>
              ) : (
                <>
                  <td>
                    {line.would.id === null ? (
                      <Pill tone="blue">{t.isNew}</Pill>
                    ) : (
                      <Link href={`/shipments/${line.would.id}`}>{t.isKnown}</Link>
                    )}
                  </td>
                  <td>
                    {line.would.candidates ? (
                      line.would.candidates.map((code, at) => (
                        <span key={code}>
                          {at > 0 && t.or}
                          <CarrierName code={code} />
                        </span>
                      ))
                    ) : (
                      <CarrierName code={line.would.carrier} />
                    )}
                  </td>
                </>
              )}
            </tr>
          ))}
        </tbody>
      </table>
      {lines.length > SHOWN && <p className={css.more}>{t.rest(lines.length - SHOWN)}</p>}
    </div>
  );
}

function rank(line: Line): number {
  if ('fault' in line) return 0;
  return line.would.id === null ? 1 : 2;
}

type Name = 'phone' | 'postal_code' | 'destination_country' | 'title' | 'order_id';

const MAX_LENGTHS: Readonly<Record<Name, number>> = {
  phone: 40,
  postal_code: 20,
  destination_country: 2,
  title: 200,
  order_id: 100,
};

/** The fields that all numbers have in common: their carrier, and what it or the merchant needs to know. */
function SharedFields({ shared, onChange }: { shared: Shared; onChange(shared: Shared): void }) {
  const t = useText();
  // What was typed before is not applied unseen.
  const [isOpen] = useState(Object.keys(shared).length > 0);
  const set = (name: Name | 'courier_code', value: string) => {
    const { [name]: _before, ...others } = shared;
    onChange(value === '' ? others : { ...others, [name]: value });
  };
  const input = (name: Name) => (control: Control) => (
    <input
      {...control}
      value={shared[name] ?? ''}
      maxLength={MAX_LENGTHS[name]}
      onChange={(event) => set(name, event.target.value)}
    />
  );
  return (
    <details className={css.details} open={isOpen}>
      <summary>{t.add.more}</summary>
      <div className={css.fields}>
        <Field label={t.shipment.carrier}>
          {(control) => (
            <CarrierSelect
              control={control}
              value={shared.courier_code ?? ''}
              onChange={(code) => set('courier_code', code)}
            >
              <option value="">{t.add.detect}</option>
            </CarrierSelect>
          )}
        </Field>
        <Field label={t.shipment.phone} hint={t.add.phoneHint}>
          {input('phone')}
        </Field>
        <Field label={t.shipment.postalCode}>{input('postal_code')}</Field>
        <Field label={t.shipment.destination} hint={t.add.countryHint}>
          {input('destination_country')}
        </Field>
        <Field label={t.shipment.name}>{input('title')}</Field>
        <Field label={t.shipment.order}>{input('order_id')}</Field>
      </div>
    </details>
  );
}
