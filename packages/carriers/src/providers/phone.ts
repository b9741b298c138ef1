/**
 * The last four digits of a phone: what carriers in China compare. Merchants may give the whole number, which some providers
 * take for a wrong one, and in any form.
 */
export function lastFourOf(phone: string): string {
  return phone.replace(/\D/g, '').slice(-4);
}
