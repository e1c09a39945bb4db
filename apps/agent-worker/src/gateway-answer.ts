// What the agent's tools ask the gateway in the name of the user: an answer, or a refusal in the words of the tool.
import { InvoqError } from '#lib/client';
import { Failure } from '#lib/handlers';

/** What the gateway refuses, in a literal of the tool. */
interface Refused<Literal> {
  readonly literal: Literal;
  readonly message: string;
  readonly details: { path: string; message: string }[];
}

/** The answer of the gateway, or its refusal. Throws a Failure where it cannot be reached, or has an error that the tool does not know. */
export async function answerOf<Data, Code extends string, Literal extends string>(
  request: Promise<Data>,
  literals: Readonly<Record<Code, Literal>>,
): Promise<{ readonly data: Data } | Refused<Literal>> {
  try {
    return { data: await request };
  } catch (error) {
    if (!(error instanceof InvoqError)) throw error;
    const literal = Object.entries<Literal>(literals).find(([code]) => code === error.code)?.[1];
    if (literal !== undefined) return { literal, message: error.message, details: error.details.map((detail) => ({ ...detail })) };
    throw new Failure('network', 'The gateway cannot be reached at the moment', { cause: error, retryable: error.retryable });
  }
}
