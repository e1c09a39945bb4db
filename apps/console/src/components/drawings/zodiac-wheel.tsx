import { useText } from '../../language/use-text.js';
import { Badge } from '../badge.js';
import { Table } from '../table.js';
import type { ZodiacChart } from './results.js';
import { drawingText } from './text.js';

type Sign = ZodiacChart['sun_sign'];
const signs = [
  'aries',
  'taurus',
  'gemini',
  'cancer',
  'leo',
  'virgo',
  'libra',
  'scorpio',
  'sagittarius',
  'capricorn',
  'aquarius',
  'pisces',
] as const satisfies readonly Sign[];
const signGlyphs = '♈♉♊♋♌♍♎♏♐♑♒♓';
const bodyGlyphs: Readonly<Record<string, string>> = {
  sun: '☉',
  moon: '☽',
  mercury: '☿',
  venus: '♀',
  mars: '♂',
  jupiter: '♃',
  saturn: '♄',
  uranus: '♅',
  neptune: '♆',
  pluto: '♇',
};
const aspectColours: Readonly<Record<string, string>> = {
  conjunction: 'var(--chart-5)',
  sextile: 'var(--info)',
  trine: 'var(--good)',
  square: 'var(--bad)',
  opposition: 'var(--bad)',
};
/** Text form of a glyph, not its picture in colours. */
const asText = '\uFE0E';
const centre = 200;
const radius = { outer: 190, signs: 172, inner: 152, bodies: 128, aspects: 104 };

/** Places of a birth in the zodiac: a wheel to see them, a table to read them. */
export function ZodiacWheel({ chart }: { readonly chart: ZodiacChart }) {
  const words = useText(drawingText);
  const longitudes = new Map(chart.bodies.map(({ body, longitude }) => [body, longitude]));
  const spots = spread(chart.bodies.map(({ longitude }) => longitude));
  return (
    <figure className="columns fit" aria-label={words.wheel}>
      <svg className="wheel" viewBox="0 0 400 400" role="img" aria-label={words.wheel}>
        {[radius.outer, radius.inner, radius.aspects].map((size) => (
          <circle key={size} cx={centre} cy={centre} r={size} fill="none" stroke="var(--line-strong)" />
        ))}
        {signs.map((sign, index) => (
          <g key={sign}>
            <Line at={index * 30} from={radius.inner} to={radius.outer} colour="var(--line-strong)" />
            <Glyph at={index * 30 + 15} radius={radius.signs} size={17} text={(signGlyphs[index] ?? '') + asText} />
          </g>
        ))}
        {chart.aspects.map(({ first, second, aspect }) => {
          const [a, b] = [point(longitudes.get(first) ?? 0, radius.aspects), point(longitudes.get(second) ?? 0, radius.aspects)];
          return (
            <line key={first + second + aspect} x1={a.x} y1={a.y} x2={b.x} y2={b.y} stroke={aspectColours[aspect]} strokeOpacity="0.55" />
          );
        })}
        {chart.bodies.map(({ body, longitude }, index) => (
          <g key={body}>
            <Line at={longitude} from={radius.aspects} to={radius.aspects + 6} colour="var(--accent)" />
            <Glyph at={spots[index] ?? longitude} radius={radius.bodies} size={18} text={(bodyGlyphs[body] ?? body.slice(0, 2)) + asText} />
          </g>
        ))}
        {chart.ascendant && <Line at={chart.ascendant.longitude} from={0} to={radius.outer} colour="var(--accent)" />}
      </svg>
      <Table columns={[words.body, words.position, { title: '°', isNumber: true }]}>
        {chart.ascendant && (
          <tr>
            <td>{words.ascendant}</td>
            <td>{words.signs[chart.ascendant.sign]}</td>
            <td className="number">{chart.ascendant.degree.toFixed(1)}</td>
          </tr>
        )}
        {chart.bodies.map(({ body, sign, degree, retrograde }) => (
          <tr key={body}>
            <td>
              {bodyGlyphs[body]} {body}
            </td>
            <td>
              {words.signs[sign]} {retrograde && <Badge>{words.retrograde}</Badge>}
            </td>
            <td className="number">{degree.toFixed(1)}</td>
          </tr>
        ))}
      </Table>
    </figure>
  );
}

/** Aries begins at the left; longitudes grow against the clock. */
function point(longitude: number, distance: number): { readonly x: number; readonly y: number } {
  const angle = ((180 + longitude) * Math.PI) / 180;
  return { x: centre + distance * Math.cos(angle), y: centre - distance * Math.sin(angle) };
}

/** Moves glyphs that would lie upon each other apart. */
function spread(longitudes: readonly number[]): readonly number[] {
  const leastApart = 9;
  const order = longitudes.map((longitude, index) => ({ longitude, index })).sort((a, b) => a.longitude - b.longitude);
  const placed: number[] = [];
  let last = Number.NEGATIVE_INFINITY;
  for (const { longitude, index } of order) {
    last = Math.max(longitude, last + leastApart);
    placed[index] = last;
  }
  return placed;
}

function Line({ at, from, to, colour }: { readonly at: number; readonly from: number; readonly to: number; readonly colour: string }) {
  const [a, b] = [point(at, from), point(at, to)];
  return <line x1={a.x} y1={a.y} x2={b.x} y2={b.y} stroke={colour} />;
}

function Glyph({
  at,
  radius: distance,
  size,
  text,
}: {
  readonly at: number;
  readonly radius: number;
  readonly size: number;
  readonly text: string;
}) {
  const { x, y } = point(at, distance);
  return (
    <text x={x} y={y} style={{ fontSize: size }} textAnchor="middle" dominantBaseline="central">
      {text}
    </text>
  );
}
