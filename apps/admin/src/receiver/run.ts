import type { Context } from '../command.ts';
import { describeFaults } from './faults.ts';
import type { ReceiverSettings } from './options.ts';
import { coloured, documentOf, linesOf, plain } from './present.ts';
import { type Registration, register } from './register.ts';
import { type Listener, type LocalReceiver, serve } from './serve.ts';

export type ReceiverRun = ReceiverSettings & { json: boolean };

/** Receives until it is interrupted, and leaves nothing behind. */
export async function runReceiver(context: Context, run: ReceiverRun): Promise<void> {
  const interrupted = context.interrupted();
  const listener = run.json ? tellPrograms(context) : tellPeople(context);
  const receiver = await serve({ ...run, now: context.now, listener });
  try {
    const url = localUrl(run.host, receiver.port);
    const registration = run.register && (await register(run.register, run.register.url ?? url));
    try {
      receiver.trust([...(registration ? [registration.secret] : []), ...run.secrets]);
      introduce(context, run, { url, registration });
      await aborted(interrupted);
    } finally {
      await leave(context, registration);
    }
  } finally {
    await close(context, receiver);
  }
}

function introduce(
  { out, line }: Context,
  { json, secrets, faults }: ReceiverRun,
  { url, registration }: { url: string; registration: Registration | null },
): void {
  if (json) {
    const webhook = registration && { id: registration.id, url: registration.url, secret: registration.secret };
    line(JSON.stringify({ type: 'listening', url, webhook }));
    return;
  }
  out(`Listening on ${url}`);
  if (registration) {
    out(`Registered as webhook ${registration.id} at ${registration.url}, for all events`);
    if (registration.wasThere) out('It was registered before: its secret is a new one, and it stays registered.');
    out(`Secret ${registration.secret}`);
  } else if (secrets.length === 0) out('No --secret: what comes is shown, but NOT verified.');
  const broken = describeFaults(faults);
  if (broken) out(`It ${broken}.`);
  out('Ctrl-C ends it.\n');
}

async function leave({ out }: Context, registration: Registration | null): Promise<void> {
  if (!registration || registration.wasThere) return;
  await registration.remove();
  out(`\nThe webhook ${registration.id} is removed.`);
}

async function close({ out }: Context, receiver: LocalReceiver): Promise<void> {
  await receiver.close();
  out('Stopped.');
}

function tellPeople({ out, isTerminal, env }: Context): Listener {
  const paint = isTerminal && !env.NO_COLOR ? coloured : plain;
  return {
    arrived: (arrival) => {
      for (const line of linesOf(arrival, paint)) out(line);
    },
    gaveUp: ({ messageId }, afterMs) =>
      out(
        `          ${paint('yellow', `the sender gave up after ${(afterMs / 1000).toFixed(1)} s`)} · message ${messageId}`,
      ),
    stray: ({ method, path }) => out(paint('dim', `${method} ${path}: no push, answered 405`)),
  };
}

function tellPrograms({ line }: Context): Listener {
  const tell = (document: object) => line(JSON.stringify(document));
  return {
    arrived: (arrival) => tell(documentOf(arrival)),
    gaveUp: ({ messageId }, afterMs) => tell({ type: 'gave_up', message_id: messageId, after_ms: afterMs }),
    stray: (request) => tell({ type: 'stray', ...request }),
  };
}

/** The address under which this machine reaches it. */
function localUrl(host: string, port: number): string {
  const reached = host === '0.0.0.0' ? '127.0.0.1' : host === '::' ? '::1' : host;
  return `http://${reached.includes(':') ? `[${reached}]` : reached}:${port}/`;
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve(), { once: true });
  });
}
