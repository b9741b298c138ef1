import { shownError } from './past-error.ts';

const NOT_PUBLIC = 'dns: the host name does not resolve to a public address';

test.each([
  ['blocked: payments-db.example resolves to a refused address: 10.43.7.9 is a private address', NOT_PUBLIC],
  ['blocked: a.example resolves to a refused address: fd00::1 is a uniqueLocal address', NOT_PUBLIC],
  ['blocked: a.example resolves to a refused address: 4000::1 is not a global address', NOT_PUBLIC],
  ['blocked: a.example resolves to a refused address: x is not an IP address', NOT_PUBLIC],
  ['blocked: a.example resolves to no address', NOT_PUBLIC],
  ['dns: the host name does not resolve', NOT_PUBLIC],
  [
    'check, valid push: blocked: a.example resolves to a refused address: 10.0.0.1 is a private address; 2xx was expected',
    `check, valid push: ${NOT_PUBLIC}; 2xx was expected`,
  ],
])('a record of 0.2.0 shows no address inside the network: %j', (recorded, shown) => {
  expect(shownError(recorded)).toBe(shown);
});

test.each([null, 'status 503', NOT_PUBLIC, 'blocked: url must use https', 'refused: nothing listens at this address'])(
  '%j is shown as it is',
  (error) => {
    expect(shownError(error)).toBe(error);
  },
);
