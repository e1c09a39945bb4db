import { Body, HourAngle, Observer } from 'astronomy-engine';

const greenwich = new Observer(0, 0, 0);

/** The equation of time: apparent minus mean solar time, in minutes, within ±17. */
export function equationOfTimeMinutes(at: Date): number {
  // The sun's hour angle at Greenwich counts from its noon there; the mean sun's noon is 12:00 UT.
  const apparent = HourAngle(Body.Sun, at, greenwich) + 12;
  const mean = (at.getTime() % 86_400_000) / 3_600_000;
  const hours = (((apparent - mean + 12) % 24) + 24) % 24;
  return (hours - 12) * 60;
}
