import { command } from '../command.ts';
import { RECEIVER_OPTIONS, readReceiverOptions } from '../receiver/options.ts';
import { runReceiver } from '../receiver/run.ts';

export const receiver = command({
  name: 'receiver',
  takes: [],
  options: RECEIVER_OPTIONS,
  about: 'Receive pushes on this machine: verify and show each, or play broken. Until Ctrl-C.',
  async run(context, input) {
    await runReceiver(context, { ...readReceiverOptions(context, input), json: input.json });
    return { lines: [], json: undefined };
  },
});
