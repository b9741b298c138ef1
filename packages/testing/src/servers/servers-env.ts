/** The addresses of the tests' servers. `npm test` starts them and sets these variables. */
export function testServer(variable: 'TEST_DATABASE_URL' | 'TEST_REDIS_URL'): string {
  const url = process.env[variable];
  if (url) return url;
  throw new Error(
    `${variable} is not set: run \`npm test -- <path of the test>\`, which starts the servers that tests need`,
  );
}
