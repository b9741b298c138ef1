import type { Units } from './units.ts';

const INTERVAL_SECONDS = 300;
const NUMBERS_PER_CALL = 40;
/** A parcel has five scans in three days, in which it is polled. */
const POLLED_SECONDS = 3 * 86_400;
const EVENTS_PER_SECOND = 5 / POLLED_SECONDS;
const CARRIER_CALLS_PER_SECOND = 10;
const RETENTION_SECONDS = 30 * 86_400;

/** A large machine of today, and how much of it may be in use. */
const MACHINE = {
  cores: 32,
  coresInUse: 0.6,
  memoryBytes: 128e9,
  memoryForChecks: 0.5,
  diskBytes: 8e12,
  walBytesPerSecond: 250e6,
  networkBytesPerSecond: 125e6,
  networkInUse: 0.5,
  /** Of the thread of a poller. */
  pollerInUse: 0.6,
  restoreBytesPerSecond: 500e6,
};

export type Needs = {
  checksPerSecond: number;
  batchedCallsPerSecond: number;
  registrationsPerSecond: number;
  eventsPerSecond: number;
  pollers: number;
  postgresCores: number;
  redisCores: number;
  cores: number;
  walBytesPerSecond: number;
  parcelBytes: number;
  historyBytes: number;
  diskBytes: number;
  restoreHours: number;
};

/** What a number of polled parcels needs, checked every five minutes, with one receiver and 30 days of history. */
export function needsOf(parcels: number, units: Units): Needs {
  const { check, event, rows } = units;
  const checksPerSecond = parcels / INTERVAL_SECONDS;
  const eventsPerSecond = parcels * EVENTS_PER_SECOND;
  const parcelBytes = parcels * (rows.trackingBytes + rows.checkBytes);
  const historyBytes = eventsPerSecond * RETENTION_SECONDS * (rows.messageBytes + rows.attemptBytes);
  const pollerCores = (checksPerSecond * check.pollerUs) / 1e6;
  const checkUs = check.pollerUs + check.postgresUs + check.redisUs;
  return {
    checksPerSecond,
    batchedCallsPerSecond: checksPerSecond / NUMBERS_PER_CALL,
    registrationsPerSecond: parcels / POLLED_SECONDS,
    eventsPerSecond,
    pollers: Math.ceil(pollerCores / MACHINE.pollerInUse),
    postgresCores: (checksPerSecond * check.postgresUs + eventsPerSecond * event.postgresUs) / 1e6,
    redisCores: (checksPerSecond * check.redisUs) / 1e6,
    cores: (checksPerSecond * checkUs + eventsPerSecond * event.cpuUs) / 1e6,
    walBytesPerSecond: checksPerSecond * check.walBytes + eventsPerSecond * event.walBytes,
    parcelBytes,
    historyBytes,
    diskBytes: parcelBytes + historyBytes,
    restoreHours: (parcelBytes + historyBytes) / MACHINE.restoreBytesPerSecond / 3600,
  };
}

export type Limit = { what: string; parcels: number };

/** How many parcels one of each carries, the smallest first: what breaks first. All needs grow with the number of parcels. */
export function limitsOf(units: Units): Limit[] {
  const one = needsOf(1, units);
  const pollerCores = (one.checksPerSecond * units.check.pollerUs) / 1e6;
  const limits = [
    {
      what: 'a carrier that allows 10 calls a second, for one number each',
      parcels: CARRIER_CALLS_PER_SECOND / one.checksPerSecond,
    },
    { what: 'one poller, its thread 60 % busy', parcels: MACHINE.pollerInUse / pollerCores },
    { what: 'one Redis, its command thread full', parcels: 1 / one.redisCores },
    { what: 'a disk of 8 TB', parcels: MACHINE.diskBytes / one.diskBytes },
    {
      what: 'a standby over 1 Gbit/s, half of it WAL',
      parcels: (MACHINE.networkBytesPerSecond * MACHINE.networkInUse) / one.walBytesPerSecond,
    },
    {
      what: '`checks` in half of 128 GB of memory',
      parcels: (MACHINE.memoryBytes * MACHINE.memoryForChecks) / units.rows.checkBytes,
    },
    {
      what: 'PostgreSQL on 32 cores, 60 % busy',
      parcels: (MACHINE.cores * MACHINE.coresInUse) / one.postgresCores,
    },
    { what: 'WAL of 250 MB/s', parcels: MACHINE.walBytesPerSecond / one.walBytesPerSecond },
  ];
  return limits.sort((a, b) => a.parcels - b.parcels);
}
