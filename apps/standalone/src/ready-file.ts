import { renameSync, writeFileSync } from 'node:fs';

export type Ready = {
  base_url: string;
  api_key: string;
  sandbox_url: string;
  database_url: string;
  redis_url: string | null;
  settings: Readonly<Record<string, string | undefined>>;
};

/** The banner for programs. The file is written atomically once everything runs. */
export function writeReadyFile(file: string, ready: Ready): void {
  writeFileSync(`${file}.partial`, `${JSON.stringify(ready, null, 2)}\n`, { mode: 0o600 });
  renameSync(`${file}.partial`, file);
}
