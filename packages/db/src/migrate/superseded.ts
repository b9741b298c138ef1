import type { Identity } from './recorded.ts';

/**
 * Files of migrations that were changed between two releases, after development versions had applied them: their indexes
 * moved into online migrations. The former file and the new ones lead to the same schema.
 */
const SUPERSEDED: Readonly<Record<string, string>> = {
  '20261124010000_subscriptions': '67c55a8149f7fb89e8f2f4d6701ec7e2e568eff45092d020e414b3dd46621e40',
  '20261124020000_candidates': '7f5e436851cdd4062cdddf9f3a974b69f714c2afe07b81fefe33c9e039c87878',
  '20261125100000_check_slots': '195b6584f9546d7a83e7818dfe74ecb6fd381e85eab1f06f4c95e048614ec524',
  '20261125120000_releases': 'e314efa615b00114d31e071af839e70e39558fea554eb0baea217589ba53e26e',
  '20261128010000_unknown_numbers': 'e9910f367ca7df48c7a4f063f750a969ca0260611fb27e71e8aed2bf9a98bfcf',
  '20261202020000_bulk_actions_and_test_accounts': 'b85aa19583c0c4b06aa8166de1883ba5ef1260aae44c3775c3097f78e311ab05',
};

/** Whether a database that has applied a migration's file with this checksum needs nothing of its present file. */
export function isSuperseded({ name, checksum }: Identity): boolean {
  return SUPERSEDED[name] === checksum;
}
