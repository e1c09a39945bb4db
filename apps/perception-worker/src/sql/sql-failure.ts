import { DatabaseError } from 'pg';
import { AddressRefused } from '#lib/platform';
import { Failure } from '#lib/handlers';
import { causeOf } from '../upstreams/upstream-failure.js';
import { NoTls } from './guarded-stream.js';
import { UnreadableMessage } from './whole-messages.js';

/** Values that cannot be what a parameter is: invalid text, out of range, no date, no character, an invalid value (SQLSTATE, class 22). */
const badValues: readonly string[] = ['22P02', '22P03', '22003', '22007', '22008', '22021', '22023', '22030', '22032'];

/** What a database says of a statement: it is the statement's fault, or that of a value. */
export interface StatementFault {
  readonly invalidParams: boolean;
  readonly message: string;
}

/** Null where the fault is not that of the statement. */
export function statementFault(error: unknown): StatementFault | null {
  const said = causeOf(error, DatabaseError);
  const code = said?.code ?? '';
  if (!said || !/^(0A|2[0-8]|3[0-9BDF]|42|44|P0|XX|54)/.test(code) || /^(28|3D)/.test(code)) return null;
  if (code === '25006') return { invalidParams: false, message: `it may only read: ${said.message}` };
  return { invalidParams: badValues.includes(code), message: `${said.message} (${code})` };
}

/** The failure of a database that did not answer, or answered that it cannot. */
export function sqlFailure(name: string, error: unknown): unknown {
  if (causeOf(error, Failure) || causeOf(error, AddressRefused)) return error;
  if (causeOf(error, NoTls))
    return new Failure('service', `${name} has no TLS; within a private network its address may end in ?sslmode=disable`, {
      cause: error,
      retryable: false,
    });
  if (causeOf(error, UnreadableMessage))
    return new Failure('service', `${name} does not speak the protocol of PostgreSQL`, { cause: error });
  const said = causeOf(error, DatabaseError);
  const code = said?.code ?? '';
  // The words of a server that refuses a login may hold the login.
  if (code.startsWith('28')) return new Failure('service', `${name} refuses the login that was registered`, { retryable: false });
  if (code === '3D000') return new Failure('service', `${name} has no database of the registered name`, { retryable: false });
  if (code === '57014' || code === '55P03') return new Failure('timeout', `${name} did not end the query in time`, { cause: error });
  if (code === '25P03') return new Failure('timeout', `${name} ended the transaction, which took too long`, { cause: error });
  if (/^(08|40|57P|53)/.test(code))
    return new Failure('network', `${name} cannot run the query now: ${said?.message ?? ''} (${code})`, { cause: error });
  if (said) return new Failure('service', `${name} says: ${said.message} (${code})`, { cause: error });
  return error;
}
