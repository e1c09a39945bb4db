// Chart numbers against what is published: the sexagenary calendar, solar terms of the Purple Mountain Observatory's almanac,
// positions of the Swiss Ephemeris.
import { describe, expect, test } from '@jest/globals';
import { showBaziChart, showZodiacChart } from '#lib/contracts';
import { baziChart } from './bazi.js';
import { civilAt, civilFrom, clockFault, instantOf, standardOffsetMs } from './civil-time.js';
import { equationOfTimeMinutes } from './true-solar-time.js';
import { ascendantAt, zodiacChart } from './zodiac.js';

const bazi = (input: Record<string, unknown>) => baziChart(showBaziChart.input.parse(input));
const zodiac = (input: Record<string, unknown>) => zodiacChart(showZodiacChart.input.parse(input));
const words = ({ pillars }: ReturnType<typeof bazi>) =>
  [pillars.year, pillars.month, pillars.day, pillars.hour].map((pillar) => (pillar ? pillar.stem + pillar.branch : null)).join(' ');

describe('four pillars', () => {
  test.each([
    // The reference day of the sexagenary cycle, and one 18,354 days later.
    ['1949-10-01', '12:00', '己丑 癸酉 甲子 庚午'],
    ['2000-01-01', '12:00', '己卯 丙子 戊午 戊午'],
    ['1990-05-20', '08:30', '庚午 辛巳 乙酉 庚辰'],
    // Late 子: still the same day, with the hour's stem of the next one (甲己起甲子).
    ['2000-01-01', '23:30', '己卯 丙子 戊午 甲子'],
    // Summer time: clocks showed 23:30 at 22:30.
    ['1990-05-20', '23:30', '庚午 辛巳 乙酉 丁亥'],
  ])('of %s %s', (birth_date, birth_time, expected) => {
    expect(words(bazi({ birth_date, birth_time }))).toBe(expected);
  });

  test.each([
    // 立春 of the almanac: 2023-02-04 10:42, 2024-02-04 16:27, 2025-02-03 22:10, 2026-02-04 04:02 (Beijing time).
    ['2023-02-04', '10:40', '10:45', '壬寅 癸丑', '癸卯 甲寅'],
    ['2024-02-04', '16:24', '16:30', '癸卯 乙丑', '甲辰 丙寅'],
    ['2025-02-03', '22:08', '22:13', '甲辰 丁丑', '乙巳 戊寅'],
    ['2026-02-04', '03:59', '04:05', '乙巳 己丑', '丙午 庚寅'],
  ])('turn with 立春 of %s', (...row) => {
    const [birth_date, before, after, old, fresh] = row;
    expect(words(bazi({ birth_date, birth_time: before }))).toMatch(`${old} `);
    expect(words(bazi({ birth_date, birth_time: after }))).toMatch(`${fresh} `);
  });

  test.each([
    ['2024-06-25', '夏至', '2024-06-21T04:50:46Z'],
    ['2024-12-25', '冬至', '2024-12-21T17:20:20Z'],
    ['2025-03-22', '春分', '2025-03-20T17:01:14Z'],
  ])('name the solar term before %s to the minute', (birth_date, name, published) => {
    const { previous } = bazi({ birth_date, birth_time: '12:00' }).solar_terms;
    expect(previous.name).toBe(name);
    expect(Math.abs(Date.parse(`${previous.at.replace(' ', 'T')}Z`) - Date.parse(published))).toBeLessThan(60_000);
  });

  test('follow the instant, wherever on earth it was', () => {
    // 08:00 in London on that day is 16:00 in Beijing: before 立春; 09:00 is after it.
    expect(words(bazi({ birth_date: '2024-02-04', birth_time: '08:00', timezone: 'Europe/London' }))).toMatch('癸卯 乙丑 戊戌 丙辰');
    expect(words(bazi({ birth_date: '2024-02-04', birth_time: '09:00', timezone: 'Europe/London' }))).toMatch('甲辰 丙寅 戊戌 丁巳');
  });

  test('take summer time away: clocks in China were an hour ahead in 1988', () => {
    expect(bazi({ birth_date: '1988-07-01', birth_time: '11:30' }).pillars.hour?.branch).toBe('巳');
    expect(bazi({ birth_date: '1993-07-01', birth_time: '11:30' }).pillars.hour?.branch).toBe('午');
  });

  test('follow true solar time where the longitude is known', () => {
    // Ürümqi keeps Beijing time and lies 32° west of its meridian: its noon comes after 14:00.
    const birth = { birth_date: '2001-03-01', birth_time: '12:00' };
    expect(bazi(birth)).toMatchObject({ clock: 'civil', pillars: { hour: { branch: '午' } } });
    expect(bazi({ ...birth, longitude: 87.6 })).toMatchObject({ clock: 'true-solar', pillars: { hour: { branch: '巳' } } });
  });

  test('come with gods, elements and cycles, and without an hour where none is known', () => {
    expect(bazi({ birth_date: '1990-05-20', birth_time: '08:30', gender: 'male' })).toMatchObject({
      day_master: { stem: '乙', element: 'wood', polarity: 'yin' },
      five_elements: { wood: 1, fire: 2, earth: 1, metal: 4, water: 0 },
      animal: '马',
      pillars: {
        year: {
          ten_god: '正官',
          nayin: '路旁土',
          hidden_stems: [
            { stem: '丁', ten_god: '食神' },
            { stem: '己', ten_god: '偏财' },
          ],
        },
        day: { ten_god: '日主', nayin: '泉中水', hidden_stems: [{ stem: '辛', ten_god: '七杀' }] },
      },
      luck_cycles: [{ pillar: '壬午' }, { pillar: '癸未' }, { pillar: '甲申' }, {}, {}, {}, {}, {}],
    });
    expect(bazi({ birth_date: '1990-05-20', gender: 'female' }).luck_cycles?.[0]?.pillar).toBe('庚辰');
    expect(bazi({ birth_date: '1990-05-20' })).toMatchObject({ pillars: { hour: null }, luck_cycles: null });
  });
});

describe('a zodiac chart', () => {
  test('has the positions of J2000 that the Swiss Ephemeris gives', () => {
    // 11:58:56 UTC is 12:00 TT; a minute moves the Moon by 0.009°.
    const { bodies } = zodiac({ birth_date: '2000-01-01', birth_time: '11:59', timezone: 'UTC' });
    const published = {
      sun: 280.37,
      moon: 223.32,
      mercury: 271.89,
      venus: 241.57,
      mars: 327.96,
      jupiter: 25.25,
      saturn: 40.4,
      uranus: 314.81,
      neptune: 303.19,
      pluto: 251.45,
    };
    for (const { body, longitude } of bodies) expect([body, longitude]).toEqual([body, expect.closeTo(Reflect.get(published, body), 1)]);
    expect(bodies.filter(({ retrograde }) => retrograde).map(({ body }) => body)).toEqual(['saturn']);
  });

  test.each([
    // Equinoxes and solstices as published: 2024-03-20 03:06, 2024-06-20 20:51, 2024-09-22 12:44, 2024-12-21 09:20 UTC.
    ['2024-03-20', '03:04', '03:09', 'pisces', 'aries'],
    ['2024-06-20', '20:48', '20:54', 'gemini', 'cancer'],
    ['2024-09-22', '12:41', '12:47', 'virgo', 'libra'],
    ['2024-12-21', '09:18', '09:23', 'sagittarius', 'capricorn'],
  ])('changes the sun sign on %s when the almanac says', (...row) => {
    const [birth_date, before, after, old, fresh] = row;
    expect(zodiac({ birth_date, birth_time: before, timezone: 'UTC' }).sun_sign).toBe(old);
    expect(zodiac({ birth_date, birth_time: after, timezone: 'UTC' }).sun_sign).toBe(fresh);
  });

  test('finds the aspects of that day', () => {
    const { aspects } = zodiac({ birth_date: '2000-01-01', birth_time: '11:59', timezone: 'UTC' });
    // 280.37 − 40.40 = 120 − 0.03; 314.81 − 223.32 = 90 + 1.49.
    expect(aspects).toContainEqual({ first: 'sun', second: 'saturn', aspect: 'trine', orb: expect.closeTo(0.03, 1) });
    expect(aspects).toContainEqual({ first: 'moon', second: 'uranus', aspect: 'square', orb: expect.closeTo(1.49, 1) });
    expect(aspects.map(({ orb }) => orb)).toEqual(aspects.map(({ orb }) => orb).toSorted((a, b) => a - b));
  });

  test('has an ascendant where time and place are known', () => {
    const chart = zodiac({ birth_date: '2000-01-01', birth_time: '12:00', timezone: 'UTC', latitude: 51.4779, longitude: 0 });
    // Greenwich, J2000 noon: Aries 24°.
    expect(chart.ascendant).toMatchObject({ sign: 'aries' });
    expect(chart.ascendant?.degree).toBeCloseTo(24.0, 0);
    expect(zodiac({ birth_date: '2000-01-01' })).toMatchObject({ ascendant: null, time_known: false });
  });

  test('is on the horizon: at sunrise the ascendant is the Sun', () => {
    // London, 2024-03-20: sunrise at 06:03 UTC; refraction and the Sun’s disc make it about a degree.
    const at = new Date('2024-03-20T06:08:00Z');
    const sun = zodiac({ birth_date: '2024-03-20', birth_time: '06:08', timezone: 'UTC' }).bodies[0]?.longitude ?? Number.NaN;
    expect(Math.abs(((ascendantAt(at, 51.5, -0.13) - sun + 540) % 360) - 180)).toBeLessThan(2.5);
  });
});

describe('clocks', () => {
  test('are read by the history of their zone', () => {
    expect(instantOf(civilFrom('1988-07-01', '12:00'), 'Asia/Shanghai').toISOString()).toBe('1988-07-01T03:00:00.000Z');
    expect(instantOf(civilFrom('2020-07-01', '12:00'), 'Asia/Shanghai').toISOString()).toBe('2020-07-01T04:00:00.000Z');
    expect(instantOf(civilFrom('2024-03-31', '01:30'), 'Europe/London').toISOString()).toBe('2024-03-31T01:30:00.000Z');
    expect(standardOffsetMs(1988, 'Asia/Shanghai')).toBe(8 * 3_600_000);
    expect(civilAt(new Date('2024-01-01T00:00:00Z'), 'Asia/Kathmandu')).toMatchObject({ hour: 5, minute: 45 });
  });

  test.each([
    ['1986-05-04', '02:30', 'Asia/Shanghai', /never showed this time/],
    ['1986-05-04', '01:59', 'Asia/Shanghai', null],
    ['1986-05-04', '03:00', 'Asia/Shanghai', null],
    ['1986-09-14', '01:30', 'Asia/Shanghai', /twice/],
    ['1986-09-14', '02:30', 'Asia/Shanghai', null],
    ['2024-03-10', '02:00', 'America/New_York', /never showed/],
    ['2024-11-03', '01:15', 'America/New_York', /twice/],
    ['2024-10-06', '02:15', 'Australia/Lord_Howe', /never showed/],
    ['2024-04-07', '01:45', 'Australia/Lord_Howe', /twice/],
    ['2011-12-30', '12:00', 'Pacific/Apia', /never showed/],
    ['2000-01-01', '00:00', 'UTC', null],
  ] as const)('%s %s in %s is told where it is doubtful', (date, time, zone, told) => {
    const fault = clockFault(civilFrom(date, time), zone);
    if (told) expect(fault).toMatch(told);
    else expect(fault).toBeNull();
  });

  test('that show a time twice mean the earlier one', () => {
    expect(instantOf(civilFrom('2024-11-03', '01:15'), 'America/New_York').toISOString()).toBe('2024-11-03T05:15:00.000Z');
    expect(instantOf(civilFrom('1986-09-14', '01:30'), 'Asia/Shanghai').toISOString()).toBe('1986-09-13T16:30:00.000Z');
  });

  test('of the sun are ahead and behind as published: +16.4 min in early November, −14.2 in mid February', () => {
    expect(equationOfTimeMinutes(new Date('2024-11-03T12:00:00Z'))).toBeCloseTo(16.4, 0);
    expect(equationOfTimeMinutes(new Date('2024-02-11T12:00:00Z'))).toBeCloseTo(-14.2, 0);
  });
});
