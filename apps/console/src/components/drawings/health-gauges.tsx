import { useText } from '../../language/use-text.js';
import { Stats } from '../stats.js';
import type { Input } from '../schema-form/input.js';
import { Gauge } from './gauge.js';
import type { HealthMetrics } from './results.js';
import { drawingText } from './text.js';

/** Limits of the categories of the WHO, kg/m². */
const bmiLimits = [18.5, 25, 30];

/** The metrics of a body against their ranges. */
export function HealthGauges({ metrics, input }: { readonly metrics: HealthMetrics; readonly input: Input }) {
  const words = useText(drawingText);
  const [low = 0, high = 0] = metrics.ideal_weight_range;
  const weight = input['weight_kg'];
  const fatLimits = input['gender'] === 'female' ? [14, 25, 32] : [6, 18, 25];
  return (
    <figure className="stack" aria-label={words.metrics}>
      <div className="columns two">
        <Gauge
          label={words.bmi}
          shown={`${metrics.bmi} · ${words.bmiCategories[metrics.bmi_category]}`}
          value={metrics.bmi}
          scale={{ from: 14, to: 40, limits: bmiLimits, colours: ['info', 'good', 'warn', 'bad'] }}
        />
        {metrics.body_fat_estimate !== null && (
          <Gauge
            label={words.bodyFat}
            shown={`${metrics.body_fat_estimate} %`}
            value={metrics.body_fat_estimate}
            scale={{ from: 0, to: 45, limits: fatLimits, colours: ['info', 'good', 'warn', 'bad'] }}
          />
        )}
        {typeof weight === 'number' && (
          <Gauge
            label={words.weight}
            shown={`${weight} kg · ${words.ideal(low, high)}`}
            value={weight}
            scale={{ from: low * 0.7, to: high * 1.5, limits: [low, high], colours: ['info', 'good', 'warn'] }}
          />
        )}
      </div>
      <h2>{words.energy}</h2>
      <Stats
        stats={[
          { label: words.bmr, value: Math.round(metrics.bmr), unit: 'kcal' },
          { label: words.tdee, value: Math.round(metrics.tdee), unit: 'kcal' },
          { label: words.lose, value: Math.round(metrics.calorie_goal.lose_weight), unit: 'kcal' },
          { label: words.gain, value: Math.round(metrics.calorie_goal.gain_weight), unit: 'kcal' },
        ]}
      />
    </figure>
  );
}
