// Converts between civil times of a zone and instants, by the zone's own history.

export interface CivilTime {
  readonly year: number;
  readonly month: number;
  readonly day: number;
  readonly hour: number;
  readonly minute: number;
  readonly second: number;
}

const dayMs = 24 * 3_600_000;

const formats = new Map<string, Intl.DateTimeFormat>();

/** What clocks of a zone show at an instant. */
export function civilAt(at: Date, timeZone: string): CivilTime {
  const format =
    formats.get(timeZone) ??
    new Intl.DateTimeFormat('en', {
      timeZone,
      hourCycle: 'h23',
      year: 'numeric',
      month: 'numeric',
      day: 'numeric',
      hour: 'numeric',
      minute: 'numeric',
      second: 'numeric',
    });
  formats.set(timeZone, format);
  const parts = new Map(format.formatToParts(at).map(({ type, value }) => [type, Number(value)]));
  const of = (name: Intl.DateTimeFormatPartTypes) => parts.get(name) ?? 0;
  return { year: of('year'), month: of('month'), day: of('day'), hour: of('hour'), minute: of('minute'), second: of('second') };
}

/** The offset of a zone from UTC at an instant, ms. */
function offsetMs(at: Date, timeZone: string): number {
  return asUtc(civilAt(at, timeZone)) - Math.floor(at.getTime() / 1_000) * 1_000;
}

/** The instant of a civil time. A time that a change of clocks skipped is read by the offset before the change. */
export function instantOf(civil: CivilTime, timeZone: string): Date {
  const wanted = asUtc(civil);
  const before = offsetMs(new Date(wanted - dayMs), timeZone);
  const first = new Date(wanted - before);
  const after = offsetMs(first, timeZone);
  return after === before ? first : new Date(wanted - (offsetMs(new Date(wanted - after), timeZone) === after ? after : before));
}

/** What is doubtful about a civil time, for people, without the time, which may be personal; null for one that clocks showed once. */
export function clockFault(civil: CivilTime, timeZone: string): string | null {
  const wanted = asUtc(civil);
  const shows = (at: Date): boolean => asUtc(civilAt(at, timeZone)) === wanted;
  const taken = instantOf(civil, timeZone);
  if (!shows(taken))
    return `The clocks of ${timeZone} never showed this time on this day: they were put forward. It is read as if they had not been yet; check the time`;
  const offsets = new Set([-dayMs, dayMs].map((distance) => offsetMs(new Date(taken.getTime() + distance), timeZone)));
  const isTwice = [...offsets].filter((offset) => shows(new Date(wanted - offset))).length > 1;
  return isTwice ? `The clocks of ${timeZone} showed this time twice on this day: they were put back. The earlier one is taken` : null;
}

interface BirthTime {
  readonly birth_date: string;
  readonly birth_time?: string | undefined;
  readonly timezone: string;
}

/** Says what is doubtful about a time of birth. */
export function warnOfClock({ birth_date, birth_time, timezone }: BirthTime, warn: (warning: string) => void): void {
  const fault = birth_time === undefined ? null : clockFault(civilFrom(birth_date, birth_time), timezone);
  if (fault !== null) warn(fault);
}

/** The offset of a zone without summer time in a year, ms: the smaller of January and July. */
export function standardOffsetMs(year: number, timeZone: string): number {
  return Math.min(...[0, 6].map((month) => offsetMs(new Date(Date.UTC(year, month, 1)), timeZone)));
}

/** Epoch milliseconds of the same date and time in UTC. */
function asUtc({ year, month, day, hour, minute, second }: CivilTime): number {
  return Date.UTC(year, month - 1, day, hour, minute, second);
}

/** @param date `1990-05-20` @param time `08:30` */
export function civilFrom(date: string, time: string): CivilTime {
  const [year = 0, month = 0, day = 0] = date.split('-').map(Number);
  const [hour = 0, minute = 0] = time.split(':').map(Number);
  return { year, month, day, hour, minute, second: 0 };
}
