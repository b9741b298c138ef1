/** The view of keys: a part of its own. */
export { Keys } from './keys/keys.tsx';
