// How a script begins. Like node-version.mjs, it is read by any Node; what needs a newer one is imported later.
import './node-version.mjs';

/**
 * Sets the checkout up, then does the work of a script, which gets functions of lib.mjs. Problems of either end the
 * process as those of a command line tool.
 */
export async function begin(setup, work) {
  const { endWithNpm, fail, ROOT, run, runInTerminal } = await import('./lib.mjs');
  endWithNpm();
  try {
    const { setUp } = await import('./setup.mjs');
    await setUp(setup);
    return await work({ fail, ROOT, run, runInTerminal });
  } catch (error) {
    return fail(error);
  }
}
