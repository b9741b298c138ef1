import { columnsOf, columnsText } from './columns.ts';

test('without a choice, the usual columns are shown, and the address does not name them', () => {
  const { shown, isChosen } = columnsOf(null);
  expect([isChosen, columnsText(shown)]).toEqual([false, null]);
});

test('a choice is kept in the order of the list; unknown names are left out, and there may be none', () => {
  expect(columnsOf('when,colour,carrier')).toEqual({ shown: ['carrier', 'when'], isChosen: true });
  expect(columnsOf('')).toEqual({ shown: [], isChosen: true });
  expect(columnsText(['when', 'created'])).toBe('created,when');
  expect(columnsText([])).toBe('');
});
