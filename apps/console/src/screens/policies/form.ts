// What is typed into the form of a policy, and what the gateway gets of it.
import type { NewPolicy, Policy } from '#lib/client';

export interface PolicyForm {
  readonly name: string;
  readonly when: string;
  readonly then: 'deny' | 'ask';
  readonly message: string;
  readonly hours: string;
  readonly self: boolean;
}

const hourMs = 3_600_000;

export const newForm: PolicyForm = { name: '', when: '', then: 'ask', message: '', hours: '', self: false };

export function formFrom({ name, when, then, message, expires_ms, self }: Policy): PolicyForm {
  return { name, when, then, message: message ?? '', hours: expires_ms === null ? '' : String(expires_ms / hourMs), self };
}

/** Null while something is missing that the gateway would only refuse. */
export function bodyOf({ name, when, then, message, hours, self }: PolicyForm): NewPolicy | null {
  if (name === '' || when.trim() === '') return null;
  const expiresMs = Math.round(Number(hours) * hourMs);
  return {
    when: when.trim(),
    then,
    ...(message.trim() !== '' && { message: message.trim() }),
    ...(then === 'ask' && hours !== '' && { expires_ms: expiresMs }),
    ...(then === 'ask' && self && { self }),
  };
}
