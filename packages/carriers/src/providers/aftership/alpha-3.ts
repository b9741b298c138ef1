/** ISO 3166-1 alpha-3 codes that begin with the alpha-2 code of their country, and alpha-2 codes with the others. */
const SAME_BEGINNING =
  'AFG AIA ALB ARG ASM AUS AZE BEL BFA BGR BHR BLM BMU BOL BRA BTN BVT BWA CAN CCK CHE CIV CMR COL CRI CUB CXR CYP ' +
  'CZE DEU DJI DMA DOM DZA ECU EGY ERI ESP ETH FIN FJI FRA GAB GBR GEO GGY GHA GIB GMB GRC GTM GUM HKG HMD HND HRV ' +
  'HTI HUN IDN IMN IND IOT IRN ISL ITA JEY JOR JPN KEN KGZ KHM KIR KNA KWT LAO LBN LCA LIE LKA LSO LTU LUX LVA MAR ' +
  'MCO MDA MHL MKD MLI MMR MNG MRT MSR MUS MWI MYS NAM NCL NER NFK NGA NIC NLD NOR NPL NRU NZL OMN PAN PER PHL PRI ' +
  'PSE QAT REU ROU RUS RWA SAU SDN SGP SHN SJM SLE SMR SOM SSD STP SXM SYR TCA TGO THA TJK TKL TLS TON TTO TWN TZA ' +
  'UGA UMI USA UZB VAT VCT VEN VGB VIR VNM VUT WSM YEM ZAF ZMB ZWE';
const OTHERS =
  'ADAND AEARE AGATG AMARM AOAGO AQATA ATAUT AWABW AXALA BABIH BBBRB BDBGD BIBDI BJBEN BNBRN BQBES BSBHS BYBLR ' +
  'BZBLZ CDCOD CFCAF CGCOG CKCOK CLCHL CNCHN CVCPV CWCUW DKDNK EEEST EHESH FKFLK FMFSM FOFRO GDGRD GFGUF GLGRL ' +
  'GNGIN GPGLP GQGNQ GSSGS GWGNB GYGUY IEIRL ILISR IQIRQ JMJAM KMCOM KPPRK KRKOR KYCYM KZKAZ LRLBR LYLBY MEMNE ' +
  'MFMAF MGMDG MOMAC MPMNP MQMTQ MTMLT MVMDV MXMEX MZMOZ NUNIU PFPYF PGPNG PKPAK PLPOL PMSPM PNPCN PTPRT PWPLW ' +
  'PYPRY RSSRB SBSLB SCSYC SESWE SISVN SKSVK SNSEN SRSUR SVSLV SZSWZ TDTCD TFATF TMTKM TNTUN TRTUR TVTUV UAUKR ' +
  'UYURY WFWLF YTMYT';

const ALPHA_3 = new Map([
  ...SAME_BEGINNING.split(' ').map((code) => [code.slice(0, 2), code] as const),
  ...OTHERS.split(' ').map((codes) => [codes.slice(0, 2), codes.slice(2)] as const),
]);

/** The ISO 3166-1 alpha-3 code of a country by its alpha-2 code, the only form that AfterShip accepts; undefined for no country. */
export function alpha3Of(alpha2: string): string | undefined {
  return ALPHA_3.get(alpha2.toUpperCase());
}

const ALPHA_2 = new Map([...ALPHA_3].map(([alpha2, alpha3]) => [alpha3, alpha2]));

/** The alpha-2 code of a country that AfterShip names; undefined for one that it does not name by its alpha-3 code. */
export function alpha2Of(alpha3: string): string | undefined {
  return ALPHA_2.get(alpha3.toUpperCase());
}
