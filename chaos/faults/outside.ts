import type { Manner } from '../receiver/messages.ts';
import { CARRIERS, type CarrierManner } from '../world/carriers.ts';
import { BOTH, type Fault, LONG } from './fault.ts';

function carrierFault(name: string, manner: CarrierManner): Fault {
  return {
    name: `carrier-${name}`,
    part: 'carriers',
    seconds: LONG,
    stores: BOTH,
    begin: async ({ carriers }, random) => {
      const carrier = random.pick(CARRIERS);
      carriers.set(carrier, manner);
      return { about: carrier, heal: async () => carriers.set(carrier, 'answer') };
    },
  };
}

/** One carrier of two: the news of the other must not wait. */
export const CARRIER_FAULTS: readonly Fault[] = [
  carrierFault('500s', 'error'),
  carrierFault('hangs', 'hang'),
  carrierFault('garbage', 'garbage'),
  carrierFault('200mb', 'huge'),
];

function receiverFault(name: string, manner: Manner): Fault {
  return {
    name: `receiver-${name}`,
    part: 'receivers',
    seconds: LONG,
    stores: BOTH,
    begin: async ({ receivers, endpoints }, random) => {
      const { path } = random.pick(endpoints);
      receivers.set(path, manner);
      return { about: `endpoint ${path}`, heal: async () => receivers.set(path, 'accept') };
    },
  };
}

/** One endpoint of several: the others must not wait. */
export const RECEIVER_FAULTS: readonly Fault[] = [
  receiverFault('500s', 'error'),
  receiverFault('resets', 'reset'),
  receiverFault('hangs', 'hang'),
];
