import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { findMonitoring, startReadyServer } from './ready-server.ts';

/** Debian's Alertmanager 0.25 reads its templates here, wherever it is itself. */
const TEMPLATES = '/usr/share/prometheus/alertmanager';

/** Starts an Alertmanager with these settings, which are those of its file. */
export async function startAlertmanager(settings: object): Promise<{ url: string; stop(): Promise<void> }> {
  return startReadyServer({
    ...(await findAlertmanager()),
    files: { 'config.yaml': settings },
    args: (dir, address) => [
      `--config.file=${dir}/config.yaml`,
      `--storage.path=${dir}/data`,
      `--web.listen-address=${address}`,
      // It is alone.
      '--cluster.listen-address=',
    ],
  });
}

/** One that is only unpacked gets a copy which reads its templates where it runs. */
async function findAlertmanager() {
  const found = await findMonitoring('prometheus-alertmanager', '0.25');
  const { server, home } = found;
  if (home === undefined || existsSync(TEMPLATES)) return found;
  const copy = `${server}-unpacked`;
  if (!existsSync(copy)) {
    const here = '.'.padEnd(TEMPLATES.length, '/');
    const program = readFileSync(server, 'latin1').replaceAll(TEMPLATES, here);
    writeFileSync(`${copy}.${process.pid}`, program, { encoding: 'latin1', mode: 0o755 });
    renameSync(`${copy}.${process.pid}`, copy);
  }
  return { ...found, server: copy, cwd: join(home, TEMPLATES) };
}
