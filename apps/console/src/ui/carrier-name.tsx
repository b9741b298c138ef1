import { useCouriers } from '../data/account.ts';
import { spoken } from '../i18n/language.ts';
import { useStore } from '../session/store.ts';

/** A carrier by its name in the reader's language; by its code until the names are known. */
export function CarrierName({ code }: { code: string }) {
  const { language } = useStore(spoken);
  const { data: couriers } = useCouriers();
  const courier = couriers?.find(({ courier_code }) => courier_code === code);
  if (!courier) return <span>{code}</span>;
  return <span title={code}>{language === 'zh' ? courier.courier_name_zh : courier.courier_name}</span>;
}
