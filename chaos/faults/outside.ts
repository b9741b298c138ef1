import type { OutageKind } from '@pts/testing/outage-switch';
import type { Manner } from '../receiver/messages.ts';
import { CARRIERS } from '../world/carriers.ts';
import { type Fault, faultsOn, LONG } from './fault.ts';

const onCarriers = faultsOn('carriers', ({ carriers }) => carriers);

function carrierFault(name: string, outage: OutageKind): Fault {
  return onCarriers(name, LONG, (carriers, random) => {
    const carrier = random.pick(CARRIERS);
    carriers.set(carrier, outage);
    return { about: carrier, heal: async () => carriers.set(carrier, null) };
  });
}

/** One carrier of two: the news of the other must not wait. */
export const CARRIER_FAULTS: readonly Fault[] = [
  carrierFault('carrier-500s', '500'),
  carrierFault('carrier-hangs', 'hang'),
  carrierFault('carrier-garbage', 'garbage'),
  carrierFault('carrier-200mb', 'huge'),
];

const onReceivers = faultsOn('receivers', (world) => world);

function receiverFault(name: string, manner: Manner): Fault {
  return onReceivers(name, LONG, ({ receivers, endpoints }, random) => {
    const { path } = random.pick(endpoints);
    receivers.set(path, manner);
    return { about: `endpoint ${path}`, heal: async () => receivers.set(path, 'accept') };
  });
}

/** One endpoint of several: the others must not wait. */
export const RECEIVER_FAULTS: readonly Fault[] = [
  receiverFault('receiver-500s', 'error'),
  receiverFault('receiver-resets', 'reset'),
  receiverFault('receiver-hangs', 'hang'),
];
