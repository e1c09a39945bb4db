import { createHmac, timingSafeEqual } from 'node:crypto';
import { jsonIn } from './json-in.js';

/** A hook: something that a call waits for from outside, by its name in the call. */
export interface HookName {
  readonly jobId: string;
  readonly name: string;
}

/** The last part of the address of a hook. @param key of the call, which only those have who run it, and the gateway */
export function hookToken(key: string, { jobId, name }: HookName): string {
  const said = Buffer.from(JSON.stringify([jobId, name])).toString('base64url');
  return `${said}.${mac(key, said)}`;
}

/** What a token says, whether it is true or not. Null for what is no token. */
export function hookIn(token: string): HookName | null {
  const [said = '', ...rest] = token.split('.');
  if (rest.length !== 1) return null;
  const parsed = jsonIn(Buffer.from(said, 'base64url').toString());
  if (!Array.isArray(parsed) || parsed.length !== 2) return null;
  const [jobId, name]: unknown[] = parsed;
  return typeof jobId === 'string' && typeof name === 'string' ? { jobId, name } : null;
}

/** Whether the key of the call has signed it. */
export function isSignedHook(key: string, token: string): boolean {
  const [said = '', signature = ''] = token.split('.');
  const [given, expected] = [Buffer.from(signature), Buffer.from(mac(key, said))];
  return given.length === expected.length && timingSafeEqual(given, expected);
}

function mac(key: string, said: string): string {
  return createHmac('sha256', key).update(said).digest('base64url');
}
