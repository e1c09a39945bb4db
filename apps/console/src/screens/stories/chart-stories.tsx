import { HealthGauges } from '../../components/drawings/health-gauges.js';
import { Pillars } from '../../components/drawings/pillars.js';
import { InsightCard } from '../../components/drawings/cards.js';
import { ZodiacWheel } from '../../components/drawings/zodiac-wheel.js';
import { Meter } from '../../components/meter.js';
import { TimeChart } from '../../components/time-chart.js';

const count = 120;
const times = Array.from({ length: count }, (_, index) => 1_790_000_000 + index);
const wave = (height: number) => times.map((at) => Math.round(height * (1.2 + Math.sin(at / 9))));
const series = [
  { name: 'Calls', colour: '--chart-1', values: wave(40), isFilled: true },
  { name: 'Errors', colour: '--chart-4', values: wave(4) },
];
const pillar = { stem: '庚', branch: '午', ten_god: '正官', hidden_stems: [{ stem: '丁', ten_god: '食神' }], nayin: '路旁土' };
const term = { name: '立夏', at: '1990-05-06 04:35:00' };
const place = (body: string, longitude: number) => ({
  body,
  longitude,
  sign: 'aries' as const,
  degree: longitude % 30,
  retrograde: body === 'mars',
});

/** Charts and pictures of results. */
export function ChartStories() {
  return (
    <>
      <TimeChart label="Calls a second" times={times} series={series} format={String} />
      {[10, 75, 95].map((value) => (
        <Meter key={value} label={`${value} of 100`} value={value} max={100} />
      ))}
      <HealthGauges
        input={{ weight_kg: 70, gender: 'male' }}
        metrics={{
          bmi: 22.86,
          bmi_category: 'normal',
          bmr: 1_648.75,
          tdee: 2_555.56,
          ideal_weight_range: [56.7, 76.3],
          body_fat_estimate: 18.13,
          muscle_mass_estimate: 31.09,
          calorie_goal: { maintain: 2_555.56, lose_weight: 2_055.56, gain_weight: 3_055.56 },
        }}
      />
      <Pillars
        chart={{
          type: 'bazi_chart',
          pillars: { year: pillar, month: pillar, day: { ...pillar, stem: '乙', branch: '酉', ten_god: '日主' }, hour: null },
          day_master: { stem: '乙', element: 'wood', polarity: 'yin' },
          five_elements: { wood: 1, fire: 2, earth: 0, metal: 3, water: 0 },
          solar_terms: { previous: term, next: term },
          lunar_date: '一九九〇年四月廿六',
          animal: '马',
          luck_cycles: [{ from_age: 4, from_year: 1994, pillar: '壬午' }],
          clock: 'civil',
        }}
      />
      <ZodiacWheel
        chart={{
          type: 'zodiac_chart',
          sun_sign: 'aries',
          moon_sign: 'aries',
          ascendant: null,
          bodies: [place('sun', 12), place('moon', 14), place('mars', 160)],
          aspects: [{ first: 'sun', second: 'mars', aspect: 'square', orb: 1.2 }],
          time_known: true,
        }}
      />
      <InsightCard insight={{ status: 'shown', type: 'insight', title: '今日提示', content: '先做最难的一件事。', tone: 'neutral' }} />
    </>
  );
}
