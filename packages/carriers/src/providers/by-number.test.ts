import { answerByNumber } from './by-number.ts';

const numbersOf = (item: Record<string, unknown>) => [String(item.number)];
const [A, B] = ['A12345', 'B12345'].map((number) => ({ number, carrier: 'usps' })) as [
  { number: string; carrier: string },
  { number: string; carrier: string },
];
const answer = (asked: typeof A, ...numbers: string[]) =>
  answerByNumber(
    numbers.map((number) => ({ number })),
    numbersOf,
    { asked, all: [A, B], provider: 'X' },
    (items) => ({ kind: 'found', scans: [], otherNumber: `${items.length}` }),
  );

test('a number is found at any position, in any spelling', () => {
  expect(answer(A, 'B12345', 'a-123 45')).toMatchObject({ kind: 'found', otherNumber: '1' });
  expect(answer(A, 'A12345', 'A12345')).toMatchObject({ otherNumber: '2' });
});

test('a number without an item is not registered; one that was not requested is a mix-up', () => {
  expect(answer(B, 'A12345')).toEqual({ kind: 'not_found', isUnregistered: true });
  expect(answer(B, 'A12345', 'Z99999')).toMatchObject({ kind: 'failed', failure: 'unreadable' });
});

test('without a number, as for raw answers, the first item counts', () => {
  expect(answer({ number: '', carrier: '' }, 'Z99999')).toMatchObject({ kind: 'found' });
});
