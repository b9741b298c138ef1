import type { Replica } from '../world/replica.ts';
import { APPS } from '../world/replica.ts';
import { BOTH, type Fault, LONG, MOMENT, nothing } from './fault.ts';

const namesOf = (replicas: readonly Replica[]) => replicas.map(({ name }) => name).join(', ');
const MINUTE_MS = 60_000;
/** More than receivers tolerate, an hour, and more than a day; ahead and behind. */
const SKEWS_MS = [-3, 7, -60, 61, -26 * 60, 26 * 60].map((minutes) => minutes * MINUTE_MS);

export const PROCESS_FAULTS: readonly Fault[] = [
  {
    name: 'kill-one',
    part: 'processes',
    seconds: MOMENT,
    stores: BOTH,
    begin: async ({ replicas }, random) => {
      const replica = random.pick(replicas);
      replica.signal('SIGKILL');
      return { about: replica.name, heal: nothing };
    },
  },
  {
    name: 'kill-all-of-an-app',
    part: 'processes',
    seconds: MOMENT,
    stores: BOTH,
    begin: async ({ replicas }, random) => {
      const app = random.pick(APPS);
      for (const replica of replicas) if (replica.app === app) replica.signal('SIGKILL');
      return { about: app, heal: nothing };
    },
  },
  {
    name: 'kill-everything',
    part: 'processes',
    seconds: MOMENT,
    stores: BOTH,
    begin: async ({ replicas }) => {
      for (const replica of replicas) replica.signal('SIGKILL');
      return { about: 'every process', heal: nothing };
    },
  },
  {
    name: 'freeze-one-of-each',
    part: 'processes',
    seconds: LONG,
    stores: BOTH,
    begin: async ({ replicas }, random) => {
      const frozen = APPS.map((app) => random.pick(replicas.filter((replica) => replica.app === app)));
      for (const replica of frozen) replica.signal('SIGSTOP');
      const heal = async () => {
        for (const replica of frozen) replica.signal('SIGCONT');
      };
      return { about: namesOf(frozen), heal };
    },
  },
  {
    name: 'skewed-clocks',
    part: 'clocks',
    seconds: LONG,
    stores: BOTH,
    begin: async ({ replicas }, random) => {
      const skews = replicas.map((replica) => ({ replica, ms: random.pick([0, ...SKEWS_MS]) }));
      for (const { replica, ms } of skews) replica.skew(ms);
      const heal = async () => {
        for (const replica of replicas) replica.skew(0);
      };
      return { about: skews.map(({ ms }) => `${ms / MINUTE_MS} min`).join(', '), heal };
    },
  },
];
