import { Link } from 'wouter';
import { useAddress } from '../../behaviour/address.ts';
import { useAccount, useCouriers } from '../../data/account.ts';
import { useText } from '../../i18n/language.ts';
import { EmptyState } from '../../ui/states.tsx';
import { NO_FILTERS, useFilterWords } from './chips.tsx';
import { Samples } from './samples.tsx';

/** The filters in words, and a button that clears them. */
export function NothingMatches() {
  const t = useText().shipments;
  const address = useAddress();
  const words = useFilterWords().map((filter) => filter.words);
  return (
    <EmptyState
      title={t.noMatch(words.join(' · '))}
      action={{ onClick: () => address.set(NO_FILTERS), label: t.clear }}
    />
  );
}

/** One sentence and one action; with the sandbox carrier, parcels to try. */
export function NoParcels() {
  const t = useText().shipments;
  const { data: account } = useAccount();
  const { data: couriers } = useCouriers();
  const hasSandbox = couriers?.some((courier) => courier.courier_code === 'sandbox' && courier.trackable);
  return (
    <EmptyState
      title={account?.quota_used ? t.noneLeft : t.none}
      action={{ href: '/shipments/add', label: t.add }}
      otherwise={hasSandbox && <Samples />}
    >
      <p>
        {t.or} <Link href="/webhooks">{t.orWebhook}</Link> <Link href="/imports">{t.orFile}</Link>
      </p>
    </EmptyState>
  );
}
