// The places that the weather stand-in knows. Names in English and, where Chinese readers look for them, in Chinese.

export interface City {
  readonly id: number;
  readonly name: string;
  readonly zh?: string;
  readonly latitude: number;
  readonly longitude: number;
  readonly admin1?: string;
  readonly country: string;
  readonly country_code: string;
  readonly timezone: string;
  readonly population: number;
}

type Row = readonly [name: string, zh: string, latitude: number, longitude: number, admin1: string, countryCode: string, thousands: number];

const countries: Readonly<Record<string, readonly [country: string, timezone: string]>> = {
  AE: ['United Arab Emirates', 'Asia/Dubai'],
  AR: ['Argentina', 'America/Argentina/Buenos_Aires'],
  AU: ['Australia', 'Australia/Sydney'],
  BR: ['Brazil', 'America/Sao_Paulo'],
  CA: ['Canada', 'America/Toronto'],
  CN: ['China', 'Asia/Shanghai'],
  DE: ['Germany', 'Europe/Berlin'],
  EG: ['Egypt', 'Africa/Cairo'],
  ES: ['Spain', 'Europe/Madrid'],
  FR: ['France', 'Europe/Paris'],
  GB: ['United Kingdom', 'Europe/London'],
  HK: ['Hong Kong', 'Asia/Hong_Kong'],
  IN: ['India', 'Asia/Kolkata'],
  IT: ['Italy', 'Europe/Rome'],
  JP: ['Japan', 'Asia/Tokyo'],
  KE: ['Kenya', 'Africa/Nairobi'],
  KR: ['South Korea', 'Asia/Seoul'],
  MX: ['Mexico', 'America/Mexico_City'],
  NO: ['Norway', 'Europe/Oslo'],
  NZ: ['New Zealand', 'Pacific/Auckland'],
  RU: ['Russia', 'Europe/Moscow'],
  SG: ['Singapore', 'Asia/Singapore'],
  TH: ['Thailand', 'Asia/Bangkok'],
  TR: ['Turkey', 'Europe/Istanbul'],
  TW: ['Taiwan', 'Asia/Taipei'],
  US: ['United States', 'America/New_York'],
  ZA: ['South Africa', 'Africa/Johannesburg'],
};

const rows: readonly Row[] = [
  ['Beijing', '北京', 39.9075, 116.39723, 'Beijing', 'CN', 18_961],
  ['Shanghai', '上海', 31.22222, 121.45806, 'Shanghai', 'CN', 24_874],
  ['Guangzhou', '广州', 23.11667, 113.25, 'Guangdong', 'CN', 16_097],
  ['Shenzhen', '深圳', 22.54554, 114.0683, 'Guangdong', 'CN', 17_494],
  ['Chengdu', '成都', 30.66667, 104.06667, 'Sichuan', 'CN', 13_568],
  ['Hangzhou', '杭州', 30.29365, 120.16142, 'Zhejiang', 'CN', 9_236],
  ["Xi'an", '西安', 34.25833, 108.92861, 'Shaanxi', 'CN', 12_952],
  ['Harbin', '哈尔滨', 45.75, 126.65, 'Heilongjiang', 'CN', 5_242],
  ['Lhasa', '拉萨', 29.65, 91.1, 'Tibet', 'CN', 867],
  ['Hong Kong', '香港', 22.27832, 114.17469, '', 'HK', 7_492],
  ['Taipei', '台北', 25.04776, 121.53185, 'Taiwan', 'TW', 2_646],
  ['Tokyo', '东京', 35.6895, 139.69171, 'Tokyo', 'JP', 9_733],
  ['Osaka', '大阪', 34.69379, 135.50107, 'Osaka', 'JP', 2_753],
  ['Seoul', '首尔', 37.566, 126.9784, 'Seoul', 'KR', 10_349],
  ['Singapore', '新加坡', 1.28967, 103.85007, '', 'SG', 5_917],
  ['Bangkok', '曼谷', 13.75398, 100.50144, 'Bangkok', 'TH', 5_104],
  ['Mumbai', '孟买', 19.07283, 72.88261, 'Maharashtra', 'IN', 12_691],
  ['New Delhi', '新德里', 28.63576, 77.22445, 'Delhi', 'IN', 317],
  ['Dubai', '迪拜', 25.07725, 55.30927, 'Dubai', 'AE', 3_790],
  ['Istanbul', '伊斯坦布尔', 41.01384, 28.94966, 'Istanbul', 'TR', 15_701],
  ['Moscow', '莫斯科', 55.75222, 37.61556, 'Moscow', 'RU', 10_381],
  ['London', '伦敦', 51.50853, -0.12574, 'England', 'GB', 8_961],
  ['Edinburgh', '爱丁堡', 55.95206, -3.19648, 'Scotland', 'GB', 506],
  ['Paris', '巴黎', 48.85341, 2.3488, 'Île-de-France', 'FR', 2_138],
  ['Paris', '', 33.66094, -95.55551, 'Texas', 'US', 24],
  ['Berlin', '柏林', 52.52437, 13.41053, 'State of Berlin', 'DE', 3_426],
  ['Munich', '慕尼黑', 48.13743, 11.57549, 'Bavaria', 'DE', 1_260],
  ['Madrid', '马德里', 40.4165, -3.70256, 'Madrid', 'ES', 3_255],
  ['Rome', '罗马', 41.89193, 12.51133, 'Lazio', 'IT', 2_318],
  ['Tromsø', '', 69.6489, 18.95508, 'Troms', 'NO', 52],
  ['Cairo', '开罗', 30.06263, 31.24967, 'Cairo', 'EG', 9_606],
  ['Nairobi', '内罗毕', -1.28333, 36.81667, 'Nairobi', 'KE', 2_750],
  ['Cape Town', '开普敦', -33.92584, 18.42322, 'Western Cape', 'ZA', 4_004],
  ['Sydney', '悉尼', -33.86785, 151.20732, 'New South Wales', 'AU', 4_627],
  ['Auckland', '奥克兰', -36.84853, 174.76349, 'Auckland', 'NZ', 1_470],
  ['New York', '纽约', 40.71427, -74.00597, 'New York', 'US', 8_804],
  ['San Francisco', '旧金山', 37.77493, -122.41942, 'California', 'US', 864],
  ['Los Angeles', '洛杉矶', 34.05223, -118.24368, 'California', 'US', 3_820],
  ['Chicago', '芝加哥', 41.85003, -87.65005, 'Illinois', 'US', 2_664],
  ['St. Louis', '圣路易斯', 38.62727, -90.19789, 'Missouri', 'US', 301],
  ['Springfield', '', 39.80172, -89.64371, 'Illinois', 'US', 114],
  ['Springfield', '', 37.21533, -93.29824, 'Missouri', 'US', 169],
  ['Boston', '波士顿', 42.35843, -71.05977, 'Massachusetts', 'US', 653],
  ['Seattle', '西雅图', 47.60621, -122.33207, 'Washington', 'US', 737],
  ['Toronto', '多伦多', 43.70643, -79.39864, 'Ontario', 'CA', 2_600],
  ['Vancouver', '温哥华', 49.24966, -123.11934, 'British Columbia', 'CA', 600],
  ['Mexico City', '墨西哥城', 19.42847, -99.12766, 'Mexico City', 'MX', 12_294],
  ['São Paulo', '圣保罗', -23.5475, -46.63611, 'São Paulo', 'BR', 12_401],
  ['Buenos Aires', '布宜诺斯艾利斯', -34.61315, -58.37723, 'Buenos Aires F.D.', 'AR', 13_076],
];

const cities: readonly City[] = rows.map(([name, zh, latitude, longitude, admin1, code, thousands], index) => {
  const [country = '', timezone = 'UTC'] = countries[code] ?? [];
  return {
    id: 1_000_000 + index,
    name,
    ...(zh && { zh }),
    latitude,
    longitude,
    ...(admin1 && { admin1 }),
    country,
    country_code: code,
    timezone,
    population: thousands * 1_000,
  };
});

/** As the real search does: by the beginning of a name, without case and accents, the exact ones and the largest first. */
export function citiesNamed(asked: string): readonly City[] {
  const wanted = plain(asked);
  if (wanted.length < 2 && !/\p{Script=Han}/u.test(wanted)) return [];
  const isExact = (city: City): boolean => plain(city.name) === wanted || city.zh === asked;
  return cities
    .filter((city) => isExact(city) || (wanted.length >= 3 && plain(city.name).startsWith(wanted)))
    .toSorted((a, b) => Number(isExact(b)) - Number(isExact(a)) || b.population - a.population);
}

function plain(text: string): string {
  return text.normalize('NFD').replace(/\p{M}/gu, '').replaceAll('ø', 'o').replaceAll('’', "'").toLowerCase().trim();
}
