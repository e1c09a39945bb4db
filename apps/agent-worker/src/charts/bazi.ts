// Four pillars (八字) by lunar-typescript. Year and month turn at solar terms, which are instants; the almanac gives them in Beijing
// time. Day and hour follow the clock of the place of birth, without summer time.
import { LunarUtil, Solar, type EightChar, type JieQi } from 'lunar-typescript';
import type { showBaziChart, ToolInput, ToolOutput } from '#lib/contracts';
import { civilFrom, instantOf, standardOffsetMs } from './civil-time.js';
import { equationOfTimeMinutes } from './true-solar-time.js';

type Birth = ToolInput<typeof showBaziChart>;
type Chart = Omit<ToolOutput<typeof showBaziChart>, 'type'>;

const beijingMs = 8 * 3_600_000;
const elementOf: Readonly<Record<string, Element>> = { 木: 'wood', 火: 'fire', 土: 'earth', 金: 'metal', 水: 'water' };
const yangStems = '甲丙戊庚壬';
type Element = keyof Chart['five_elements'];

/** Without a time of birth the pillars are those of noon; year and month may then be wrong on the day of a solar term. */
export function baziChart(birth: Birth): Chart {
  const instant = instantOf(civilFrom(birth.birth_date, birth.birth_time ?? '12:00'), birth.timezone);
  const beijing = solarAt(new Date(instant.getTime() + beijingMs)).getLunar();
  const local = solarAt(localClock(instant, birth)).getLunar();
  const yearly = beijing.getEightChar();
  const daily = local.getEightChar();
  // The day turns at midnight: the hour after 23:00 is the late 子 of the same day.
  daily.setSect(2);
  const self = daily.getDayGan();
  const words = [yearly.getYear(), yearly.getMonth(), daily.getDay(), ...(birth.birth_time ? [daily.getTime()] : [])];
  const [year, month, day, hour = null] = words.map((word, place) => pillarOf(word, self, place === 2));
  if (!year || !month || !day) throw new Error('The calendar gave no pillars');
  return {
    pillars: { year, month, day, hour },
    day_master: { stem: self, element: elementOfStem(self), polarity: yangStems.includes(self) ? 'yang' : 'yin' },
    five_elements: countElements(words),
    solar_terms: { previous: termOf(beijing.getPrevJieQi()), next: termOf(beijing.getNextJieQi()) },
    lunar_date: local.toString(),
    animal: beijing.getYearShengXiaoExact(),
    luck_cycles: birth.gender ? luckCycles(yearly, birth.gender) : null,
    clock: birth.longitude === undefined ? 'civil' : 'true-solar',
  };
}

/** The local time of birth as a UTC date: true solar time where the longitude is known, else standard time. */
function localClock(instant: Date, { birth_date, timezone, longitude }: Birth): Date {
  const aheadMs =
    longitude === undefined
      ? standardOffsetMs(Number(birth_date.slice(0, 4)), timezone)
      : (longitude * 4 + equationOfTimeMinutes(instant)) * 60_000;
  return new Date(instant.getTime() + aheadMs);
}

function solarAt(asIfUtc: Date): Solar {
  return Solar.fromYmdHms(
    asIfUtc.getUTCFullYear(),
    asIfUtc.getUTCMonth() + 1,
    asIfUtc.getUTCDate(),
    asIfUtc.getUTCHours(),
    asIfUtc.getUTCMinutes(),
    asIfUtc.getUTCSeconds(),
  );
}

/** @param word stem and branch, such as 甲子 */
function pillarOf(word: string, self: string, isDay: boolean): Chart['pillars']['year'] {
  const [stem = '', branch = ''] = word;
  const hidden = LunarUtil.ZHI_HIDE_GAN[branch] ?? [];
  return {
    stem,
    branch,
    ten_god: isDay ? '日主' : tenGod(self, stem),
    hidden_stems: hidden.map((one) => ({ stem: one, ten_god: tenGod(self, one) })),
    nayin: LunarUtil.NAYIN[word] ?? '',
  };
}

function tenGod(self: string, stem: string): string {
  return LunarUtil.SHI_SHEN[self + stem] ?? '';
}

function elementOfStem(stem: string): Element {
  return elementOf[LunarUtil.WU_XING_GAN[stem] ?? ''] ?? 'earth';
}

function countElements(words: readonly string[]): Chart['five_elements'] {
  const counts = { wood: 0, fire: 0, earth: 0, metal: 0, water: 0 };
  for (const [stem = '', branch = ''] of words) {
    counts[elementOfStem(stem)] += 1;
    counts[elementOf[LunarUtil.WU_XING_ZHI[branch] ?? ''] ?? 'earth'] += 1;
  }
  return counts;
}

function termOf(term: JieQi): Chart['solar_terms']['previous'] {
  return { name: term.getName(), at: term.getSolar().toYmdHms() };
}

/** Eight ten-year cycles: forwards for a man of a yang year and a woman of a yin year, else backwards. */
function luckCycles(yearly: EightChar, gender: 'male' | 'female'): NonNullable<Chart['luck_cycles']> {
  return (
    yearly
      .getYun(gender === 'male' ? 1 : 0)
      .getDaYun()
      // The first entry is the time before the first cycle.
      .slice(1, 9)
      .map((cycle) => ({ from_age: cycle.getStartAge(), from_year: cycle.getStartYear(), pillar: cycle.getGanZhi() }))
  );
}
