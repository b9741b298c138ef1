import { fork } from 'node:child_process';
import { join } from 'node:path';
import { endProcess } from '@pts/testing/app-process';
import type { Push } from '../ledger/facts.ts';
import type { FromReceiver, Manner, ToReceiver } from '../receiver/messages.ts';
import type { Timeline } from '../timeline.ts';

/** The merchants' receivers: a process, an address for each endpoint. */
export type WorldReceivers = {
  url: string;
  /** In the order of their arrival. */
  pushes: readonly Push[];
  /** Sends it the secret of an endpoint, by the path of its address. */
  know(path: string, secret: string): void;
  set(path: string, manner: Manner): void;
  close(): Promise<void>;
};

export async function startWorldReceivers(timeline: Timeline): Promise<WorldReceivers> {
  const child = fork(join(process.cwd(), '.cache/chaos/parts/receiver.mjs'));
  const pushes: Push[] = [];
  const port = await new Promise<number>((known, fail) => {
    child.once('exit', (code) => fail(new Error(`the receivers ended with ${code}`)));
    child.on('message', (message: FromReceiver) => {
      if ('port' in message) return known(message.port);
      pushes.push(message.push);
      const { answered, endpoint } = message.push;
      if (answered >= 200 && answered < 300) timeline.push(performance.now(), endpoint);
    });
  });
  const send = (message: ToReceiver) => void child.send(message);
  return {
    url: `http://127.0.0.1:${port}`,
    pushes,
    know: (path, secret) => send({ path, secret }),
    set: (path, manner) => send({ path, manner }),
    close: () => endProcess(child),
  };
}
