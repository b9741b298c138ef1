import { checkAttempts } from './attempts.ts';
import { checkEvents } from './events.ts';
import type { Discrepancy, Facts } from './facts.ts';
import { checkFeed } from './feed.ts';
import { groupBy } from './group.ts';

/** Compares what merchants, carriers and receivers recorded with the state of the service. @returns empty if it balances. */
export function balance(facts: Facts): Discrepancy[] {
  return [checkStored, checkCharged, checkFinalStates, checkEvents, checkFeed, checkAttempts].flatMap((check) =>
    check(facts),
  );
}

/** An accepted number is stored once, under the returned id; one without a response, or that a failover lost, at most once. */
function checkStored({ registrations, stored, lost }: Facts): Discrepancy[] {
  const lostNumbers = new Set([...lost.parcels.values()].map(({ account, number }) => `${account} ${number}`));
  const found: Discrepancy[] = [];
  const byNumber = groupBy(stored, ({ account, number }) => `${account} ${number}`);
  for (const { account, number, outcome, ids, refusal } of registrations) {
    const rows = byNumber.get(`${account} ${number}`) ?? [];
    const names = rows.map(({ id }) => id).join(', ') || 'none';
    if (outcome === 'refused') found.push({ promise: 'a valid number is accepted', about: `${number}: ${refusal}` });
    const isLost = lostNumbers.has(`${account} ${number}`);
    if (outcome === 'accepted' && !isLost && rows.length !== 1)
      found.push({ promise: 'an accepted number is stored once', about: `${number}: ${names}` });
    if ((outcome === 'unknown' || isLost) && rows.length > 1)
      found.push({ promise: 'a number without an answer is stored at most once', about: `${number}: ${names}` });
    for (const id of new Set(ids.filter((each) => !lost.parcels.has(each) && !rows.some((row) => row.id === each))))
      found.push({ promise: 'the id that was answered is stored', about: `${number}: ${id}, stored: ${names}` });
  }
  const known = new Set(registrations.map(({ account, number }) => `${account} ${number}`));
  for (const { id, account, number } of stored)
    if (!known.has(`${account} ${number}`))
      found.push({ promise: 'only what was sent is stored', about: `${number} ${id}` });
  return found;
}

/** One unit for each stored parcel, whatever was retried. */
function checkCharged({ charged, stored, endpoints }: Facts): Discrepancy[] {
  const accounts = new Set([...charged.keys(), ...endpoints.map(({ account }) => account)]);
  return [...accounts].flatMap((account) => {
    const parcels = stored.filter((row) => row.account === account).length;
    const units = charged.get(account) ?? 0;
    if (units === parcels) return [];
    return [
      { promise: 'each parcel is charged once', about: `account ${account}: ${units} units, ${parcels} parcels` },
    ];
  });
}

function checkFinalStates({ stored, shown, carrier }: Facts): Discrepancy[] {
  return stored.flatMap(({ id, number }) => {
    const [ours, theirs] = [shown.get(id), carrier.get(number)];
    const about = `${number} ${id}`;
    if (!theirs) return [{ promise: 'the carrier knows the number', about }];
    if (!ours) return [{ promise: 'the API shows the parcel', about }];
    const found: Discrepancy[] = [];
    if (ours.subStatus !== theirs.subStatus)
      found.push({
        promise: "the final state is the carrier's",
        about: `${about}: ${ours.subStatus}, carrier: ${theirs.subStatus}`,
      });
    const [missing, invented] = [lacking(theirs.scans, ours.scans), lacking(ours.scans, theirs.scans)];
    if (missing.length > 0) found.push({ promise: 'no scan is missing', about: `${about}: ${missing.join('; ')}` });
    if (invented.length > 0) found.push({ promise: 'no scan is invented', about: `${about}: ${invented.join('; ')}` });
    return found;
  });
}

function lacking(wanted: readonly string[], there: readonly string[]): string[] {
  return wanted.filter((scan) => !there.includes(scan));
}
