import { compatV4 } from '../compat-v4.ts';
import { operations } from '../endpoints/index.ts';
import { createValidator } from './validate.ts';

type Schema = { pattern?: string };

/** Every schema with a pattern that is checked in another, also those of the names of entries. */
function formsIn(schema: object): { form: Schema; isName: boolean }[] {
  return Object.entries(schema).flatMap(([key, value]: [string, unknown]) => {
    if (typeof value !== 'object' || value === null || key === 'documented') return [];
    const own = 'pattern' in value ? [{ form: value as Schema, isName: key === 'propertyNames' }] : [];
    return [...own, ...formsIn(value)];
  });
}

const forms = [...operations, ...compatV4].flatMap(({ request }) => formsIn(request));
const rows = [...new Map(forms.map((row) => [row.form.pattern, row] as const)).values()];

test.each(rows)('a value that does not match $form.pattern is refused with a reason', ({ form, isName }) => {
  const wrong = ['\u0001', '', '%'].find((text) => !new RegExp(form.pattern ?? '').test(text)) ?? '';
  const field = isName ? { type: 'object', propertyNames: form } : form;
  const validate = createValidator({ type: 'object', properties: { field } });
  expect(() => validate({ field: isName ? { [wrong]: '' } : wrong })).toThrow(/^Invalid: field /);
  expect(() => validate({ field: isName ? { [wrong]: '' } : wrong })).not.toThrow(/has the wrong format/);
});
