import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { removePostgres } from '@pts/embedded/postgres';

export type Files = ReturnType<typeof filesIn>;

/** What an installation keeps in its folder. */
export function filesIn(dir: string) {
  return {
    postgres: join(dir, 'postgres'),
    demoKey: join(dir, 'demo-key'),
    encryptionKey: join(dir, 'encryption-key'),
    sandboxState: join(dir, 'sandbox-state.json'),
    ready: join(dir, 'ready.json'),
  };
}

/** Starts an installation over. Only what is ours goes: the folder may hold other things. */
export async function wipe(files: Files, say: (line: string) => void): Promise<void> {
  say('wiping the embedded database and the demo account');
  await removePostgres(files.postgres, say);
  for (const file of [files.demoKey, files.encryptionKey, files.sandboxState, files.ready])
    rmSync(file, { force: true });
}
