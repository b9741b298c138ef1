import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useCouriers } from '../data/account.ts';
import { refreshShipments } from '../data/shipments.ts';
import { useText } from '../i18n/language.ts';
import { useClient } from '../session/client.tsx';
import { Button } from '../ui/button.tsx';
import { Allowed } from '../ui/may.tsx';
import { Problem } from '../ui/states.tsx';

/** Stories of the sandbox carrier that show every status within a minute. */
const STORIES = [
  ...['EXPRESS', 'ORDINARY', 'PICKUP', 'RECOVERED', 'UNDELIVERABLE'],
  ...['EXCEPTION', 'RETURNED', 'NOTFOUND', 'LATESCAN', 'LATEFOUND'],
];

/** Registers parcels of the sandbox carrier, where the installation has it. */
export function Samples() {
  const t = useText().shipments;
  const client = useClient();
  const queries = useQueryClient();
  const { data: couriers } = useCouriers();
  const register = useMutation({
    mutationFn: () => {
      // New digits make new parcels.
      const digits = Math.floor(Date.now() / 1000);
      return client.trackings.batch(STORIES.map((story) => `SBX${story}${digits}`));
    },
    onSuccess: () => {
      for (const key of ['account', 'stats']) void queries.invalidateQueries({ queryKey: [key] });
      return refreshShipments(queries);
    },
  });
  if (!couriers?.some(({ courier_code, trackable }) => courier_code === 'sandbox' && trackable)) return null;
  return (
    <>
      <Allowed needs="write" silent>
        <Button onClick={() => register.mutate()} busy={register.isPending} title={t.sandbox}>
          {t.samples(STORIES.length)}
        </Button>
      </Allowed>
      {register.error && <Problem error={register.error} />}
    </>
  );
}
