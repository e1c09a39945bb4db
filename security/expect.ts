// What a case expects of answers. Everything here throws Broken of libs/testing.
import { z } from 'zod';
import { Broken } from '#lib/testing';
import { describe, type Answer } from './world/answer.js';

/** A refusal with one of these statuses, and this code where one is given. */
export function refused(answer: Answer, statuses: number | readonly number[], code?: string): Answer {
  const isMeant = [statuses].flat().includes(answer.status) && (code === undefined || codeOf(answer) === code);
  if (!isMeant) throw new Broken(`expected a refusal ${[statuses].flat().join(' or ')} ${code ?? ''}: ${describe(answer)}`);
  return answer;
}

/** What a stranger gets for a thing that is another's: the same as for a thing that does not exist. */
export function notFound(answer: Answer): Answer {
  return refused(answer, 404);
}

/** A success. */
export function served(answer: Answer): Answer {
  if (answer.status < 200 || answer.status > 299) throw new Broken(`expected a success: ${describe(answer)}`);
  return answer;
}

/** A browser is sent back to the console, and gets no session. */
export function sentBack(answer: Answer): Answer {
  const isBack = answer.status === 303 && answer.headers.get('location')?.startsWith('/console');
  if (!isBack || /session=[^;]/.test(answer.headers.get('set-cookie') ?? ''))
    throw new Broken(`expected the way back: ${describe(answer)}`);
  return answer;
}

/** Anything from 400 to 499. */
export function clientError(answer: Answer): Answer {
  if (answer.status < 400 || answer.status > 499) throw new Broken(`expected a refusal: ${describe(answer)}`);
  return answer;
}

export function mustNotHold(text: string, secret: string | RegExp, where: string): void {
  const found = typeof secret === 'string' ? text.indexOf(secret) : text.search(secret);
  if (found >= 0) throw new Broken(`${where} holds ${String(secret).slice(0, 40)}: …${text.slice(Math.max(0, found - 80), found + 80)}…`);
}

export function codeOf({ body }: Answer): string | undefined {
  const parsed = z
    .union([
      z.looseObject({ error: z.looseObject({ code: z.union([z.string(), z.number()]) }) }).transform(({ error }) => String(error.code)),
      z.looseObject({ error_code: z.string() }).transform(({ error_code }) => error_code),
      z.looseObject({ errorCode: z.string() }).transform(({ errorCode }) => errorCode),
      z.looseObject({ error: z.string() }).transform(({ error }) => error),
    ])
    .safeParse(body);
  return parsed.data;
}

/** The body, which must have this shape. */
export function as<Schema extends z.ZodType>(answer: Answer, schema: Schema): z.output<Schema> {
  const parsed = schema.safeParse(answer.body);
  if (!parsed.success) throw new Broken(`an answer of another shape (${z.prettifyError(parsed.error)}): ${describe(answer)}`);
  return parsed.data;
}
