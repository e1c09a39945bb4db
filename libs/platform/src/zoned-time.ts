// Local times of a zone and the moments that they are. A local time is written as the milliseconds that it would be in UTC.

const dayMs = 86_400_000;
const nameShape = /^[A-Za-z][A-Za-z0-9_+/-]{0,63}$/;
const offsetShape = /GMT(?:([+-])(\d{2}):(\d{2})(?::(\d{2}))?)?$/;

const mostOffsets = 10_000;
const offsets = new Map<string, number>();
const formats = new Map<string, Intl.DateTimeFormat>();

/** Whether this is the name of an IANA time zone, such as `Europe/Berlin` or `UTC`. */
export function isTimeZone(name: string): boolean {
  if (!nameShape.test(name)) return false;
  try {
    formatOf(name);
    return true;
  } catch {
    return false;
  }
}

/** By how many ms the clocks of a zone are ahead of UTC at a moment. Throws RangeError for what is no zone. */
function offsetAt(zone: string, at: number): number {
  // Clocks are set at whole quarters of an hour of UTC, and neighbours are asked for one after the other.
  const quarter = Math.floor(at / 900_000);
  const known = offsets.get(`${zone} ${quarter}`);
  if (known !== undefined) return known;
  const offset = readOffset(zone, at);
  if (offsets.size >= mostOffsets) offsets.clear();
  offsets.set(`${zone} ${quarter}`, offset);
  return offset;
}

function readOffset(zone: string, at: number): number {
  const [, sign, hours = '0', minutes = '0', seconds = '0'] = offsetShape.exec(formatOf(zone).format(at)) ?? [];
  const ms = (Number(hours) * 3_600 + Number(minutes) * 60 + Number(seconds)) * 1_000;
  return sign === '-' ? -ms : ms;
}

/** What the clocks of a zone show at a moment. */
export function localAt(zone: string, at: number): number {
  return at + offsetAt(zone, at);
}

/**
 * The moment that a local time is: the first one where clocks that are set back show it twice, and as long after the gap began where clocks
 * that are set forward skip it (02:30 is 03:30 then, as iCalendar and Temporal have it).
 */
export function momentOf(zone: string, local: number): { readonly at: number; readonly isSkipped: boolean } {
  // No zone is further from UTC than a day.
  const before = offsetAt(zone, local - dayMs);
  const after = offsetAt(zone, local + dayMs);
  const found = [local - before, local - after].filter((at) => localAt(zone, at) === local);
  return found.length > 0 ? { at: Math.min(...found), isSkipped: false } : { at: local - before, isSkipped: true };
}

/** By how much clocks were set forward within the day before a moment, in ms; negative where they were set back. */
export function shiftBefore(zone: string, at: number): number {
  return offsetAt(zone, at) - offsetAt(zone, at - dayMs);
}

function formatOf(zone: string): Intl.DateTimeFormat {
  const known = formats.get(zone.toLowerCase());
  if (known) return known;
  const made = new Intl.DateTimeFormat('en-US', { timeZone: zone, timeZoneName: 'longOffset' });
  formats.set(zone.toLowerCase(), made);
  return made;
}
