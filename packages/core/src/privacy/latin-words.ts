/** Words in Latin letters that stand where names do. */
const LATIN_ROLES = new Set(
  `the a an your our his her their its this that you it us me
  recipient receiver addressee consignee customer client resident neighbour neighbor reception receptionist security
  concierge doorman porter agent sender shipper consignor courier driver carrier postman rider front desk mailroom mail
  room household member family employee colleague office dock manager owner tenant adult person someone another other
  customs depot hub center centre facility warehouse terminal station branch shop store locker parcel package packet
  shipment item letter post postal service services express logistics delivery partner point counter airport port gate
  mailbox porch door garage shed safe place and or of in on at to for from with by is was has have will be being been
  not no yes via per as who which number no. order reference tracking signature proof electronic image recorded
  required obtained waived available today tomorrow yesterday monday tuesday wednesday thursday friday saturday sunday
  january february march april may june july august september october november december
  dhl ups fedex usps gls dpd tnt ems evri hermes yodel postnord correos aramex inpost purolator ontrac lasership amazon
  call phone telephone mobile cell contact tel please hotline support help team ask whatsapp
  code pin pin-code otp tan mtan abholcode abhol-code abhol-pin
  out left arrived departed delivered attempted assigned dispatched collected picked up unable could couldn't can cannot
  cancelled canceled rejected requested scheduled accepted returned notified completed started waiting nearby held moved
  on off en route loaded unloaded scanned processed sorted cleared released received signed handed transferred failed
  no-one nobody none unknown self direct
  royal canada australia deutsche poste poczta la swiss singapore hong kong japan china yunda sf zto yto
  dem den der die das des ein eine einem einen im am zum zur und oder auf für mit von bei nach vor wurde wird ist hat
  empfänger empfängerin absender absenderin nachbar nachbarn nachbarin filiale packstation paketshop zusteller zustellerin
  kurier fahrer fahrerin person bevollmächtigten hausbewohner mitbewohner
  le les un une du de et ou votre son sa ses destinataire expéditeur voisin voisine gardien gardienne accueil facteur
  livreur point relais bureau guichet client cliente tiers
  el los las una unos y o su sus destinatario destinataria remitente vecino vecina portero conserje recepción oficina
  il lo gli uno e suo mittente vicino vicina portiere ufficio titolare
  người nhận bưu tá sđt đt
  o os as um uma seu sua destinatário destinatária remetente vizinho vizinha porteiro portaria`
    .split(/\s+/)
    .filter((word) => word !== ''),
);

/** Whether a word in Latin letters is a role, a place of the carrier or a function word, not part of a name. */
export function isLatinRole(word: string): boolean {
  return LATIN_ROLES.has(word.toLowerCase());
}
