/** The service searches for three characters or more, or for two if one of them is not ASCII. */
const ASCII = /^[ -~]*$/;
const MIN_SEARCHED = 3;
const MIN_SEARCHED_WIDE = 2;
const MAX_SEARCHED = 100;

/** Whether a text is long enough to search for. */
export function isSearchable(text: string): boolean {
  const { length } = [...text.trim()];
  return length >= (ASCII.test(text) ? MIN_SEARCHED : MIN_SEARCHED_WIDE);
}

/** What is searched for of a text: its beginning, which finds it as well. */
export function searchedPart(text: string): string {
  return [...text.trim()].slice(0, MAX_SEARCHED).join('');
}
