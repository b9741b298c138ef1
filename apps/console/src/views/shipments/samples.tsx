import { useMutation, useQueryClient } from '@tanstack/react-query';
import { refreshShipments } from '../../data/shipments.ts';
import { useText } from '../../i18n/language.ts';
import { useClient } from '../../session/client.tsx';
import { Button } from '../../ui/button.tsx';
import { Problem } from '../../ui/states.tsx';

const STORIES = ['EXPRESS', 'ORDINARY', 'PICKUP', 'RECOVERED', 'UNDELIVERABLE'];

/** Registers parcels of the sandbox carrier, which move within a minute. */
export function Samples() {
  const t = useText().shipments;
  const client = useClient();
  const queries = useQueryClient();
  const register = useMutation({
    mutationFn: () => {
      // New digits make new parcels.
      const digits = Math.floor(Date.now() / 1000);
      return client.trackings.batch(STORIES.map((story) => `SBX${story}${digits}`));
    },
    onSuccess: () => {
      void queries.invalidateQueries({ queryKey: ['account'] });
      return refreshShipments(queries);
    },
  });
  return (
    <>
      <p>{t.sandbox}</p>
      <Button onClick={() => register.mutate()} busy={register.isPending}>
        {t.samples(STORIES.length)}
      </Button>
      {register.error && <Problem error={register.error} />}
    </>
  );
}
