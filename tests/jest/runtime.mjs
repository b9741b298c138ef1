import asyncHooks from 'node:async_hooks';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { pathToFileURL } from 'node:url';
import { setFlagsFromString } from 'node:v8';
import { compileFunction } from 'node:vm';
import { register } from 'tsx/esm/api';

const require = createRequire(import.meta.url);
register();
process.setSourceMapsEnabled(true);
// Node 20 optimizes a function once it has run this many bytes of bytecode. By default it needs a fraction of them, and
// optimizes much that few tests run long enough for. Later versions have no such flag.
if (process.version.startsWith('v20.')) setFlagsFromString('--interrupt-budget=1000000');

/** Where jest keeps what listens to the events of a file's tests. */
const HANDLERS = Symbol.for('EVENT_HANDLERS');
const PARAMETERS = ['exports', 'require', 'module'];

/** Jest reads the default export of a module that says that it was one. */
export const __esModule = true;

/**
 * Jest's runtime on Node's own module loader: a worker loads what the files under test import once, for all its files,
 * as the processes of an installation do. Jest's loader would load all of it again for each file, which takes more time
 * than most tests. What a file changes in its process is restored by its environment.
 */
export default class Runtime {
  #release = () => {};

  /** Jest's functions for tests, with a state of their own for each file. */
  requireInternalModule(path) {
    delete globalThis[HANDLERS];
    const original = Object.getOwnPropertyDescriptor(asyncHooks, 'AsyncLocalStorage');
    const stores = [];
    const value = class extends asyncHooks.AsyncLocalStorage {
      constructor(...args) {
        super(...args);
        stores.push(this);
      }
    };
    // Defined, because it cannot be assigned to from Node 22 on.
    Object.defineProperty(asyncHooks, 'AsyncLocalStorage', { value, configurable: true, enumerable: true });
    // Up to Node 22, every promise of a process serves each AsyncLocalStorage that was ever used.
    this.#release = () => {
      for (const store of stores) store.disable();
    };
    try {
      return instanceOf(path);
    } finally {
      Object.defineProperty(asyncHooks, 'AsyncLocalStorage', original);
    }
  }

  async unstable_importModule(path) {
    await import(pathToFileURL(path).href);
  }

  requireModule(path) {
    return require(path);
  }

  unstable_shouldLoadAsEsm() {
    return true;
  }

  teardown() {
    this.#release();
  }

  getSourceMaps() {
    return null;
  }

  getAllCoverageInfoCopy() {
    return undefined;
  }

  setGlobalsForRuntime() {}
  enterTestCode() {}
  leaveTestCode() {}
}

const compiled = new Map();

/** A new instance of a CommonJS module, which is compiled only once. */
function instanceOf(path) {
  const run = compiled.get(path) ?? compileFunction(readFileSync(path, 'utf8'), PARAMETERS, { filename: path });
  compiled.set(path, run);
  const module = { exports: {} };
  run(module.exports, createRequire(path), module);
  return module.exports;
}
