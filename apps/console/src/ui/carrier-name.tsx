import { useCouriers } from '../data/account.ts';
import { spoken } from '../i18n/language.ts';
import { useStore } from '../session/store.ts';

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

/** A carrier by its name. */
export function CarrierName({ code }: { code: string }) {
  return <span title={code}>{useCarrierName()(code)}</span>;
}

/** A carrier to choose. */
export function CarrierOption({ code }: { code: string }) {
  return <option value={code}>{useCarrierName()(code)}</option>;
}
