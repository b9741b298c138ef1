import { meaningOfCode } from './codes.ts';

test('an unknown code is not guessed, and for a coarse one the text decides', () => {
  for (const code of ['', '305', '1099', 'constructor', '0', '1', '1002'])
    expect(meaningOfCode(code, '')).toBeUndefined();
});

// biome-ignore format: one state per line is readable as a table
test.each([
  // On its way
  ['0', null], ['1001', 'in_transit'], ['1002', null], ['1003', 'in_transit'],
  // Collection
  ['1', null], ['101', 'info_received'], ['102', 'info_received'], ['103', 'in_transit'],
  // Trouble
  ['2', 'exception'], ['201', 'exception'], ['202', 'exception'], ['203', 'exception refused'], ['204', 'exception'],
  ['205', 'available_for_pickup'], ['206', 'exception'], ['207', 'exception'], ['208', 'exception'], ['209', 'exception'],
  ['210', 'exception'],
  // Signed
  ['3', 'delivered'], ['301', 'delivered'], ['302', 'delivered'], ['303', 'delivered'], ['304', 'available_for_pickup'],
  // Back to the sender
  ['4', 'returned'], ['401', 'exception'], ['14', 'exception refused'], ['6', 'exception going_back'],
  // Out for delivery
  ['5', 'out_for_delivery'], ['501', 'available_for_pickup'],
  // Another carrier, customs
  ['7', 'in_transit'], ['8', 'in_transit'], ['10', 'in_transit'], ['11', 'in_transit'], ['12', 'in_transit'], ['13', 'exception'],
])('the documented state %s means %s; null: the text decides', (code, expected) => {
  const meaning = meaningOfCode(code, '');
  expect(meaning ? [meaning.status, meaning.course].filter(Boolean).join(' ') : null).toBe(expected);
});
