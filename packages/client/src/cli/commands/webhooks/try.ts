import { columns } from '@pts/core/terminal';
import { command } from '../../command.ts';
import { EXIT } from '../../problem.ts';

export const testWebhook = command({
  name: 'webhooks test',
  about: 'Sends a signed ping, by default to the newest webhook. Exit code 1 if it is not accepted.',
  takes: ['ID?'],
  options: {},
  async run({ client, signal, print }, { ID }) {
    const result = await client().webhooks.test(ID, { signal });
    const { reachable, http_status, response_ms, error } = result;
    const answered = reachable ? `${http_status} in ${response_ms} ms` : 'no answer';
    print(result, () => [error === undefined ? answered : `${answered}: ${error}`]);
    return error === undefined ? EXIT.ok : EXIT.failed;
  },
});

export const checkWebhook = command({
  name: 'webhooks check',
  about: 'Checks whether a receiver verifies pushes, and says what to fix. Exit code 1 if it does not.',
  takes: ['ID'],
  options: {},
  async run({ client, signal, print }, { ID }) {
    const result = await client().webhooks.check(ID, { signal });
    print(result, () =>
      columns(
        result.checks.map(({ name, expected, http_status, response_ms, passed, advice }) => [
          passed ? 'passed' : 'FAILED',
          name,
          `expected ${expected}, got ${http_status} in ${response_ms} ms`,
          advice ?? '',
        ]),
      ),
    );
    return result.passed ? EXIT.ok : EXIT.failed;
  },
});
