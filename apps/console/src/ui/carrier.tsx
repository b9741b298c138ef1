import type { ReactNode } from 'react';
import { useCouriers } from '../data/account.ts';
import { spoken } from '../i18n/language.ts';
import { useStore } from '../session/store.ts';
import css from './carrier.module.css';
import type { Control } from './field.tsx';

/** The names of carriers in the reader's language; a carrier's code until they are known. */
export function useCarrierName(): (code: string) => string {
  const { language } = useStore(spoken);
  const { data: couriers } = useCouriers();
  return (code) => {
    const courier = couriers?.find(({ courier_code }) => courier_code === code);
    if (!courier) return code;
    return language === 'zh' ? courier.courier_name_zh : courier.courier_name;
  };
}

/** Two or three letters of a carrier's name. */
export function CarrierMark({ code }: { code: string }) {
  const { data: couriers } = useCouriers();
  const name = couriers?.find(({ courier_code }) => courier_code === code)?.courier_name ?? code;
  return (
    <span className={css.mark} aria-hidden="true">
      {initialsOf(name)}
    </span>
  );
}

/** `UPS`: UPS; `SF Express`: SF; `Royal Mail`: RM; `Hermes`: He. */
function initialsOf(name: string): string {
  const [first = '', second = ''] = name.split(/[^\p{L}\p{N}]+/u).filter(Boolean);
  if (first.length <= 3 && first === first.toUpperCase()) return first;
  return second === '' ? first.slice(0, 2) : `${first[0]}${second[0]}`.toUpperCase();
}

/** A carrier by its name. */
export function CarrierName({ code }: { code: string }) {
  return <span title={code}>{useCarrierName()(code)}</span>;
}

/** A carrier to choose. */
export function CarrierOption({ code }: { code: string }) {
  return <option value={code}>{useCarrierName()(code)}</option>;
}

type CarrierSelectProps = {
  control: Control;
  /** A carrier's code, or the value of an option in `children`. */
  value: string;
  onChange(value: string): void;
  /** The options that come first. */
  children: ReactNode;
};

/** One of the carriers whose parcels can be tracked, by their names in the reader's language. */
export function CarrierSelect({ control, value, onChange, children }: CarrierSelectProps) {
  const { language } = useStore(spoken);
  const { data: couriers = [] } = useCouriers();
  const named = couriers
    .filter(({ trackable, courier_code }) => trackable || courier_code === value)
    .map((courier) => ({
      code: courier.courier_code,
      name: language === 'zh' ? courier.courier_name_zh : courier.courier_name,
    }))
    .toSorted((a, b) => a.name.localeCompare(b.name, language));
  return (
    <select {...control} value={value} onChange={(event) => onChange(event.target.value)}>
      {children}
      {named.map(({ code, name }) => (
        <option key={code} value={code}>
          {name}
        </option>
      ))}
    </select>
  );
}
