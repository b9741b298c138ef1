/**
 * The placeholder for the address of the service in samples and guides; the page puts in the address that it was
 * loaded from.
 */
export const EXAMPLE_HOST = 'https://api.example.com';
