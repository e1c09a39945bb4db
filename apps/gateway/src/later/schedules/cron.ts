import { CronExpressionParser, type CronExpression } from 'cron-parser';

const fieldShape = /^[\dA-Za-z*,/#-]{1,200}$/;
const names = /^(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec|sun|mon|tue|wed|thu|fri|sat|l)$/i;
const longestMonths: readonly number[] = [31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];

/** Says what is wrong with an expression. */
export class CronError extends Error {
  override readonly name = 'CronError';
}

/**
 * The local times that an expression of five or six fields names, on a calendar without time zones: cron-parser is asked in UTC, and never
 * sees a day of 23 or 25 hours (decision 93).
 */
export class Cron {
  readonly #expression: CronExpression;

  /** Throws CronError. */
  constructor(text: string) {
    const fields = text.trim().split(/\s+/);
    if (fields.length !== 5 && fields.length !== 6) throw new CronError(`must have five or six fields, not ${fields.length}`);
    for (const field of fields) {
      const unknown = fieldShape.test(field) ? field.match(/[A-Za-z]+/g)?.find((word) => !names.test(word)) : field;
      if (unknown !== undefined) throw new CronError(`has a field that cannot be read: ${unknown.slice(0, 40)}`);
    }
    const [day = '*', , weekday = '*'] = fields.slice(-3);
    // The parser would look for a day that is both, for as long as a second.
    if (/[#L]/i.test(weekday.replaceAll(/[A-Za-z]{3}/g, '')) && day !== '*')
      throw new CronError('needs * as its day of the month where the weekday has # or L');
    try {
      this.#expression = CronExpressionParser.parse(fields.join(' '), { tz: 'UTC', currentDate: new Date(0) });
    } catch (error) {
      throw new CronError(`cannot be read: ${error instanceof Error ? error.message : String(error)}`);
    }
    if (this.#isNever(weekday)) throw new CronError('names no day that there is');
  }

  /** The first time after one; null where there is none. */
  next(after: number): number | null {
    return this.#step(after, (expression) => expression.next().getTime());
  }

  /** The last time before one. */
  previous(before: number): number | null {
    return this.#step(before, (expression) => expression.prev().getTime());
  }

  #step(from: number, step: (expression: CronExpression) => number): number | null {
    this.#expression.reset(new Date(from));
    try {
      return step(this.#expression);
    } catch {
      return null;
    }
  }

  #isNever(weekday: string): boolean {
    if (weekday !== '*') return false;
    const { dayOfMonth, month } = this.#expression.fields;
    const days = dayOfMonth.values.filter((day) => typeof day === 'number');
    if (days.length < dayOfMonth.values.length) return false;
    return month.values.every((one) => Math.min(...days) > (longestMonths[Number(one) - 1] ?? 31));
  }
}
