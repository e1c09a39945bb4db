import { hash } from 'node:crypto';
import { servedSizeFault } from '#lib/contracts';

/** Raised when the rules for contracts change, so that what was taken by older ones is looked at again. */
const rules = 1;

/** One contract of an announcement, before anything is made of it. */
export interface AnnouncedContract {
  /** As it was received, as JSON. */
  readonly text: string;
  /** Its letters and its domain, by which the same is known again. */
  readonly digest: string;
  /** At most so many characters of what it says; empty where it says none. */
  readonly name: string;
  readonly version: string;
  /** What is wrong with its size; null if nothing is. */
  readonly sizeFault: string | null;
}

/** @param received one of the tools of the body */
export function announcedContract(domain: string, received: unknown): AnnouncedContract {
  const sizeFault = servedSizeFault(received);
  const text = sizeFault ? '' : JSON.stringify(received);
  return {
    text,
    digest: hash('sha256', `${rules} ${domain} ${text}`, 'hex'),
    name: textOf(received, 'name'),
    version: textOf(received, 'version'),
    sizeFault,
  };
}

function textOf(holder: unknown, key: string): string {
  const value: unknown = typeof holder === 'object' && holder !== null ? Reflect.get(holder, key) : null;
  return typeof value === 'string' ? value.slice(0, 64) : '';
}
