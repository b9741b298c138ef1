import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { NODE_FLAGS } from '@pts/runtime/process/node-flags';
import { endProcess } from '@pts/testing/app-process';
import { eventually } from '@pts/testing/eventually';
import { type HttpServer, serve } from '@pts/testing/http-server';
import { execForm, last, lineage, parseDockerfile } from '../deployment/dockerfile.ts';
import { apps, exists, read } from '../deployment/repository.ts';

/** How a Dockerfile reads a build argument. */
const variable = (name: string) => `\${${name}}`;

const file = parseDockerfile('docker/Dockerfile');
const stageNames = file.stages.map(({ name }) => name);
const all = file.stages.flatMap(({ instructions }) => instructions);
const ignore = read('.dockerignore')
  .split('\n')
  .filter((line) => line !== '' && !line.startsWith('#'));

describe('docker/Dockerfile', () => {
  test('builds on one pinned Node image, which may be replaced', () => {
    expect(file.args.NODE_IMAGE).toMatch(/^node:\d*[02468](\.\d+\.\d+)?-[a-z]+-slim(@sha256:[0-9a-f]{64})?$/);
    const outside = file.stages.map(({ base }) => base).filter((base) => !stageNames.includes(base));
    expect(new Set(outside)).toEqual(new Set([variable('NODE_IMAGE'), `run-${variable('APP')}`]));
  });

  test('names a licence only if one has been chosen', () => {
    expect(/image\.licenses/.test(read('docker/Dockerfile'))).toBe(exists('LICENSE'));
  });

  test('has an image for every process, and for nothing else', () => {
    const runnable = stageNames.flatMap((name) => (name?.startsWith('run-') ? [name.slice('run-'.length)] : []));
    expect(runnable.sort()).toEqual(apps().sort());
    expect(file.stages.at(-1)).toMatchObject({ name: undefined, base: `run-${variable('APP')}` });
    expect(apps()).toContain(file.args.APP);
  });

  test.each(apps())('%s starts as node itself, under its own name, as a numeric user who is not root', (app) => {
    const image = lineage(file, `run-${app}`);
    const entrypoint = execForm(last(image, 'ENTRYPOINT')) ?? [];
    const command = execForm(last(image, 'CMD')) ?? [];
    const flags = ['--enable-source-maps', ...(app === 'admin' ? [] : NODE_FLAGS)];
    expect(entrypoint.slice(0, 1 + flags.length)).toEqual(['node', ...flags]);
    expect([...entrypoint, ...command]).toContain(`/app/apps/${app}/dist/${app}.mjs`);
    expect(last(image, 'USER')).toMatch(/^[1-9]\d*:[1-9]\d*$/);
    expect(last(image, 'WORKDIR')).toBe('/app');
    expect(
      image
        .filter(({ name }) => name === 'ENV')
        .map(({ rest }) => rest)
        .join(' '),
    ).toMatch(/\bNODE_ENV=production\b.*\bUV_THREADPOOL_SIZE=64\b/);
  });

  test.each(apps())(
    'the health of %s is checked by node, on a port that its image exposes; the command line has no check',
    (app) => {
      const image = lineage(file, `run-${app}`);
      const check = last(image, 'HEALTHCHECK');
      if (app === 'admin') return expect(check).toBe('NONE');
      const [node, script, path, variable] = execForm(check) ?? [];
      expect([node, script, path]).toEqual(['node', '/app/healthcheck.mjs', '/healthz']);
      const settings = image.filter(({ name }) => name === 'ENV').flatMap(({ rest }) => rest.split(' '));
      const port = settings.find((setting) => setting.startsWith(`${variable}=`))?.split('=')[1];
      expect(last(image, 'EXPOSE')?.split(' ')).toContain(port);
    },
  );

  test('runs nothing in the final image and copies only built files', () => {
    const runtime = lineage(file, 'runtime');
    expect(runtime.filter(({ name }) => name === 'RUN')).toEqual([]);
    expect(runtime.filter(({ name }) => name === 'COPY').map(({ flags, rest }) => [...flags, rest].join(' '))).toEqual([
      '--chmod=444 docker/healthcheck.mjs ./',
      '--from=build /out/ ./',
    ]);
  });

  test('puts the migrations into the image that migrates alone', () => {
    const copies = lineage(file, 'build').filter(({ rest }) => rest.includes('prisma/migrations'));
    expect(copies.map(({ rest }) => rest.split(';')[0])).toEqual(['if [ "$APP" = admin ]']);
  });

  test('installs what is locked, runs no install scripts, and does so before sources come in', () => {
    const build = lineage(file, 'build').map(({ name, rest }) => `${name} ${rest}`);
    const install = build.findIndex((line) => / ci --ignore-scripts$/.test(line));
    expect(install).toBeGreaterThan(0);
    expect(build[install]).toContain(`npx --yes "$(node -p 'require("./package.json").packageManager')"`);
    expect(build.indexOf('COPY package.json package-lock.json .npmrc ./')).toBeLessThan(install);
    for (const folder of ['apps', 'packages'])
      expect(build.indexOf(`COPY ${folder} ${folder}`)).toBeGreaterThan(install);
    expect(build.indexOf('ARG APP')).toBeGreaterThan(install);
  });

  test('fetches nothing on its own: no ADD, no system packages, no downloads', () => {
    expect(all.filter(({ name }) => name === 'ADD')).toEqual([]);
    const commands = all
      .filter(({ name }) => name === 'RUN')
      .map(({ rest }) => rest)
      .join('\n');
    expect(commands).not.toMatch(/\b(apt|apt-get|curl|wget|npm (i|install)|sudo)\b/);
  });

  test('copies only existing files that .dockerignore allows', () => {
    const sources = all
      .filter(({ name, flags }) => name === 'COPY' && !flags.some((flag) => flag.startsWith('--from')))
      .flatMap(({ rest }) => rest.split(' ').slice(0, -1));
    expect(sources.filter((source) => !exists(source))).toEqual([]);
    expect(sources.filter((source) => !ignore.includes(`!${source}`))).toEqual([]);
    const used = [...new Set(sources)].map((source) => `!${source}`).sort();
    expect(ignore.filter((line) => line.startsWith('!')).sort()).toEqual(used);
  });
});

test('.dockerignore excludes everything that is not named, and everything that the build creates', () => {
  expect(ignore[0]).toBe('*');
  const lastAllowed = ignore.findLastIndex((line) => line.startsWith('!'));
  for (const pattern of ['**/node_modules', '**/dist', '**/.env*']) {
    expect(ignore.indexOf(pattern)).toBeGreaterThan(lastAllowed);
  }
});

describe('docker/healthcheck.mjs', () => {
  const script = join(import.meta.dirname, '../../docker/healthcheck.mjs');

  function check(port: number): Promise<number> {
    return new Promise((resolve) => {
      const child = execFile(process.execPath, [script, '/healthz', 'SOME_PORT'], { env: { SOME_PORT: String(port) } });
      child.on('exit', (code) => resolve(code ?? -1));
    });
  }

  test.each([
    [200, 0],
    [503, 1],
  ])('a response of %i gives exit code %i', async (status, code) => {
    const paths: (string | undefined)[] = [];
    const server = await serve((request, response) => {
      paths.push(request.url);
      response.writeHead(status).end();
    });
    const exit = await check(Number(new URL(server.url).port));
    await server.close();
    expect({ exit, paths }).toEqual({ exit: code, paths: ['/healthz'] });
  });

  test('no response gives exit code 1', async () => {
    expect(await check(1)).toBe(1);
  });

  describe('with a number of failures', () => {
    const MOST = '2';
    let folder: string;
    let server: HttpServer;
    let isAlive = true;
    /** In place of process 1. */
    let main: ChildProcess;
    beforeEach(async () => {
      folder = mkdtempSync(join(tmpdir(), 'pts-healthcheck-'));
      isAlive = true;
      // As while a store is away: alive, but not ready.
      server = await serve((request, response) => {
        response.writeHead(isAlive && request.url === '/healthz' ? 200 : 503).end();
      });
    });
    afterEach(async () => {
      await endProcess(main);
      await server.close();
      rmSync(folder, { recursive: true });
    });

    const ended = () => main.exitCode !== null || main.signalCode !== null;
    const looks = async (times: number) => {
      for (let n = 0; n < times; n++) await look();
    };
    const look = () =>
      new Promise<void>((resolve) => {
        const args = [script, '/readyz', 'SOME_PORT', MOST, String(main.pid)];
        const env = { SOME_PORT: new URL(server.url).port, TMPDIR: folder };
        execFile(process.execPath, args, { env }).once('exit', () => resolve());
      });

    test('a process that is alive but not ready is left alone, and so is one that has not been alive yet', async () => {
      main = spawn('sleep', ['1000']);
      isAlive = false;
      await looks(4);
      isAlive = true;
      await looks(4);
      isAlive = false;
      await looks(1);
      expect(ended()).toBe(false);
    });

    test('one that was alive and is not any more gets SIGTERM', async () => {
      main = spawn('sleep', ['1000']);
      await looks(1);
      isAlive = false;
      await looks(2);
      await eventually(() => expect(main.signalCode).toBe('SIGTERM'));
    });

    test('if that does not help, what init runs is killed', async () => {
      main = spawn('sh', ['-c', 'trap "" TERM; echo ready; sleep 1000; exit 7']);
      await once(main.stdout as Readable, 'data');
      await looks(1);
      isAlive = false;
      await looks(2);
      expect(ended()).toBe(false);
      await looks(1);
      await eventually(() => expect(main.exitCode).toBe(7));
    });
  });
});
