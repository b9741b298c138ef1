import { type ReactNode, useEffect, useId, useRef, useState } from 'react';
import { useAddress } from '../../behaviour/address.ts';
import { daysOf, isPeriod, PERIODS } from '../../behaviour/dates.ts';
import { useStats } from '../../data/stats.ts';
import { useFormat } from '../../i18n/format.ts';
import { useText } from '../../i18n/language.ts';
import { Button } from '../../ui/button.tsx';
import { CarrierOption } from '../../ui/carrier.tsx';
import { Check } from '../../ui/field.tsx';
import line from '../../ui/filters.module.css';
import { Select, TimeInput } from '../../ui/filters.tsx';
import tabStyles from '../../ui/tabs.module.css';
import { COLUMNS, columnsOf, columnsText } from './columns.ts';
import { type FilterName, FROM_TOP, filterValue, REASONS, SORTS, STATUS_GROUPS, sortOf } from './query.ts';
import { SavedViews } from './saved-views.tsx';
import css from './shipments.module.css';

/** The overall statuses, each with the number of its parcels in the account. */
export function StatusTabs() {
  const t = useText();
  const format = useFormat();
  const { value, onChange } = useFilter('status');
  const { data } = useStats('24h');
  const counts = new Map<string, number>(data?.parcels.statuses.map(({ status, parcels }) => [status, parcels]));
  const tabs = [
    { status: '', label: t.shipments.all, count: data?.parcels.total },
    ...STATUS_GROUPS.map(({ status }) => ({ status, label: t.status[status], count: counts.get(status) })),
  ];
  const shown = tabs.some(({ status }) => status === value) ? value : groupOf(value);
  return (
    <nav aria-label={t.shipments.status} className={`${tabStyles.tabs} ${css.tabs}`}>
      {tabs.map(({ status, label, count }) => (
        <button
          key={status}
          type="button"
          className={tabStyles.tab}
          aria-current={status === shown ? 'page' : undefined}
          onClick={() => onChange(status)}
        >
          {label} {count !== undefined && <span className="muted">{format.number(count)}</span>}
        </button>
      ))}
    </nav>
  );
}

/** The overall status that a sub-status belongs to; undefined: none, as for all active parcels. */
function groupOf(value: string): string | undefined {
  return STATUS_GROUPS.find(({ subStatuses }) => (subStatuses as readonly string[]).includes(value))?.status;
}

/** The search, the filters that are set, and a panel with all of them. */
export function Filters({ chips }: { chips: ReactNode }) {
  const t = useText().shipments;
  const [isOpen, setOpen] = useState(false);
  const id = useId();
  return (
    <>
      <SearchField />
      <Button onClick={() => setOpen(!isOpen)} aria-expanded={isOpen} aria-controls={id}>
        <span aria-hidden="true">+</span> {t.filter}
      </Button>
      <SavedViews />
      {chips}
      {isOpen && (
        <div id={id} className={`${css.panel} ${line.grid}`}>
          <SubStatusFilter />
          <CarrierFilter />
          <AttentionFilter />
          <TimeFilter name="created" label={t.created} />
          <TimeFilter name="updated" label={t.updated} />
          <SortChoice />
          <ColumnChoice />
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
    onChange: (value: string, more?: { replace: boolean }) => address.set({ [name]: value || null, ...FROM_TOP }, more),
  };
}

/** A sub-status that says more than the tab of its group. */
function SubStatusFilter() {
  const t = useText();
  const { value, onChange } = useFilter('status');
  const isGroup = STATUS_GROUPS.some(({ status }) => status === value);
  return (
    <Select label={t.shipments.subStatus} value={isGroup ? '' : value} onChange={onChange}>
      <option value="">{t.shipments.all}</option>
      <option value="active">{t.shipments.active}</option>
      {STATUS_GROUPS.filter(({ subStatuses }) => subStatuses.length > 1).map(({ status, subStatuses }) => (
        <optgroup key={status} label={t.status[status]}>
          {subStatuses.map((subStatus) => (
            <option key={subStatus} value={subStatus}>
              {subStatus === 'exception' ? t.shipments.otherException : t.subStatus[subStatus]}
            </option>
          ))}
        </optgroup>
      ))}
      <option value="expired">{t.subStatus.expired}</option>
    </Select>
  );
}

/** The carriers of the account's parcels, those with most parcels first. */
function CarrierFilter() {
  const t = useText().shipments;
  const filter = useFilter('carrier');
  const { data } = useStats('30d');
  const codes = new Set([...(data?.parcels.carriers ?? []).map(({ carrier }) => carrier), filter.value]);
  return (
    <Select label={t.carrier} {...filter}>
      <option value="">{t.all}</option>
      {[...codes].filter(Boolean).map((code) => (
        <CarrierOption key={code} code={code} />
      ))}
    </Select>
  );
}

function AttentionFilter() {
  const t = useText();
  return (
    <Select label={t.shipments.attention} {...useFilter('needs_attention')}>
      <option value="">{t.shipments.all}</option>
      <option value="true">{t.shipments.anyReason}</option>
      {REASONS.map((reason) => (
        <option key={reason} value={reason}>
          {t.attention[reason]}
        </option>
      ))}
    </Select>
  );
}

/** A period up to now, or days. */
function TimeFilter({ name, label }: { name: 'created' | 'updated'; label: string }) {
  const t = useText().shipments;
  const { value, onChange } = useFilter(name);
  const days = daysOf(value);
  // What is typed, and goes on being typed, is one step back in the history.
  const change = (first: string, last: string) => onChange(`${first}..${last}`, { replace: true });
  return (
    <div className={css.times}>
      <Select label={label} value={days ? '..' : value} onChange={onChange}>
        <option value="">{t.anyTime}</option>
        {Object.keys(PERIODS)
          .filter(isPeriod)
          .map((period) => (
            <option key={period} value={period}>
              {t.periods[period]}
            </option>
          ))}
        <option value="..">{t.days}</option>
      </Select>
      {days && (
        <span className={line.filter}>
          <TimeInput
            type="date"
            className={line.control}
            aria-label={`${label}: ${t.from}`}
            value={days.first}
            max={days.last || undefined}
            onChange={(first) => change(first, days.last)}
          />
          –
          <TimeInput
            type="date"
            className={line.control}
            aria-label={`${label}: ${t.to}`}
            value={days.last}
            min={days.first || undefined}
            onChange={(last) => change(days.first, last)}
          />
        </span>
      )}
    </div>
  );
}

function SortChoice() {
  const t = useText().shipments;
  const address = useAddress();
  const onChange = (sort: string) => address.set({ sort: sort === SORTS[0] ? null : sort, ...FROM_TOP });
  return (
    <Select label={t.sort} value={sortOf(address.get) ?? SORTS[0]} onChange={onChange}>
      {SORTS.map((sort) => (
        <option key={sort} value={sort}>
          {t.sorts[sort]}
        </option>
      ))}
    </Select>
  );
}

const SETTLED_MS = 300;

/** Narrows the list while the reader types. */
function SearchField() {
  const t = useText().shipments;
  const address = useAddress();
  const inAddress = address.get('q') ?? '';
  const [typed, setTyped] = useState(inAddress);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  // Back, and a chip, change the address elsewhere.
  useEffect(() => setTyped((now) => (now.trim() === inAddress ? now : inAddress)), [inAddress]);
  useEffect(() => () => clearTimeout(timer.current), []);
  const apply = (text: string) => address.set({ q: text.trim() || null, ...FROM_TOP }, { replace: true });
  const onType = (text: string) => {
    setTyped(text);
    clearTimeout(timer.current);
    timer.current = setTimeout(() => apply(text), SETTLED_MS);
  };
  return (
    <search className={css.search}>
      <input
        type="search"
        className={line.control}
        value={typed}
        placeholder={t.search}
        aria-label={t.search}
        spellCheck={false}
        maxLength={100}
        onChange={(event) => onType(event.target.value)}
        onKeyDown={(event) => {
          if (event.key !== 'Enter') return;
          clearTimeout(timer.current);
          apply(typed);
        }}
      />
    </search>
  );
}

/** Which columns the list has, beside status and number. */
function ColumnChoice() {
  const t = useText().shipments;
  const address = useAddress();
  const { shown } = columnsOf(address.get('cols'));
  return (
    <fieldset className={css.columns}>
      <legend className="muted">{t.columns}</legend>
      {COLUMNS.map((column) => (
        <Check
          key={column}
          label={t.columnNames[column]}
          checked={shown.includes(column)}
          onChange={(on) => {
            const chosen = on ? [...shown, column] : shown.filter((one) => one !== column);
            address.set({ cols: columnsText(chosen) }, { replace: true });
          }}
        />
      ))}
    </fieldset>
  );
}
