import type { ReactNode } from 'react';
import { useCouriers } from '../data/account.ts';
import { spoken } from '../i18n/language.ts';
import { useStore } from '../session/store.ts';
import type { Control } from './field.tsx';

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
