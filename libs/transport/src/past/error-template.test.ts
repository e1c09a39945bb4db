import { expect, test } from '@jest/globals';
import { templateOf } from './error-template.js';

test.each([
  ["Parameter 'height_cm' must be at most 250, not 1750", "Parameter 'height_cm' must be at most #, not #"],
  ['No user user_001 here', 'No user user_# here'],
  ['No city \'Atlantis\'; try "Bern"', 'No city \'…\'; try "…"'],
  ["The caller doesn't know what isn't there", "The caller doesn't know what isn't there"],
  ['Order 6f1c2d1e-9c1c-4a57-8f86-0d1e5a6b7c8d of ann@example.org is paid', 'Order # of # is paid'],
  ['upstream price.internal:8443 refused the connection (attempt 2)', 'upstream price.internal:# refused the connection (attempt #)'],
  ['Customer cus_Nf1yKpQ29xAa is gone', 'Customer # is gone'],
  ["Tool 'get_wether' is not known", "Tool 'get_wether' is not known"],
  ["Parameter 'a b<script>' is not known", "Parameter '…' is not known"],
  ['', ''],
])('%j is %j', (message, template) => {
  expect(templateOf(message)).toBe(template);
});
