/** What stands for a name, a number or a code that was removed. */
export const MASK = '•••';
