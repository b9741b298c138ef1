/** The service searches for three characters or more, or for two if one of them is not ASCII. */
const ASCII = /^[ -~]*$/;
const MIN_SEARCHED = 3;
const MIN_SEARCHED_WIDE = 2;
const MAX_SEARCHED = 100;

/** Whether a text is long enough to search for. */
export function isSearchable(text: string): boolean {
  const { length } = [...text.trim()];
  return length >= (ASCII.test(text) ? MIN_SEARCHED : MIN_SEARCHED_WIDE) && length <= MAX_SEARCHED;
}
