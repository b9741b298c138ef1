import { columns } from '@pts/core/terminal';
import { type CarrierAnswer, concernsProvider } from '@pts/core/tracking/answer';
import { normaliseNumber } from '@pts/core/tracking/number';
import { databaseCommand } from '../../command-line/database-command.ts';
import { UsageError } from '../../command-line/problem.ts';
import { breakersOf } from '../../providers/names.ts';
import { carrierFor, connectOne, tryNumber } from '../../providers/try-number.ts';
import { viewScan } from '../../records/tracking-views.ts';

export const providersTry = databaseCommand({
  name: 'providers try',
  audited: 'after',
  personal: ['number', 'phone', 'postal-code'],
  takes: ['name', 'number'],
  options: {
    carrier: { value: 'CODE', about: 'the carrier of the number (default: the most likely one)' },
    phone: { value: 'PHONE', about: 'the phone number, if the carrier needs it' },
    'postal-code': { value: 'CODE', about: 'the postal code, if the carrier needs it' },
  },
  about:
    'Ask a provider about one number with the credentials of this environment. It takes one call of the budget and stores nothing. Fails if the provider, not the number, is at fault.',
  async run({ db, now }, { name, number: given, carrier, phone, 'postal-code': postalCode }, { env }) {
    breakersOf(name);
    const number = normaliseNumber(given);
    if (number === null) throw new UsageError('A tracking number has 5 to 50 letters and digits.');
    const provider = connectOne({ db, env }, name);
    if (carrier !== undefined && !provider.serves(carrier)) throw new UsageError(`${name} does not serve ${carrier}.`);
    const question = {
      number,
      carrier: carrier ?? carrierFor(provider, number),
      ...(phone !== undefined && { phone }),
      ...(postalCode !== undefined && { postalCode }),
    };
    const { answer, durationMs } = await tryNumber({ db, env, now }, provider, question);
    const scans = answer.kind === 'found' ? answer.scans.map(viewScan) : [];
    return {
      lines: [
        `${name} (${question.carrier}) answered in ${durationMs} ms: ${inWords(answer)}`,
        ...columns(scans.map(({ time, status, location, description }) => [time, status, location, description])),
      ],
      json: {
        provider: name,
        courier_code: question.carrier,
        answer: answer.kind,
        failure: answer.kind === 'failed' ? answer.failure : null,
        message: answer.kind === 'failed' ? answer.message : null,
        duration_ms: durationMs,
        events: scans,
      },
      failed: answer.kind === 'failed' && concernsProvider(answer.failure),
    };
  },
});

function inWords(answer: CarrierAnswer): string {
  switch (answer.kind) {
    case 'found':
      return `${answer.scans.length} events`;
    case 'not_found':
      return 'it does not know the number';
    case 'failed':
      return `${answer.failure}: ${answer.message}`;
    default:
      return answer satisfies never;
  }
}
