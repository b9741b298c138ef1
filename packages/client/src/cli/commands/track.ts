import { command } from '../command.ts';
import { usageProblem } from '../parse.ts';
import { EXIT, Problem } from '../problem.ts';
import { follow, found, linesOf, register } from '../tracking.ts';

export const track = command({
  name: 'track',
  about: 'Shows a parcel. A number that is not registered yet is registered for one unit of quota.',
  takes: ['NUMBER'],
  options: {
    follow: { about: 'goes on with its news as it arrives, until it has arrived or Ctrl-C' },
    carrier: { value: 'CODE', about: 'its carrier, where it cannot be detected or several are possible' },
    'no-register': { about: 'only shows it: a number that is not registered is an error (exit code 5)' },
  },
  async run(context, { NUMBER, carrier, ...input }) {
    const { client, signal, print } = context;
    if (NUMBER.includes(',')) throw usageProblem(`NUMBER must be one tracking number, not "${NUMBER}".`);
    const api = client();
    // Before the parcel is read, so that nothing is lost in between.
    const after = input.follow ? (await api.events.list({ after: 'latest' }, { signal })).next_cursor : null;
    let parcels = await found(api, { number: NUMBER, carrier }, signal);
    if (parcels.length === 0) {
      if (input['no-register']) throw new Problem(`${NUMBER} is not registered under your account.`, EXIT.notFound);
      parcels = [await register(context, api, { number: NUMBER, carrier })];
    }
    const [parcel] = parcels;
    for (const one of parcels) print(one, () => linesOf(one));
    if (after === null || parcel === undefined) return;
    if (parcels.length > 1)
      throw new Problem('The number is registered with several carriers: choose one with --carrier.', EXIT.usage);
    await follow(context, parcel, after);
  },
});
