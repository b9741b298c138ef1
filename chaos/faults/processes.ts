import { PROCESSES } from '@pts/testing/app-process';
import type { Replica } from '../world/replica.ts';
import { type Begun, type Fault, faultsOn, LONG, MOMENT } from './fault.ts';

const MINUTE_MS = 60_000;
/** More than receivers tolerate, an hour, and more than a day; ahead and behind. */
const SKEWS_MS = [-3, 7, -60, 61, -26 * 60, 26 * 60].map((minutes) => minutes * MINUTE_MS);

const processFault = faultsOn('processes', ({ replicas }) => replicas);
const clockFault = faultsOn('clocks', ({ replicas }) => replicas);

function kill(about: string, replicas: readonly Replica[]): Begun {
  for (const replica of replicas) replica.signal('SIGKILL');
  return { about };
}

function freeze(replicas: readonly Replica[]): Begun {
  for (const replica of replicas) replica.signal('SIGSTOP');
  const heal = async () => {
    for (const replica of replicas) replica.signal('SIGCONT');
  };
  return { about: replicas.map(({ name }) => name).join(', '), heal };
}

const ofApp = (app: Replica['app'], replicas: readonly Replica[]) => replicas.filter((replica) => replica.app === app);

export const PROCESS_FAULTS: readonly Fault[] = [
  processFault('kill-one', MOMENT, (replicas, random) => {
    const replica = random.pick(replicas);
    return kill(replica.name, [replica]);
  }),
  processFault('kill-all-of-an-app', MOMENT, (replicas, random) => {
    const app = random.pick(PROCESSES);
    return kill(app, ofApp(app, replicas));
  }),
  processFault('kill-everything', MOMENT, (replicas) => kill('every process', replicas)),
  processFault('freeze-one-of-each', LONG, (replicas, random) =>
    freeze(PROCESSES.map((app) => random.pick(ofApp(app, replicas)))),
  ),
  clockFault('skewed-clocks', LONG, (replicas, random) => {
    const skewed = PROCESSES.map((app) => random.pick(ofApp(app, replicas)));
    const skews = skewed.map((replica) => ({ replica, ms: random.pick(SKEWS_MS) }));
    for (const { replica, ms } of skews) replica.skew(ms);
    const heal = async () => {
      for (const { replica } of skews) replica.skew(0);
    };
    return { about: skews.map(({ replica, ms }) => `${replica.name} ${ms / MINUTE_MS} min`).join(', '), heal };
  }),
];
