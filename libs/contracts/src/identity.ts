import { z } from 'zod';
import { guestTenant } from './agent/guest.js';

const maxLength = 128;

/** The fault of a text as an id; null if it has none. */
function faultOf(text: string): string | null {
  if (text.length === 0 || text.length > maxLength) return `must have 1–${maxLength} characters`;
  // Letters, marks, numbers, punctuation and symbols of any script, and the ordinary blank: all that can be seen and told apart.
  if (!/^[\p{L}\p{M}\p{N}\p{P}\p{S} ]+$/u.test(text)) return 'must not hold control characters, invisible characters or unusual blanks';
  if (text.startsWith(' ') || text.endsWith(' ')) return 'must not begin or end with a blank';
  if (text !== text.normalize('NFC')) return 'must be in Unicode normal form C';
  return null;
}

/** @param reserved the fault of a text that means something else already; null if it does not */
function identifier(reserved: (id: string) => string | null) {
  return z
    .string()
    .superRefine((id, context) => {
      const message = faultOf(id) ?? reserved(id);
      if (message !== null) context.addIssue({ code: 'custom', message });
    })
    .meta({ minLength: 1, maxLength });
}

/**
 * The id of a user as its tenant or its issuer knows it: an email address, `auth0|5f7c…`, a URL, `张三`. 1–128 UTF-16 units that can be
 * seen, in normal form C, so that no two ids look alike to a person and differ to a program. None begins with `key:`.
 */
export const userIdSchema = identifier((id) => (id.startsWith('key:') ? 'must not begin with key:, which begins the names of keys' : null));

/** The id of a tenant: like that of a user. It is neither `*`, which means every tenant, nor the tenant of guests. */
export const tenantIdSchema = identifier((id) =>
  id === '*' || id === guestTenant ? `must not be ${id}, which has a meaning of its own` : null,
);
