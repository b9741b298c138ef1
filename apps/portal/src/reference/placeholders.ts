/**
 * The placeholder for the address of the service in samples and guides; the page puts in the address that it was
 * loaded from.
 */
export const EXAMPLE_HOST = 'https://api.example.com';

/** The placeholder for the key in samples. For a reader who is signed in with a test key, the page puts that in. */
export const EXAMPLE_KEY = 'YOUR_API_KEY';
/** The placeholder of a platform's key, which the page never puts in. */
export const EXAMPLE_OPERATOR_KEY = 'YOUR_OPERATOR_KEY';
/** The placeholder for the key in the code of guides. */
export const GUIDES_KEY = 'tk_test_…';
