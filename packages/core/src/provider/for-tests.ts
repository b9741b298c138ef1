/**
 * The provider of all parcels of test accounts, and of no others: it plays the stories of the sandbox. Whatever concerns several
 * accounts or providers (routes, pushes, statistics of carriers) leaves it out.
 */
export const TEST_PROVIDER = 'test';
