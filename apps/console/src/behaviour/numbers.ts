/** The shortest and longest numbers that the service takes, once spaces and hyphens are gone. */
const NUMBER = /^[A-Z0-9]{5,50}$/;
/** In a column or a list, numbers are separated by line breaks, commas, semicolons or tabs; spaces belong to them. */
const SEPARATORS = /[\n\r,;\t]+/;

/** A number in its normal form. */
function normalNumber(text: string): string {
  return text.replaceAll(/[\s-]/g, '').toUpperCase();
}

/** The possible tracking numbers in a text, each once, in their order. */
export function numbersIn(text: string): string[] {
  const numbers = text.split(SEPARATORS).map(normalNumber);
  return [...new Set(numbers.filter((number) => NUMBER.test(number)))];
}
