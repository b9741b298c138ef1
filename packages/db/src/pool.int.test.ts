import { PATIENT, testDatabase } from '@pts/testing/database';
import { DeadlinePool } from './pool.ts';

/**
 * The server's last message may arrive together with the answer after which the connection is handed to the next user.
 */
test('a connection that breaks at the moment it is handed out does not end the process', async () => {
  const database = await testDatabase();
  const pool = new DeadlinePool({ url: database.url, poolSize: 1, ...PATIENT });
  try {
    const breaks = new Promise<void>((resolve, reject) => {
      pool.connect((error, client, done) => {
        if (!client) return reject(error);
        try {
          client.emit('error', new Error('terminating connection due to administrator command'));
          resolve();
        } catch (unheard) {
          reject(unheard);
        } finally {
          done?.(true);
        }
      });
    });
    await expect(breaks).resolves.toBeUndefined();
    expect((await pool.query('SELECT 1 AS one')).rows).toEqual([{ one: 1 }]);
  } finally {
    await pool.close();
    await database.close();
  }
});
