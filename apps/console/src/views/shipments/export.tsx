import { useRef, useState } from 'react';
import { localDay } from '../../behaviour/local-time.ts';
import { saveFile } from '../../behaviour/save-file.ts';
import type { ShipmentFilter } from '../../data/shipments.ts';
import { useFormat } from '../../i18n/format.ts';
import { useText } from '../../i18n/language.ts';
import { useClient } from '../../session/client.tsx';
import { endOfSession } from '../../session/session.ts';
import { Button } from '../../ui/button.tsx';
import { useToastFailure } from '../../ui/toast-failure.ts';

/** All shipments that match, as a file. The key goes with the request in a header, which a plain link could not send. */
export function Export({ filter }: { filter: ShipmentFilter }) {
  const t = useText().shipments;
  const format = useFormat();
  const client = useClient();
  const toastFailure = useToastFailure();
  const [bytes, setBytes] = useState<number | null>(null);
  const ending = useRef<AbortController>(null);
  const run = async () => {
    ending.current = new AbortController();
    const signal = AbortSignal.any([ending.current.signal, endOfSession()]);
    setBytes(0);
    try {
      await saveFile(`shipments-${localDay(new Date())}.csv`, client.shipments.csv(filter, { signal }), setBytes);
    } catch (error) {
      if (!signal.aborted) toastFailure(error);
    } finally {
      setBytes(null);
    }
  };
  if (bytes === null)
    return (
      <Button look="quiet" onClick={run}>
        {t.export}
      </Button>
    );
  return (
    <Button look="quiet" onClick={() => ending.current?.abort()}>
      {t.exporting(format.bytes(bytes))}
    </Button>
  );
}
