import { command } from '../command-line/command.ts';
import { RECEIVER_OPTIONS, readReceiverOptions } from '../receiver/options.ts';
import { runReceiver } from '../receiver/run.ts';

export const receiver = command({
  name: 'receiver',
  takes: [],
  options: RECEIVER_OPTIONS,
  secrets: { secret: 'WEBHOOK_SECRET', 'api-key': 'API_KEY' },
  about:
    'Receive, verify and show pushes on this machine until Ctrl-C, or simulate a fault. Registers itself with the service' +
    ' of npm start, if it runs; otherwise it verifies with WEBHOOK_SECRET (several secrets separated by commas).',
  async run(context, input) {
    await runReceiver(context, { ...readReceiverOptions(context, input), json: input.json });
    return { lines: [], json: undefined };
  },
});
