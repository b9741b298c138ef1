import { Link } from 'wouter';
import { useAddress } from '../../behaviour/address.ts';
import { useFormat } from '../../i18n/format.ts';
import { useText } from '../../i18n/language.ts';

/** How many rows come before the last page that was read, and its cursor; null while there is only one page. */
type LastPage = { before: number; cursor: string } | null;

/** Links to the list from its last page on, and back to its top: a place far down has an address. */
export function Place({ lastPage }: { lastPage: LastPage }) {
  const t = useText().shipments;
  const format = useFormat();
  const from = useAddress().get('from');
  return (
    <>
      {from !== null && <Link href={addressFrom(null)}>{t.fromTop}</Link>}
      {lastPage && (
        <Link href={addressFrom(lastPage.cursor)}>
          {from === null ? t.fromRow(format.number(lastPage.before + 1)) : t.fromFurther}
        </Link>
      )}
    </>
  );
}

function addressFrom(cursor: string | null): string {
  const params = new URLSearchParams(location.search);
  if (cursor === null) params.delete('from');
  else params.set('from', cursor);
  return `/shipments?${params}`;
}
