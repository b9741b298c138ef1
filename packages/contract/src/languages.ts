import { LANGUAGES } from '@pts/core/languages/texts';

/** The language of texts, as a query parameter. */
export const lang = {
  type: 'string',
  maxLength: 35,
  description: `Adds \`status_text\` and \`sub_status_text\` in this language (${LANGUAGES.join(', ')}; \`pt-BR\` counts as \`pt\`), in a tracking \`events_lang\`, and in a shipment \`latest_event_lang\`. Without it, or with another language, \`Accept-Language\` decides; if that names none of these either, there are no such texts.`,
  examples: ['de'],
} as const;
/** The texts that `lang` adds. */
export const statusTexts = {
  status_text: {
    type: 'string',
    description: '`status` in words, in the language of the request; absent if it names none.',
    examples: ['Out for delivery'],
  },
  sub_status_text: {
    type: 'string',
    description: '`sub_status` in words, in the language of the request; absent if it names none.',
    examples: ['Ready for pick-up'],
  },
} as const;

/** The language of carriers' texts. */
export const eventsLang = {
  type: 'string',
  description:
    'The language in which the carrier wrote the `events` (BCP 47), if it is known and the same for all; only if the request names a language.',
  examples: ['zh'],
} as const;

/** The language of the carrier's text in a row of a list. */
export const latestEventLang = {
  type: 'string',
  description:
    'The language in which the carrier wrote `latest_event` (BCP 47), if it is known; only if the request names a language.',
  examples: ['zh'],
} as const;
