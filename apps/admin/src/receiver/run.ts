import type { Context } from '../command-line/command.ts';
import { Problem } from '../command-line/problem.ts';
import { describeFaults } from './faults.ts';
import type { ReceiverSettings } from './options.ts';
import { coloured, documentOf, linesOf, plain } from './present.ts';
import { type Registration, register } from './register.ts';
import { type Listener, type LocalReceiver, serve } from './serve.ts';

export type ReceiverRun = ReceiverSettings & { json: boolean };

/** Receives until Ctrl-C, then cleans up. */
export async function runReceiver(context: Context, run: ReceiverRun): Promise<void> {
  const interrupted = context.interrupted();
  const listener = run.json ? tellPrograms(context) : tellPeople(context);
  const receiver = await listen(context, run, listener);
  try {
    const url = localUrl(run.host, receiver.port);
    const registration = await registerAt(context, run.register, url);
    try {
      receiver.trust([...(registration ? [registration.secret] : []), ...run.secrets]);
      introduce(context, run, { url, registration });
      await aborted(interrupted);
      context.out(''); // the terminal shows ^C
    } finally {
      await leave(context, registration);
    }
  } finally {
    await close(context, receiver);
  }
}

async function listen(context: Context, run: ReceiverRun, listener: Listener): Promise<LocalReceiver> {
  const options = { ...run, now: context.now, listener };
  try {
    return await serve(options);
  } catch (error) {
    if (!run.anyPort || !(error instanceof Problem)) throw error;
    return await serve({ ...options, port: 0 });
  }
}

async function registerAt(
  context: Context,
  requested: ReceiverRun['register'],
  url: string,
): Promise<Registration | null> {
  if (requested === null) return null;
  try {
    return await register(requested, requested.url ?? url);
  } catch (error) {
    // The ready file of a killed service still exists.
    if (requested.isRequested || !(error instanceof Problem)) throw error;
    context.note(`Not registered. ${error.message}`);
    return null;
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
    if (registration.wasThere) out('It was already registered: it has a new secret and stays registered.');
    out(`Secret ${registration.secret}`);
  } else if (secrets.length === 0)
    out('Not registered with a service, and WEBHOOK_SECRET is not set: pushes are shown, but NOT verified.');
  const broken = describeFaults(faults);
  if (broken) out(`It ${broken}.`);
  out('Press Ctrl-C to stop.\n');
}

async function leave({ out }: Context, registration: Registration | null): Promise<void> {
  if (!registration || registration.wasThere) return;
  await registration.remove();
  out(`The webhook ${registration.id} is removed.`);
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
    stray: ({ method, path }) => out(paint('dim', `${method} ${path}: not a push, answered 405`)),
  };
}

function tellPrograms({ line }: Context): Listener {
  const print = (document: object) => line(JSON.stringify(document));
  return {
    arrived: (arrival) => print(documentOf(arrival)),
    gaveUp: ({ messageId }, afterMs) => print({ type: 'gave_up', message_id: messageId, after_ms: afterMs }),
    stray: (request) => print({ type: 'stray', ...request }),
  };
}

/** The URL under which this machine reaches it. */
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
