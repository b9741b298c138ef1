import type { ScanStatus } from '@pts/core/tracking/status';
import { GOING_BACK, type Meaning, REFUSED } from './meaning.ts';

/**
 * The meaning of a text, the pattern that recognises it, and a sentence for it. Patterns match texts in small letters
 * without accents (`ł`, `ß`, `ı` and `ø` are read as `l`, `ss`, `i` and `o`). The first entry of a table that matches
 * decides.
 */
export type Entry = readonly [ScanStatus | Meaning, RegExp, example: string];
export type TextLanguage = 'de' | 'fr' | 'es' | 'pt' | 'it' | 'nl' | 'pl' | 'tr' | 'ja' | 'ko' | 'ru';

/**
 * The tables of the languages besides Chinese and English. Their order is the same: what has not been handed over,
 * refusals, loss, cancellations, failed attempts, what waits, what is only planned, the round, deliveries. What only
 * moves needs no entry.
 */
// biome-ignore format: one entry per line is readable as a table
export const LANGUAGES: Readonly<Record<TextLanguage, readonly Entry[]>> = {
  de: [
    [REFUSED, /verweiger|annahme[^.]{0,30}abgelehnt|nicht angenommen/, 'Die Annahme der Sendung wurde verweigert.'],
    ['exception', /nachverpack/, 'Die Sendung wurde beschädigt und zur Nachverpackung gebracht.'],
    [GOING_BACK, /rucksendung|zuruckgesandt|zuruckgeschickt|an den (?:absender|versender)\b|retoure/, 'Die Sendung wird an den Absender zurückgeschickt.'],
    ['exception', /storniert|abgebrochen|annulliert/, 'Der Auftrag wurde storniert.'],
    ['info_received', /angekundigt|auftragsdaten|sendungsdaten|noch nicht (?:an|bei|von) [^.]{0,30}(?:ubergeben|eingegangen|erhalten)|elektronisch[^.]{0,20}ubermittelt|(?:label|versandschein|etikett)[^.]{0,20}erstellt/, 'Die Sendung wurde elektronisch angekündigt.'],
    ['exception', /nicht angetroffen[^a-z]{1,3}(?:die sendung |das paket |sie )?wird\b/, 'Empfänger nicht angetroffen. Die Sendung wird zur Abholung in die Filiale gebracht.'],
    ['in_transit', /\bwird\b[^.]{0,80}\b(?:gebracht|transportiert|vorbereitet|weitergeleitet)/, 'Die Sendung wird zur Abholung in die Filiale gebracht.'],
    ['available_for_pickup', /(?:filiale|packstation|paketshop|paketkasten|postfach|abholstelle|abholstation|paketstation|depot)[^.]{0,60}(?:abgeholt werden|abholbereit|abholung|bereit|eingestellt|hinterlegt|liegt|gelagert)|(?:hinterlegt|eingestellt|liegt|bereit|abholbereit|abholung)[^.]{0,60}(?:filiale|packstation|paketshop|abholstelle|paketstation)|liegt[^.]{0,40}(?:zur abholung|bereit)|abholbereit|zur abholung bereit/, 'Die Sendung liegt in der Filiale zur Abholung bereit.'],
    ['available_for_pickup', /\bwurde in die (?:filiale|packstation)\b[^.]{0,80}eingeliefert/, 'Die Sendung wurde in die Filiale eingeliefert.'],
    ['exception', /nicht[^.]{0,60}(?:zugestellt|zustell|moglich|erfolgreich|angetroffen|ermittelt|erreicht|ausgeliefert)|(?:zugestellt|zustellung|angetroffen)[^.]{0,30}nicht|niemand(?:en)? (?:angetroffen|da|zuhause|zu hause)|abwesend|\bgeschlossen|benachrichtigungskarte/, 'Der Empfänger wurde nicht angetroffen.'],
    ['exception', /fehlgeschlagen|erfolglos|beschadigt|verzoger|verspat|unzustellbar|verlust|verloren|abhanden|vernichtet|zuruckgehalten|angehalten|adresse[^.]{0,20}(?:fehlerhaft|unvollstandig|falsch|unbekannt|unzureichend)|empfanger unbekannt|zustellhindernis/, 'Die Zustellung ist fehlgeschlagen.'],
    ['in_transit', /vorbereite|vorbereitung|verladung/, 'Die Sendung wurde für die Verladung ins Zustellfahrzeug vorbereitet.'],
    ['in_transit', /\b(?:am nachsten|morgen|voraussichtlich|geplant|erneut)\b/, 'Die Sendung wird voraussichtlich morgen zugestellt.'],
    ['out_for_delivery', /zustellfahrzeug|in zustellung|in auslieferung|auf dem weg zu (?:ihnen|ihrem|dem empfanger)|\b(?:zusteller|fahrer|bote)n?\b[^.]{0,40}(?:unterwegs|ubergeben|geladen)|heute[^.]{0,30}zugestellt|zustelltour/, 'Die Sendung wurde in das Zustellfahrzeug geladen.'],
    ['in_transit', /\bwird\b|\bwerden\b|zur zustellung/, 'Die Sendung wird zur Zustellbasis transportiert.'],
    ['delivered', /zugestellt|ausgeliefert|ausgehandigt|zustellung erfolgreich|ubergabe erfolgt|(?:vom|durch den) empfanger[^.]{0,20}(?:abgeholt|entgegen)|abgeholt durch empfanger|(?:nachbarn?|ablageort|ablagevertrag|wunschort|abstellort|garagenvertrag|briefkasten|haustur|rezeption)[^.]{0,30}(?:abgegeben|hinterlegt|ubergeben|abgestellt|eingelegt|gelegt|abgelegt)|(?:sendung|paket) (?:wurde )?abgeholt\b(?! und)/, 'am vereinbarten Ablageort hinterlegt'],
  ],
  fr: [
    [REFUSED, /\brefus\w{0,3}\b/, 'Le destinataire a refusé le colis.'],
    ['info_received', /pre-?annonce|a ete annonce|en cours de preparation|pret a etre (?:pris en charge|expedie|remis)|prepare par (?:l.|votre |son )?(?:exp|vend)|attente de (?:prise en charge|remise|depot)|etiquette[^.]{0,20}(?:creee|generee|imprimee)|(?:informations?|donnees)[^.]{0,50}(?:recues?|transmises?|enregistrees?)|commande (?:creee|enregistree)|pas encore[^.]{0,20}(?:remis|pris en charge|confie|recu)|bientot nous etre confie/, 'Votre colis est en cours de préparation par son expéditeur.'],
    ['exception', /\b(?:perdue?s?|perte|egaree?s?|vole)\b|endommage|avarie|casse|detruit|spolie/, 'Votre colis a été endommagé.'],
    ['exception', /annule/, "L'envoi a été annulé."],
    ['exception', /(?:\bn'\w{1,2}|\bpas|\bnon) (?:pu |ete )?(?:etre )?(?:livr|distrib|remi|present)|impossib|non (?:livr|distrib|remi)|echec|infructueu|absent|tentative|report(?:ee?|er) (?:pour|suite)|incorrecte?|incomplete?|insuffisante?|inconnu|inaccessible|retard|incident|anomalie|n.habite|boite (?:aux lettres )?(?:trop|satur)|ferme\b|fermeture|bloque|retenu/, "Le colis n'a pas pu être livré, destinataire absent."],
    ['available_for_pickup', /(?:disponible|attend|a retirer|mis a disposition|en attente de retrait|peut etre retire|peut desormais etre retire)[^.]{0,80}|(?:depose|livre|arrive|remis)\w{0,2} (?:a|au|dans|en|chez|votre|dans votre) (?:votre |un |le |la )?(?:point|relais|bureau de poste|consigne|commerce|locker)/, 'Votre colis est disponible en point de retrait.'],
    ['in_transit', /\b(?:sera|seront|va etre|prevue?|programmee?|prochain\w{0,6}|reprogramme\w{0,2}|nouvelle presentation)\b/, 'La livraison est prévue demain.'],
    ['out_for_delivery', /en (?:cours de |tournee de |route pour )?livraison|en cours de distribution|en distribution|en tournee|avec (?:le|notre) (?:livreur|facteur|chauffeur)|(?:livreur|facteur|chauffeur)[^.]{0,30}(?:en route|charge)|charge[^.]{0,20}(?:camion|vehicule)|pris en charge par (?:le|notre) (?:livreur|facteur)|en vue de sa (?:distribution|livraison)|preparation (?:de|pour) (?:la |sa )?(?:distribution|livraison)/, 'Votre colis est en cours de livraison.'],
    ['delivered', /\b(?:livree?s?|distribuee?s?)\b(?! (?:par|d|entre) )|livraison (?:a ete )?(?:effectuee|terminee|reussie|realisee)|remise?s? (?:au|a la|a son|contre|en main|en boite|a un|chez)|\bretiree?\b|depose\w{0,2} dans (?:votre |la )?boite/, 'Votre colis est livré.'],
  ],
  es: [
    [REFUSED, /rehusad|rechazad|rechaza (?:el|la)|no acepta (?:el|la)|rehusa/, 'Envío rehusado por el destinatario'],
    ['info_received', /pre-?r?registrad|pre-?admi|pre-?anunci|informacion[^.]{0,40}(?:recibid|registrad|electronic)|(?:etiqueta|guia|orden|documentacion|envio|pedido)[^.]{0,20}\b(?:cread|generad|grabad)|^grabad[oa]$|pendiente de (?:deposito|recepcion|admision|recoleccion)|(?:aun|todavia) no (?:ha|se|hemos|lo)[^.]{0,30}(?:recib|deposit|entregado a|dispon)|sin movimientos|preparacion por el remitente|en preparacion/, 'El envío está prerregistrado y pendiente de admisión.'],
    ['exception', /extravi|perdid[oa]\b|robad|danad|\bdano\b|averiad|deteriorad|destruid|siniestr|rotura/, 'El paquete ha resultado dañado.'],
    ['exception', /anulad|cancelad/, 'Envío anulado'],
    ['exception', /\bno (?:se )?(?:ha |han |pudo |fue |es |ha sido |pudimos |hemos )?(?:podido |posible )?(?:ser )?(?:entreg|realiz|localiz|efectu|posible)|no (?:pudo|ha podido|se ha podido|se pudo|hemos podido)|no entregad|fallid|sin exito|ausente|intento de entrega|(?:direccion|domicilio|codigo postal)[^.]{0,20}(?:incorrect|incomplet|erron|insuficient|equivocad)|desconocid|incidencia|retenid|detenid[oa]|demora|retras|local cerrado|cerrado|nadie/, 'Intento de entrega fallido, destinatario ausente'],
    ['available_for_pickup', /(?:disponible|listo|lista|pendiente|a la espera|en espera|a disposicion|aviso)[^.]{0,60}(?:recog|retir|oficina|sucursal|destinatario)|(?:depositad|entregad|llegad)[oa] (?:en|a) (?:el |la |un |su )?(?:punto|locker|taquilla|citypaq|oficina de recogida)|puede (?:recoger|retirar|pasar)|en punto de (?:recogida|entrega|conveniencia)|en oficina de entrega|en punto\b/, 'Su envío está disponible para recoger en la oficina.'],
    ['in_transit', /\b(?:sera|seran|vamos a|va a ser|proxim[oa]|prevista|previsto|programad[oa]|estimada|concertad[oa])\b/, 'El paquete será entregado mañana.'],
    ['out_for_delivery', /en reparto|en curso de entrega|en entrega|sali(?:o|do|da) (?:a|para|en) (?:el )?(?:reparto|entrega|distribu|ruta)|en proceso de (?:entrega|reparto)|en camino al? (?:destinatario|tu|su|domicilio)|(?:con el|en manos del?|asignado al?) (?:repartidor|mensajero|cartero)|en ruta (?:de|para|a) (?:la )?(?:entrega|reparto|destinatario|domicilio)|en distribucion|repartidor[^.]{0,30}(?:camino|ruta)|en vehiculo de reparto/, 'El envío está en reparto.'],
    ['in_transit', /entregad[oa] (?:a|al|en) (?:el |la |un |una |su )?(?:transport|operador|agencia|centro|aduana|correos|courier|deleg)/, 'Entregado al transportista'],
    ['delivered', /entregad[oa]|entrega (?:efectuada|realizada|completada|exitosa|con exito)|(?:recogid|retirad)[oa] (?:por|en) (?:el destinatario|el cliente|oficina|la oficina)|recibid[oa] por el? (?:destinatario|cliente)/, 'Entregado'],
  ],
  pt: [
    [REFUSED, /recusad|recusou|recusa d|destinatario nao aceit/, 'Objeto recusado pelo destinatário'],
    ['info_received', /etiqueta (?:emitida|gerada|criada)|postagem (?:eletronica|nao|ainda)|aguardando postagem|informac\w{0,5}[^.]{0,40}recebid|pre-?regist|(?:envio|pedido|encomenda|objeto) (?:foi )?(?:criad|registad[oa] eletr)|ainda nao[^.]{0,30}(?:postad|recebid|entregue a|aceit)|aguarda entrada|em preparacao|dados eletronic/, 'Etiqueta emitida, aguardando postagem'],
    ['exception', /extraviad|extravio|perdid[oa]\b|roubad|roubo|avariad|avaria|danificad|destruid|sinistr|furt/, 'Objeto extraviado'],
    ['exception', /cancelad|anulad/, 'Envio cancelado'],
    ['exception', /nao (?:foi |pode |pod[ei]\w{0,4} |se |conseguimos )?(?:possivel |ser )?(?:entreg|realiz|localiz|efetu|possivel)|nao entregue|entrega nao|sem sucesso|frustrad|mal ?sucedid|ausente|carteiro nao atendido|tentativa|(?:endereco|morada)[^.]{0,20}(?:incorret|incomplet|insuficient|errad)|desconhecid|retid[oa]|apreendid|atraso|fiscalizacao[^.]{0,30}(?:nao|indefer)|aguardando pagamento|mudou-se|numero inexistente|nao procurado|empresa sem expediente|incidencia|encerrad[oa]/, 'A entrega não pode ser efetuada - Carteiro não atendido'],
    ['available_for_pickup', /aguardando (?:a )?retirada|disponivel[^.]{0,60}(?:retirada|levant|recolh)|aguarda (?:o )?levantamento|para (?:levantamento|retirada)|(?:entregue|depositad[oa]|chegou) (?:no|num|em|ao) (?:seu |um )?(?:ponto|locker|cacifo)|pronto para (?:levantar|retirar|recolha)|pode (?:levantar|retirar|recolher)/, 'Objeto aguardando retirada no endereço indicado'],
    ['in_transit', /\b(?:sera|serao|vai ser|previst[oa]|agendad[oa]|reagendad[oa]|amanha|proxim[oa])\b/, 'A encomenda será entregue amanhã.'],
    [GOING_BACK, /saiu para entrega ao remetente|(?:devol|retorn)\w{0,6}[^.]{0,20}remetente/, 'Objeto saiu para entrega ao remetente'],
    ['out_for_delivery', /saiu para (?:a )?(?:entrega|distribu)|saida para (?:entrega|distribu)|em (?:distribuicao|entrega)|em processo de entrega|(?:com o|em posse do) (?:carteiro|entregador|estafeta|motorista)|em rota de entrega|a caminho d[oa] (?:destinatario|cliente|sua morada|seu endereco)|(?:entregador|carteiro|estafeta)[^.]{0,30}(?:caminho|rota)/, 'Objeto saiu para entrega ao destinatário'],
    ['in_transit', /entregue (?:a|ao|na|no) (?:transportador|operador|unidade|centro|correio|alfandega|parceir)/, 'Entregue ao operador logístico'],
    ['delivered', /entregue|entrega (?:efetuada|realizada|concluida|com sucesso)|(?:retirad|levantad)[oa] (?:pelo|por|no)/, 'Objeto entregue ao destinatário'],
  ],
  it: [
    [REFUSED, /rifiutat|rifiuta|respint[oa]|rifiuto/, 'Spedizione rifiutata dal destinatario'],
    ['info_received', /(?:informazioni|dati)[^.]{0,40}(?:ricevut|trasmess|registrat|disponibil)|(?:etichetta|ordine|lettera di vettura|spedizione) (?:e stat[oa] )?(?:creat|generat|registrat|stampat)|(?:in|non) (?:attesa|ancora)[^.]{0,30}(?:affidat|ricevut|presa in carico|consegnat[oa] (?:a|al) (?:corriere|poste))|pre-?avvis|in (?:fase di )?preparazione|preannunciat|in attesa di ritiro dal mittente/, 'Informazioni sulla spedizione ricevute, in attesa della presa in carico'],
    ['exception', /smarrit|pers[oa]\b|perdut|rubat|danneggiat|distrutt|furto|avaria/, 'Il pacco è stato danneggiato.'],
    ['exception', /annullat|cancellat/, 'Spedizione annullata'],
    ['exception', /non (?:e stat[oa] |e |abbiamo |siamo |si e |ha )?(?:potut[oa] |riuscit[oi] |possibile )?(?:essere )?(?:a )?(?:consegn|recapit|possibil|riuscit|effettuat|trovat)|mancata consegna|non andat[oa]|consegna fallita|tentativ|tentata|assente|assenza|(?:indirizzo)[^.]{0,20}(?:errat|incomplet|insufficient|inesistent|non)|sconosciut|trasferit[oa]\b|giacenza|trattenut|ferm[oa] in|bloccat|ritardo|chius[oa]\b|anomalia|problema/, 'Tentativo di consegna fallito, destinatario assente'],
    ['available_for_pickup', /(?:disponibile|pront[oa]|in attesa|a disposizione|depositat[oa])[^.]{0,60}(?:ritir|ufficio|punto|locker)|(?:consegnat|arrivat)[oa] (?:al|presso (?:il|un)?|in|nel) ?(?:un )?(?:punto|locker|pudo|fermopoint|ufficio postale per)|puo (?:essere ritirat|ritirare)|in (?:attesa di|deposito per) (?:il )?ritiro/, "La spedizione è disponibile per il ritiro presso l'ufficio postale."],
    ['in_transit', /\b(?:sara|saranno|verra|prevista|previsto|programmat[oa]|domani|prossim[oa])\b/, 'Il pacco sarà consegnato domani.'],
    ['out_for_delivery', /in consegna|in fase di consegna|in distribuzione|(?:uscit[oa]|partit[oa]) (?:per|in) (?:la )?consegna|(?:con il|affidat[oa] al|in mano al) (?:corriere per|portalettere|postino|fattorino)|(?:corriere|postino)[^.]{0,30}(?:in arrivo|sta arrivando|strada)|consegna in corso|messa in consegna/, 'IN CONSEGNA'],
    ['in_transit', /consegnat[oa] (?:a|al|alla|all.|ad|in) ?(?:corriere|vettore|trasport|dogana|filiale|hub|centro|partner|spedizionier)/, 'Consegnato al corriere'],
    ['delivered', /consegnat[oa]|consegna (?:e stata )?(?:effettuata|avvenuta|completata|riuscita|eseguita)|recapitat[oa]|ritirat[oa] (?:dal destinatario|dal cliente|da\b|presso)/, 'La spedizione è stata consegnata'],
  ],
  nl: [
    [REFUSED, /geweiger|weiger/, 'De ontvanger heeft het pakket geweigerd.'],
    ['info_received', /aangemeld|ingevoerd|aangekondigd|vooraangemeld|(?:label|zendinggegevens|gegevens|informatie)[^.]{0,30}(?:aangemaakt|ontvangen|doorgegeven|geprint)|nog niet[^.]{0,40}(?:ontvangen|aangeboden|overgedragen|binnen)|wacht(?:en)? op (?:aanlevering|ontvangst|overdracht)|verwacht(?:en)? (?:het|uw|je) (?:pakket|zending)|voorbereid door/, 'Zending is aangemeld maar nog niet ontvangen.'],
    ['exception', /vermist|verloren|kwijt|zoek(?:geraakt)?\b|beschadig|vernietigd|gestolen/, 'Het pakket is beschadigd.'],
    ['exception', /geannuleerd|geannul/, 'De zending is geannuleerd.'],
    ['exception', /(?:niet|geen)[^.]{0,40}(?:bezorg|afgelever|aflever|thuis|aangetroffen|gelukt|mogelijk|gehoor|overhandig)|niet gelukt|mislukt|niemand|(?:adres)[^.]{0,20}(?:onvolledig|onjuist|verkeerd|onbekend|fout)|onbekend|vertraag|vertraging|vastgehouden|onbestelbaar|gesloten|bezorgpoging|afwezig/, 'Bezorgpoging mislukt, niemand thuis'],
    ['available_for_pickup', /(?:ligt|klaar|beschikbaar|gereed)[^.]{0,60}(?:klaar|afhal|afgehaald|ophalen|opgehaald|pakketpunt|punt|postnl|bereid)|(?:bezorgd|afgeleverd|gebracht|aangekomen|afgegeven) (?:bij|in|op|naar) (?:een |het |de |uw |je )?[^.]{0,20}(?:punt|pakketautomaat|service ?point|parcel ?shop|locker|afhaallocatie)|kun(?:t)? u? ?(?:je |uw |het )?(?:pakket )?(?:nu )?(?:af|op)halen|wacht op afhal/, 'Uw pakket ligt klaar bij het PostNL-punt.'],
    ['in_transit', /\b(?:morgen|wordt (?:nog|opnieuw|binnenkort)|zal|zullen|verwacht(?:e|en|te)?|gepland|opnieuw|volgende)\b/, 'Het pakket wordt morgen bezorgd.'],
    ['out_for_delivery', /onderweg naar (?:u|je|de (?:ontvanger|klant|geadresseerde)|het (?:bezorg|aflever)adres)|bezorger[^.]{0,30}(?:onderweg|route)|(?:wordt )?vandaag[^.]{0,20}bezorgd|is onderweg met|geladen voor bezorging|in (?:bezorging|uitreiking|aflevering)|(?:in|op) (?:de |het )?(?:bezorgroute|bezorgauto|bestelwagen|route)|met de (?:bezorger|koerier|chauffeur)|uit voor (?:levering|bezorging)/, 'De bezorger is onderweg.'],
    ['in_transit', /\b(?:wordt|worden)\b/, 'De zending wordt gesorteerd.'],
    ['delivered', /bezorgd|afgeleverd|geleverd|uitgereikt|overhandigd aan|afgehaald|opgehaald door (?:de )?(?:ontvanger|klant|geadresseerde)|afgegeven (?:bij|aan) (?:de )?(?:buren|buur|receptie)|in (?:de |uw )?brievenbus/, 'Het pakket is bezorgd bij de buren.'],
  ],
  pl: [
    [REFUSED, /odmow\w{0,4}|odmowa przyjecia|nie przyja/, 'Odbiorca odmówił przyjęcia przesyłki.'],
    ['info_received', /(?:przesylka|paczka|etykieta|zlecenie)\s(?:zostala )?(?:utworzon|przygotowan|zarejestrowan|wygenerowan|oczekuje na nadanie)|przygotowan[aey] (?:przez|do) (?:nadawc|nadania)|zarejestrowano (?:dane|informac|zlecenie)|(?:dane|informacje)[^.]{0,40}(?:otrzyman|zarejestrowan|przekazan|przyjet)|w trakcie przygotowania|oczekuje na (?:kuriera|nadanie|odbior przez kuriera|przekazanie)|jeszcze nie[^.]{0,30}(?:nadan|przekazan|otrzyma)|awizacj/, 'Przesyłka przygotowana przez nadawcę'],
    ['exception', /zagubion|zaginel|zaginion|uszkodz|zniszcz|skradzion|utracon/, 'Przesyłka została uszkodzona.'],
    ['exception', /(?:anulowan|odwolan)(?!o przekierowani)|rezygnacj/, 'Zlecenie zostało anulowane.'],
    ['exception', /\bnie (?:zostala |udalo |mozna |bylo |udala )?(?:sie )?(?:doreczon|dostarczon|doreczyc|dostarczyc|zastano|mozliw|powiodl|wydan)|nieudan|niedoreczon|nieobecn|brak odbiorcy|odbiorcy nie bylo|(?:adres)\w{0,4}[^.]{0,20}(?:bledn|niepeln|niepraw|nieznan|niekompletn)|(?:bledny|niepelny|nieprawidlowy|zly) adres|opoznien|zatrzyman|wstrzyman|nieznany|adresat nieznany|brak mozliwosci|problem|uplynal termin|zamkniet|proba doreczenia/, 'Próba doręczenia nieudana, odbiorca nieobecny'],
    ['available_for_pickup', /(?:gotow|oczekuje|czeka|dostepn)[^.]{0,50}(?:odbior|odebran|paczkoma|punk|placow|urz)|umieszczon[aey] w (?:paczkomac|punk|automac)|awizowan|do odbioru (?:w|z|przez)|\bawizo|mozesz (?:ja )?odebrac/, 'Paczka gotowa do odbioru w Paczkomacie'],
    ['in_transit', /\b(?:zostanie|bedzie|planowan[aey]|jutro|ponown[aeiey]\w{0,3}|przewidywan[aey])\b/, 'Przesyłka zostanie doręczona jutro.'],
    ['out_for_delivery', /w doreczeniu|wydan[aey] (?:do doreczenia|kurierowi do|do kuriera)|przekazan[aey] (?:do doreczenia|kurierowi)|(?:kurier|listonosz)\w{0,3}[^.]{0,30}(?:w drodze|jedzie|dzis)|w drodze do (?:odbiorcy|adresata|ciebie)|do doreczenia|na trasie doreczen|wyjechal[aoy] do doreczenia|kierowca[^.]{0,20}(?:drodze|dorecz)/, 'Przesyłka wydana do doręczenia'],
    ['delivered', /doreczon[aoey]|doreczono|dostarczon[aoey]|dostarczono|odebran[aey]\b(?! od| przez kuriera| w oddziale)|odebrano (?:przez (?:odb|adr|kli)|w p)|wydan[aey] (?:odbiorcy|adresatowi|klientowi)/, 'Przesyłka doręczona'],
  ],
  tr: [
    ['returned', /gonderici(?:ye|sine)[^.]{0,20}teslim edildi|iade (?:teslim edildi|tamamlandi)|cikis subesine iade edildi/, 'Kargo göndericiye teslim edildi.'],
    [REFUSED, /kabul (?:etmedi|edilmedi|etmiyor)|reddedil|reddetti|almak istem/, 'Alıcı kargoyu kabul etmedi.'],
    [GOING_BACK, /\biade\b/, 'Kargonuz iade sürecinde.'],
    ['info_received', /(?:gonderi|kargo|siparis)\w{0,3} (?:kaydi |bilgi\w{0,4} )?(?:olusturul|hazirlan|alindi bilg)|barkod|etiket|kayit olustur|bilgi\w{0,4} (?:alindi|iletildi)|henuz (?:teslim alin|kargoya veril)|hazirlaniyor|on kayit|beklemede/, 'Gönderi kaydı oluşturuldu.'],
    ['exception', /kayip|kaybol|hasar|zarar gor|calin|imha/, 'Kargo hasar gördü.'],
    ['exception', /iptal/, 'Gönderi iptal edildi.'],
    ['exception', /teslim (?:edilemedi|edilemiyor|edilememis|alinmadi)|edilemedi|tamamlanamadi|bulunamadi|yok(?:tu)?\b|adreste (?:yok|bulun)|adres\w{0,3}[^.]{0,20}(?:yanlis|hatali|eksik|yetersiz|degis)|(?:yanlis|hatali|eksik) adres|gecik|alikon|tanim|kapali|ulasilamad|basarisiz|devir|bekletil/, 'Alıcı adreste bulunamadı, teslim edilemedi.'],
    ['available_for_pickup', /(?:subede|subeden|subemiz|teslimat noktasi|kargomat|dolap|acente)[^.]{0,40}(?:bekl|hazir|teslim al|bulun)|teslim almak icin|alici\w{0,3} bekl|subeden alin|musteri(?:yi)? bekl/, 'Kargonuz şubede teslim alınmayı bekliyor.'],
    ['in_transit', /\b(?:edilecek|edilecektir|yarin|planlan\w{0,5}|tahmini)\b/, 'Kargonuz yarın teslim edilecektir.'],
    ['out_for_delivery', /dagitim(?:a|da)\b(?! (?:merkez|sube))|dagitima (?:cikar|cikti|cikmis)|kurye\w{0,3}[^.]{0,30}(?:yolda|zimmet|teslim edil|cikti)|teslimat icin (?:yola|cik)|teslimata (?:cik|ver)|adrese (?:dogru )?yola|dagiticiya/, 'Kargonuz dağıtıma çıkarıldı.'],
    ['in_transit', /subeye teslim edildi|(?:merkez|sube|transfer|kargo firma|tasiyici)\w{0,6} teslim edildi/, 'Transfer merkezine teslim edildi.'],
    ['delivered', /teslim edildi|teslim edilmistir|teslim alindi (?:alici|musteri)|teslimat (?:tamamlandi|gerceklesti|yapildi)|alici\w{0,3} teslim|komsu\w{0,3} (?:teslim|birak)|teslim olundu|gonderim tamamlandi/, 'Kargonuz teslim edildi.'],
  ],
  ja: [
    ['returned', /(?:差出人|ご依頼主|発送人|荷送人)[^。、]{0,6}(?:お届け済|配達完了|返還済|返却済|返送済)|返送(?:完了|済)|差出人に返[送還]済|返還済/, '差出人に返送済み'],
    [REFUSED, /受取(?:り)?(?:を)?(?:拒否|拒絶|辞退)/, '受取人が受取を拒否'],
    [GOING_BACK, /返送|差出人[^。、]{0,8}返[還却送]|ご依頼主[^。、]{0,8}(?:返[品送却]|返し)|返品/, '差出人へ返送中'],
    ['exception', /紛失|破損|亡失|汚損|棄損|廃棄/, '荷物が破損しました'],
    ['exception', /キャンセル|取消|取り消/, '集荷がキャンセルされました'],
    ['exception', /不在|配達でき|お届けでき|持[ちり]?戻|あて所|宛先不明|宛所|住所(?:不明|不備|不完全|相違|誤)|調査中|遅延|遅れ|差し?止|保留|配達(?:不能|不可|未完|失敗)|未配達|休[業み]|転居/, 'ご不在のため持ち戻り'],
    ['delivered', /窓口でお渡し/, '窓口でお渡し'],
    ['available_for_pickup', /(?:窓口|コンビニ|宅配便ロッカー|pudo|営業所|ロッカー|受取(?:場所|店舗)|郵便局)[^。、]{0,20}(?:お?(?:受け?取り|引き?取り)(?:可能|待ち|いただけ|準備)|でお預かり|到着済|に保管|お渡し)|保管中|^保管$|お?(?:受取|引取)(?:待ち|可能)|店舗(?:到着|お預)|来[店局]待ち/, '窓口でお受け取り可能'],
    ['in_transit', /予定|配達日(?:時)?(?:変更|指定)|日時指定|再配達(?:の?(?:受付|依頼|希望|申込))|お届け日/, '配達予定日が変更されました'],
    ['info_received', /(?:伝票|送り状|ラベル)[^。、]{0,8}(?:作成|発行|登録)|出荷(?:準備|指示|情報)|発送準備|情報(?:を)?(?:受信|受付|登録)|荷物受付前|電子情報|未集荷|集荷待ち/, '送り状が作成されました'],
    ['out_for_delivery', /持[ちり]?出|配達(?:に)?(?:出発|中(?!継)|向か)|お届け(?:に)?(?:出発|中|向か)|配送中|ドライバー[^。、]{0,12}(?:向か|配達)|配達員/, '持ち出し中'],
    ['in_transit', /(?:営業所|支店|店|局)(?:へ|に)(?:引き?渡|引き?継|納品)/, '営業所へ引き渡し'],
    ['delivered', /配達完了|配達終了|お届けが完了|お届け(?:済|完了|しました|先に)|配達(?:済|しました)|投函(?:完了|済|しました)|お?(?:受け?取り|受取|引き?取り|引渡)(?:済|完了)|お渡し(?:済|完了|しました)|置き配(?:完了|済)|納品(?:完了|済)|(?:宅配ボックス|玄関|郵便受け)[^。、]{0,10}(?:入れ|お届け|置き|配達|投函)|窓口でお渡し/, '配達完了'],
  ],
  ko: [
    ['returned', /반송 ?(?:배달 ?|배송 ?)?(?:완료|되었|됨)|(?:발송인|보낸 ?분|보내는 ?분|송하인)[^.,]{0,8}(?:배달|배송|전달) ?완료|반품 ?(?:완료|되었)/, '반송 완료'],
    [REFUSED, /(?:수취|수령|인수) ?(?:를 |을 )?(?:거절|거부)/, '수취인이 수취를 거절했습니다.'],
    [GOING_BACK, /반송|반품|보낸 ?(?:분|사람)에게 ?(?:돌아|되돌)/, '반송 중'],
    ['exception', /분실|파손|훼손|멸실|폐기|도난/, '상품이 분실되었습니다.'],
    ['exception', /취소/, '배송이 취소되었습니다.'],
    ['exception', /부재|미배달|미배송|배[송달] ?(?:불가|실패|지연|못)|배[송달]하지 ?못|배[송달]할 ?수 ?없|폐문|주소 ?(?:불명|오류|불완전|부정확|이상|잘못)|연락 ?(?:두절|불가)|이사 ?불명|수취인 ?불명|지연|통관 ?(?:보류|불가)|보류|휴[업무]/, '수취인 부재로 배달하지 못했습니다.'],
    ['available_for_pickup', /(?:보관함|편의점|무인|픽업|우체국|영업소|대리점)[^.,]{0,20}(?:보관|수령 ?(?:가능|대기)|도착(?:하여|했|되|,)|찾아)|보관 ?(?:중|하고)|수령 ?대기|찾아 ?가|방문 ?수령/, '우체국에 보관 중입니다. 찾아가세요.'],
    ['in_transit', /예정|내일|도착 ?예정/, '내일 배달 예정입니다.'],
    ['info_received', /접수 ?대기|송장(?:이)? ?(?:출력|등록|생성|발행)|운송장(?:이)? ?(?:출력|등록|생성|발행)|상품 ?준비|집하 ?(?:대기|지시|요청)|수거 ?(?:지시|예약|요청)|예약 ?(?:접수|완료)|정보 ?(?:수신|등록|접수)|화물 ?정보|주문 ?접수/, '송장이 출력되었습니다.'],
    ['out_for_delivery', /배[송달] ?(?:출발|준비|나|하러)|배달 ?중|배송 ?기사[^.,]{0,14}(?:출발|배[송달]|이동)|집배원[^.,]{0,20}(?:배달|출발)|배송지로 ?(?:출발|이동)/, '배달출발'],
    ['delivered', /배[송달] ?(?:이 |을 )?완료|배[송달](?:했|하였|되었|됨)|수령 ?(?:완료|했|하였)|전달 ?(?:완료|했|하였)|(?:문 ?앞|경비실|현관|택배함|우편함|이웃)[^.,]{0,14}(?:배[송달]|전달|보관했|두었|위탁|놓)|인수 ?완료/, '배송완료'],
  ],
  ru: [
    ['returned', /(?:вручен|выдан|возвращен|доставлен)[а-я]{0,2}[^.,]{0,10}отправителю|возврат[^.,]{0,20}(?:вручен|заверш|доставлен|получен)|возвращен[оаы]? отправителю/, 'Вручение отправителю: вручено отправителю'],
    [REFUSED, /отказ[а-я]{0,4}|отказ адресата/, 'Отказ адресата от получения'],
    [GOING_BACK, /возвра(?:т|ща)[а-я]{0,5}/, 'Возврат отправителю'],
    ['info_received', /зарегистрир[а-я]{0,6}|^создан[аоы]?$|регистрация|присвоен|электронн[а-я]{0,3} (?:регистр|уведом|информ)|(?:заказ|накладная|отправление|этикетка) (?:создан|оформлен)[а-я]{0,2}|создан[аоы]? (?:заказ|накладн|этикет)|ожидает (?:приема|передачи|отправки)|информац[а-я]{1,3}[^.]{0,30}(?:получен|принят|передан)|подготов[а-я]{0,6}|еще не (?:передан|поступ|принят)/, 'Присвоен трек-номер, отправление зарегистрировано'],
    ['exception', /утер|утрач|потер|поврежд|уничтож|украден|пропал/, 'Посылка повреждена'],
    ['exception', /отмен|аннулир/, 'Заказ отменён'],
    ['exception', /невруч|недостав|проблем|не может быть|не (?:был[аои]? )?(?:вручен|доставлен|удал|смог|состоя|застал|найден|дозвон)|неудачн|невозможн|отсутств|неполн|неверн|неправильн|некорректн|неизвест|выбыл|задерж|удержан|истек(?!ает)|недоступен|засыл|досыл/, 'Неудачная попытка вручения: адресат отсутствует'],
    ['available_for_pickup', /ожида[а-я]{1,3}[^.]{0,40}(?:вручени|получ|в месте|в отделении|в пункте|в постамате)|готов[а-я]{0,2} к (?:выдаче|получению|вручению)|(?:прибыл|поступил|доставлен|размещен)[а-я]{0,2} (?:в|на) (?:место вручения|пункт выдачи|постамат|пвз|отделение получ|почтомат)|доставлен[а-я]{0,2} до (?:постамат|пункт|пвз)|можно (?:забрать|получить)|находится в (?:пункте|постамат|отделении)|самовывоз|хранени|в ячейк/, 'Прибыло в место вручения'],
    ['in_transit', /будет|завтра|планир|ожидаем|перенес|перенос/, 'Посылка будет доставлена завтра'],
    ['out_for_delivery', /переда(?:н|ч)[а-я]{0,2} (?:курьеру|почтальону|в доставку|на доставку)|курьер[а-я]{0,3} (?:выехал|в пути|вез|доставля|едет)|(?:у|с) (?:курьера|курьером|почтальон[а-я]{1,2})|выдан[а-я]{0,2} (?:на доставку|курьеру|почтальону|в доставку)|на доставк[еу]|доставляется|вышел на маршрут|в доставке/, 'Передано курьеру'],
    ['in_transit', /(?:доставлен|передан|вручен)[а-я]{0,2} (?:перевозчику|в сортиров|на склад|в службу|на таможн|в аэропорт|на терминал|транспорт)/, 'Доставлено на склад'],
    ['delivered', /вручен|выдан|доставлен|получено (?:адресатом|получателем)|получен (?:адресатом|получателем|клиентом)|вручение адресату|положен[а-я]{0,2} в (?:почтов|ящик)/, 'Вручение адресату'],
  ],
};

/** Words that only texts of one language have, without accents: they tell the languages with Latin letters apart. */
const WORDS: Readonly<Partial<Record<TextLanguage | 'en', string>>> = {
  en: 'the your has have been was were of at by for with package parcel shipment item delivered delivery out not and from arrived departed facility customs held will be is to on in transit received sender recipient returned pickup carrier',
  de: 'die der das dem den des sendung wurde wird ist und nicht paket zustellung zugestellt empfanger absender ihre ihrer im zur zum beim nachbarn nachbar auf einem einer wurden ihr zollamt abholung auftrag hinterlegt abgegeben annahme storniert werden zusteller unterwegs filiale von mit eingeliefert',
  fr: 'le les votre vos colis est du des livraison livre ete au aux destinataire expediteur envoi pas une par sur son sera livree distribue retrait annule perdu absent refuse facteur dans pour en cours',
  es: 'el los su sus envio paquete ha sido entregado entregada reparto destinatario remitente por se del al esta en con recogida oficina entrega entregar no direccion anulado pedido aduanas para una un',
  pt: 'o os objeto encomenda saiu foi ao para entrega entregue destinatario remetente nao em do da no na pelo sua seu carteiro aguardando retirada postado distribuicao cancelado pela alfandega',
  it: 'il lo gli la spedizione consegna consegnato consegnata stata stato pacco destinatario mittente per non del della dal presso sul una e ritiro giacenza tuo sua in ufficio',
  nl: 'de het een pakket zending uw bezorgd bezorger niet wij afzender geadresseerde ontvanger naar bij voor van met op ligt klaar wordt afgeleverd je onderweg aangemeld bezorging douane is',
  pl: 'przesylka paczka zostala jest w do nadana doreczona doreczenia odbioru nadawcy odbiorca odbiorcy kurier przez na z sie nie paczkomacie przesylki paczki zwrot gotowa',
  tr: 'kargo kargonuz gonderi gonderiniz teslim edildi dagitim dagitima alici aliciya gonderici gondericiye sube subede subeye iade icin ve bir merkezi merkezine merkezinde adres adreste edilemedi',
};
const LANGUAGES_OF_WORD = new Map<string, (TextLanguage | 'en')[]>();
for (const [language, words] of Object.entries(WORDS)) {
  for (const word of words.split(' ')) {
    LANGUAGES_OF_WORD.set(word, [...(LANGUAGES_OF_WORD.get(word) ?? []), language as TextLanguage | 'en']);
  }
}
const LATIN = Object.keys(WORDS) as (TextLanguage | 'en')[];

/**
 * The languages that a text without accents may be in, the likeliest first; all with Latin letters if few words tell.
 */
export function languagesOf(plain: string): readonly (TextLanguage | 'en')[] {
  const scores = new Map<TextLanguage | 'en', number>();
  for (const word of plain.split(/[^a-z]/)) {
    for (const language of LANGUAGES_OF_WORD.get(word) ?? []) scores.set(language, (scores.get(language) ?? 0) + 1);
  }
  if (scores.size === 0) return LATIN;
  const most = Math.max(...scores.values());
  const likely = LATIN.filter((language) => scores.get(language) === most);
  return most > 1 ? likely : [...likely, ...LATIN.filter((language) => !likely.includes(language))];
}
