import { freeText, id, idOrEmpty, pageLimit } from '@pts/contract/common';
import { statusCode } from '@pts/contract/deliveries';
import { pageSettingsChange } from '@pts/contract/pages';
import { merchantFields, phone, registrationInputs } from '@pts/contract/trackings';
import type { ErrorObject } from 'ajv';

/** The messages for patterns. */
const FORMS: Record<string, string> = {
  [freeText(0).pattern]: 'must not contain control characters such as NUL, tab or line break',
  [id.pattern]: 'must be an id from the API: 24 lowercase hexadecimal characters',
  [idOrEmpty.pattern]: 'must be an id from the API: 24 lowercase hexadecimal characters',
  [phone.pattern]:
    'must be a phone number or its last four digits: 4 to 15 digits, optionally with +, spaces, hyphens, dots and brackets',
  [registrationInputs.destination_country.pattern]: 'must be a two-letter country code, such as CN',
  [pageLimit.pattern]: 'must be a whole number from 1 to 200',
  [merchantFields.metadata.propertyNames.pattern]: 'must not be empty or contain control characters',
  [pageSettingsChange.properties.logo.pattern]: 'must be base64, without a data: prefix',
  [statusCode.pattern]: 'must be an HTTP status from 100 to 999, or 0 for no response',
};

/** What a value must be like that does not match a pattern. */
export function formOf(pattern: string, parentSchema: ErrorObject['parentSchema']): string {
  const known = FORMS[pattern];
  if (known !== undefined) return known;
  const [example] = (parentSchema as { examples?: readonly unknown[] } | undefined)?.examples ?? [];
  return example === undefined
    ? 'contains characters that are not allowed or has the wrong format'
    : `must have the format of ${example}`;
}
