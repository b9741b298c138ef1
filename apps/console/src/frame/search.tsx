import { isNotRegistered } from '@pts/client/errors';
import type { Shipment } from '@pts/client/types';
import { useQuery } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { Link } from 'wouter';
import { isSearchable, numbersIn, searchedPart } from '../behaviour/numbers.ts';
import { useSettled } from '../behaviour/typing.ts';
import { useMay } from '../data/account.ts';
import { useFirst } from '../data/shipments.ts';
import { useText } from '../i18n/language.ts';
import { useClient } from '../session/client.tsx';
import { CarrierName } from '../ui/carrier.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { Field } from '../ui/field.tsx';
import { StatusPill } from '../ui/pill.tsx';
import { Problem } from '../ui/states.tsx';
import { ParcelName } from '../ui/words.tsx';
import css from './frame.module.css';

const MAX_NUMBERS = 40;
const SHOWN = 10;

type Found = Pick<Shipment, 'id' | 'tracking_number' | 'carrier' | 'sub_status'> & {
  title?: string | null | undefined;
  order_id?: string | null | undefined;
};

/** Finds parcels by any part of a number, an order or a title; or by a pasted list of numbers. */
export function Search({ onClose }: { onClose(): void }) {
  const may = useMay();
  const t = useText().search;
  const [typed, setTyped] = useState('');
  const form = useRef<HTMLFormElement>(null);
  const { settled, isSettled } = useSettled(typed.trim());
  const allNumbers = numbersIn(settled);
  const numbers = allNumbers.slice(0, MAX_NUMBERS);
  const isList = numbers.length > 1;
  const isRequested = isList || isSearchable(settled);
  const listed = useListed(isList ? numbers : []);
  const part = searchedPart(settled);
  const searched = useFirst({ q: part }, SHOWN, { isEnabled: isRequested && !isList });
  const { data, error, isFetching, isPlaceholderData } = isList ? listed : searched;
  const found: readonly Found[] = (isRequested && data) || [];
  const isNothing = isRequested && isSettled && data?.length === 0 && !isFetching;
  // Not a result of an earlier text.
  const isFound = isRequested && isSettled && data !== undefined && !isPlaceholderData;
  const [isEntered, setEntered] = useState(false);
  // Enter opens the first result, also one that comes later.
  useEffect(() => {
    if (!isEntered || !isFound) return;
    setEntered(false);
    resultsOf(form.current)[0]?.click();
  }, [isEntered, isFound]);
  const isTooShort = settled !== '' && isSettled && !isRequested;
  const hint = isTooShort ? t.tooShort : allNumbers.length > MAX_NUMBERS ? t.firstOnly : t.hint;
  return (
    <Dialog title={t.title} onClose={onClose}>
      <search>
        <form
          ref={form}
          onSubmit={(event) => {
            event.preventDefault();
            setEntered(true);
          }}
        >
          <Field label={t.label} hint={hint}>
            {(control) => (
              <input
                {...control}
                autoFocus
                value={typed}
                spellCheck={false}
                onChange={(event) => {
                  setTyped(event.target.value);
                  setEntered(false);
                }}
                onPaste={(event) => {
                  const lines = event.clipboardData.getData('text').trim().split('\n');
                  if (lines.length === 1) return;
                  // A field of one line would join the numbers of a column.
                  event.preventDefault();
                  document.execCommand('insertText', false, lines.map((line) => line.trim()).join(', '));
                }}
                onKeyDown={(event) => {
                  if (event.key !== 'ArrowDown') return;
                  event.preventDefault();
                  resultsOf(form.current)[0]?.focus();
                }}
              />
            )}
          </Field>
        </form>
      </search>
      <div role="status" className={css.results} aria-busy={isFetching}>
        {isFetching && !data && <p className={css.hint}>{t.searching}</p>}
        {isRequested && error && <Problem error={error} />}
        {found.map((parcel) => (
          <Result key={parcel.id} parcel={parcel} onClose={onClose} />
        ))}
        {isNothing && (
          <p className={css.hint}>
            {t.nothing}{' '}
            {numbers.length > 0 && may('write') && (
              <Link href={`/shipments/add?numbers=${encodeURIComponent(numbers.join(','))}`} onClick={onClose}>
                {t.register}
              </Link>
            )}
          </p>
        )}
        {!isList && found.length === SHOWN && (
          <Link href={`/shipments?q=${encodeURIComponent(part)}`} className={css.more} onClick={onClose}>
            {t.all}
          </Link>
        )}
      </div>
    </Dialog>
  );
}

function Result({ parcel, onClose }: { parcel: Found; onClose(): void }) {
  const { id, tracking_number, carrier, sub_status, title, order_id } = parcel;
  return (
    <Link
      href={`/shipments/${id}`}
      className={css.result}
      data-result=""
      onClick={onClose}
      onKeyDown={(event) => {
        const steps: Readonly<Record<string, number>> = { ArrowDown: 1, ArrowUp: -1 };
        const step = steps[event.key];
        if (step === undefined) return;
        event.preventDefault();
        const dialog = event.currentTarget.closest('dialog');
        const all = resultsOf(dialog);
        const next = all[all.indexOf(event.currentTarget) + step] ?? dialog?.querySelector('input');
        if (next instanceof HTMLElement) next.focus();
      }}
    >
      <span>
        <StatusPill status={sub_status} />
      </span>
      <span className={css.found}>
        <code>{tracking_number}</code>
        <span className={css.hint}>
          <CarrierName code={carrier} />
          {(title || order_id) && ' · '}
          <ParcelName title={title} order_id={order_id} />
        </span>
      </span>
    </Link>
  );
}

function resultsOf(inside: Element | null): HTMLAnchorElement[] {
  return [...(inside?.closest('dialog')?.querySelectorAll<HTMLAnchorElement>('[data-result]') ?? [])];
}

/** The registered ones among some numbers. */
function useListed(numbers: readonly string[]) {
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
