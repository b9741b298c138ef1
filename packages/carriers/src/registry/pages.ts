import type { Carrier } from './registry.ts';

// Public sources of the addresses. Most are repositories at https://github.com.
const FORMS = 'jkeen/tracking_number_data';
const KARRIO = 'karrioapi/karrio';
const SHIPPY = 'verbb/shippy';
const KOREA = 'falsy/delivery-tracker-server';
const FRANCE = 'nicolas-goudry/parcel-tracker';
const MAILS = 'moralmunky/Home-Assistant-Mail-And-Packages';
/** Unrelated public integrations of shops (plugins, order emails, their tests) agree on the address. */
const SHOPS = 'shop integrations';

/** The page of a parcel on the site of its carrier, where `{}` is its number, and the public source of the address. */
type Page = readonly [address: string, source: string];

/** The pages that need nothing but the number. */
// biome-ignore format: one carrier per line is readable as a table
export const PAGES: Readonly<Record<string, Page>> = {
  // North America
  ups: ['https://www.ups.com/track?tracknum={}', KARRIO],
  fedex: ['https://www.fedex.com/fedextrack/?trknbr={}', KARRIO],
  usps: ['https://tools.usps.com/go/TrackConfirmAction?tLabels={}', FORMS],
  ontrac: ['https://www.ontrac.com/tracking/?number={}', FORMS],
  speedee: ['https://www.speedeedelivery.com/track/?tracking={}', FORMS],
  gofo: ['https://www.gofoexpress.com/tracking.html?searchID={}', FORMS],
  'old-dominion': ['https://www.odfl.com/us/en/tools/trace-track-ltl-freight/trace.html?proNumbers={}', FORMS],
  'canada-post': ['https://www.canadapost-postescanada.ca/track-reperage/en#/search?searchFor={}', FORMS],
  purolator: ['https://www.purolator.com/en/shipping/tracker?searchValue={}', FORMS],
  canpar: ['https://www.canpar.com/en/track/tracking.jsp?reference={}&locale=en', FORMS],
  landmark: ['https://track.landmarkglobal.com/?search={}', FORMS],
  // Latin America
  'correios-brazil': ['https://rastreamento.correios.com.br/app/index.php?objetos={}', SHOPS],
  jadlog: ['https://www.jadlog.com.br/tracking?cte={}', SHOPS],
  estafeta: ['https://rastreo3.estafeta.com/Tracking/searchByGet?wayBillType=1&wayBill={}', SHOPS],
  andreani: ['https://www.andreani.com/envio/{}', SHOPS],
  coordinadora: ['https://coordinadora.com/rastreo/rastreo-de-guia/detalle-de-rastreo-de-guia/?guia={}', SHOPS],
  'correos-chile': ['https://seguimientoenvio.correos.cl/home/index/{}', SHOPS],
  // Western Europe
  dhl: ['https://www.dhl.com/en/express/tracking.html?AWB={}', FORMS],
  'dhl-paket': ['https://www.dhl.de/de/privatkunden/pakete-empfangen/verfolgen.html?piececode={}', SHOPS],
  'hermes-de': ['https://www.myhermes.de/empfangen/sendungsverfolgung/sendungsinformation#{}', SHOPS],
  dpd: ['https://tracking.dpd.de/status/en_US/parcel/{}', SHOPS],
  gls: ['https://gls-group.eu/track/{}', MAILS],
  tnt: ['https://www.tnt.com/express/en_gb/site/shipping-tools/tracking.html?searchType=con&cons={}', SHOPS],
  'royal-mail': ['https://www.royalmail.com/track-your-item#/tracking-results/{}', KARRIO],
  'dpd-uk': ['https://track.dpd.co.uk/parcels/{}', SHOPS],
  evri: ['https://www.evri.com/track/parcel/{}/details', SHOPS],
  yodel: ['https://www.yodel.co.uk/tracking/{}', FORMS],
  'an-post': ['https://www.anpost.com/Post-Parcels/Track/History?item={}', SHOPS],
  'la-poste': ['https://www.laposte.fr/outils/suivre-vos-envois?code={}', KARRIO],
  colissimo: ['https://www.laposte.fr/outils/suivre-vos-envois?code={}', KARRIO],
  chronopost: ['https://www.chronopost.fr/tracking-no-cms/suivi-page?listeNumerosLT={}', KARRIO],
  'colis-prive': ['https://colisprive.com/moncolis/pages/detailColis.aspx?numColis={}', FRANCE],
  'mondial-relay': ['https://www.mondialrelay.fr/suivi-de-colis?numeroExpedition={}', FRANCE],
  bpost: ['https://track.bpost.be/btr/web/#/search?itemCode={}', SHOPS],
  postnl: ['https://jouw.postnl.nl/track-and-trace/{}', SHOPS],
  'swiss-post': ['https://service.post.ch/ekp-web/ui/entry/search/{}', SHOPS],
  'austrian-post': ['https://www.post.at/s/sendungsdetails?snr={}', SHOPS],
  'poste-italiane': ['https://www.poste.it/cerca/index.html#/risultati-spedizioni/{}', SHOPS],
  'correos-spain': ['https://www.correos.es/es/es/herramientas/localizador/envios/detalle?tracking-number={}', SHOPS],
  ctt: ['https://www.ctt.pt/feapl_2/app/open/objectSearch/objectSearch.jspx?objects={}', SHOPS],
  // Northern Europe
  postnord: ['https://tracking.postnord.com/en/?id={}', SHOPS],
  'posten-norge': ['https://tracking.bring.com/tracking/{}', SHOPS],
  posti: ['https://www.posti.fi/fi/seuranta#/lahetys/{}', SHOPS],
  dao: ['https://www.dao.as/privat/find-din-pakke?stregkode={}', SHOPS],
  // Central, Eastern and South-eastern Europe
  inpost: ['https://inpost.pl/sledzenie-przesylek?number={}', MAILS],
  'poczta-polska': ['https://emonitoring.poczta-polska.pl/?numer={}', MAILS],
  'czech-post': ['https://www.postaonline.cz/trackandtrace/-/zasilka/cislo?parcelNumbers={}', SHOPS],
  packeta: ['https://tracking.packeta.com/?id={}', SHOPS],
  ppl: ['https://www.ppl.cz/vyhledat-zasilku?shipmentId={}', SHOPS],
  'croatian-post': ['https://www.posta.hr/tracktrace.aspx?broj={}', SHOPS],
  'fan-courier': ['https://www.fancourier.ro/awb-tracking/?awb={}', SHOPS],
  sameday: ['https://sameday.ro/#awb={}', SHOPS],
  speedy: ['https://www.speedy.bg/en/track-shipment?shipmentNumber={}', SHOPS],
  econt: ['https://www.econt.com/services/track-shipment/{}', SHOPS],
  acs: ['https://www.acscourier.net/el/web/greece/track-and-trace?action=getTracking3&generalCode={}', SHOPS],
  'cyprus-post': ['https://www.cypruspost.post/en/track-n-trace-results?code={}', SHOPS],
  yurtici: ['https://www.yurticikargo.com/tr/online-servisler/gonderi-sorgula?code={}', SHOPS],
  aras: ['https://kargotakip.araskargo.com.tr/mainpage.aspx?code={}', SHOPS],
  ptt: ['https://gonderitakip.ptt.gov.tr/Track/Verify?q={}', SHOPS],
  'nova-poshta': ['https://novaposhta.ua/tracking/?cargo_number={}', SHOPS],
  ukrposhta: ['https://track.ukrposhta.ua/tracking_UA.html?barcode={}', SHOPS],
  cdek: ['https://www.cdek.ru/ru/tracking?order_id={}', SHOPS],
  'russian-post': ['https://www.pochta.ru/tracking?barcode={}', SHOPS],
  // Middle East
  aramex: ['https://www.aramex.com/track/results?ShipmentNumber={}', SHOPS],
  smsa: ['https://www.smsaexpress.com/trackingdetails?tracknumbers={}', SHOPS],
  'israel-post': ['https://mypost.israelpost.co.il/itemtrace?itemcode={}', SHOPS],
  // India and Pakistan
  delhivery: ['https://www.delhivery.com/track/package/{}', SHOPS],
  dtdc: ['https://www.dtdc.in/tracking/shipment-tracking.asp?strCnno={}', SHOPS],
  'ecom-express': ['https://ecomexpress.in/tracking/?awb_field={}', SHOPS],
  xpressbees: ['https://www.xpressbees.com/track?isawb=Yes&trackid={}', SHOPS],
  tcs: ['https://www.tcsexpress.com/tracking?id={}', SHOPS],
  // South-east Asia
  'jtexpress-my': ['https://www.jtexpress.my/tracking/{}', SHOPS],
  'jtexpress-ph': ['https://www.jtexpress.ph/trajectoryQuery?waybillNo={}', SHOPS],
  'jtexpress-vn': ['https://jtexpress.vn/vi/tracking?type=track&billcode={}', SHOPS],
  ghn: ['https://donhang.ghn.vn/?order_code={}', SHOPS],
  'viettel-post': ['https://viettelpost.com.vn/tra-cuu-hanh-trinh-don/?order_number={}', SHOPS],
  lbc: ['https://www.lbcexpress.com/track/?tracking_no={}', SHOPS],
  'ninja-van': ['https://www.ninjavan.co/en-sg/?tracking_id={}', SHOPS],
  'kerry-express': ['https://th.kerryexpress.com/en/track/?track={}', SHOPS],
  'flash-express': ['https://www.flashexpress.com/tracking/?se={}', SHOPS],
  'thailand-post': ['https://track.thailandpost.co.th/?trackNumber={}', SHOPS],
  // East Asia
  'sf-express': ['https://www.sf-express.com/cn/en/dynamic_function/waybill/#search/bill-number/{}', SHOPS],
  cainiao: ['https://global.cainiao.com/newDetail.htm?mailNoList={}', SHOPS],
  yunexpress: ['https://www.yuntrack.com/parcelTracking?id={}', FORMS],
  'cj-logistics': ['https://trace.cjlogistics.com/next/tracking.html?wblNo={}', KOREA],
  hanjin: ['https://www.hanjin.com/kor/CMS/DeliveryMgr/WaybillResult.do?mCode=MN038&schLang=KR&wblnumText2={}', SHOPS],
  lotte: ['https://www.lotteglogis.com/home/reservation/tracking/linkView?InvNo={}', KOREA],
  'korea-post': ['https://service.epost.go.kr/trace.RetrieveDomRigiTraceList.comm?sid1={}', KOREA],
  yamato: ['https://jizen.kuronekoyamato.co.jp/jizen/servlet/crjz.b.NQ0010?id={}', SHOPS],
  sagawa: ['https://k2k.sagawa-exp.co.jp/p/web/okurijosearch.do?okurijoNo={}', SHOPS],
  'japan-post': ['https://trackings.post.japanpost.jp/services/srv/sequenceNoSearch/?requestNo={}&count=100&sequenceNoSearch.x=94&sequenceNoSearch.y=10&locale=en', SHOPS],
  // Oceania
  'australia-post': ['https://auspost.com.au/mypost/track/details/{}', SHOPS],
  startrack: ['https://startrack.com.au/track/details/{}', SHOPS],
  couriersplease: ['https://www.couriersplease.com.au/tools-track/no/{}', SHOPS],
  sendle: ['https://track.sendle.com/tracking?ref={}', KARRIO],
  'new-zealand-post': ['https://www.nzpost.co.nz/tools/tracking?trackid={}', SHIPPY],
};

/** The page of a parcel on the site of its carrier; undefined where it is not known. */
export function carrierUrl(carrier: string, number: string): string | undefined {
  return Object.hasOwn(PAGES, carrier) ? PAGES[carrier]?.[0].replace('{}', encodeURIComponent(number)) : undefined;
}

/** The page of a parcel on the site of its carrier, or the site where that page or the number is not known. */
export function carrierPage({ code, url }: Pick<Carrier, 'code' | 'url'>, number: string | null): string {
  return (number === null ? undefined : carrierUrl(code, number)) ?? url;
}
