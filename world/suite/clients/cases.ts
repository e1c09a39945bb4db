// What each client is asked, and what its model must have been told in the end.
import { programOf } from '../packages.js';
import type { Command } from '../row.js';
import { must } from '../row.js';

/** An outside server, for a failure in a stranger's words and for a long result. */
export const filesCommand: Readonly<Record<string, Command>> = {
  files: (folder) => ({ command: process.execPath, args: [programOf('@modelcontextprotocol/server-filesystem'), folder] }),
};

export interface ClientCase {
  readonly tool: string;
  readonly input: (folder: string) => object;
  /** What was told, without the backslashes of JSON within JSON. Throws if it is not right. */
  readonly check: (told: string) => void;
}

/** A model has no use for these, and pays for them. */
const envelopeFields = /"(success|performance|metadata)":/;
const mostOfLong = 120_000;

export const clientCases: Readonly<Record<string, ClientCase>> = {
  success: {
    tool: 'calc_metrics',
    input: () => ({ height_cm: 175, weight_kg: 70, age: 40, gender: 'male', activity_level: 'moderate' }),
    check: (told) => mustTell(told, /"bmi": ?22\.86/, envelopeFields),
  },
  refusal: {
    tool: 'user_profile_lookup',
    input: () => ({ user_id: 'nobody-has-this-id' }),
    check: (told) => mustTell(told, /RESOURCE_NOT_FOUND|PERMISSION_DENIED/, envelopeFields),
  },
  failure: {
    tool: 'files__read_text_file',
    input: (folder) => ({ path: `${folder}/missing.txt` }),
    check: (told) => mustTell(told, /no such file|ENOENT/i, envelopeFields),
  },
  file: {
    tool: 'generate_report',
    input: () => ({ title: 'World', content: '# World\n\nOne line.', format: 'pdf' }),
    check: (told) => mustTell(told, /\/files\//, /JVBERi0/),
  },
  long: {
    tool: 'files__read_text_file',
    input: (folder) => ({ path: `${folder}/long.txt` }),
    check: (told) => {
      mustTell(told, /Salt raises the blood pressure/, envelopeFields);
      must(told.length < mostOfLong, `the model was sent ${told.length} characters`);
    },
  },
};

function mustTell(told: string, what: RegExp, not: RegExp): void {
  must(what.test(told), `the model was not told ${String(what)}: ${told.slice(0, 400)}`);
  const found = not.exec(told);
  must(
    found === null,
    `the model was told ${String(not)}: …${told.slice(Math.max(0, (found?.index ?? 0) - 80), (found?.index ?? 0) + 200)}…`,
  );
}
