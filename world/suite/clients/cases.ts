// What each client is asked, and what its model must have been told in the end.
import { must } from '#lib/testing';
import { programOf } from '../packages.js';
import type { Command } from '../row.js';

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
/** Characters. An error over plain HTTP is an envelope, also with `result=data`. */
const mostOfError = 2_000;
const mostOfLong = 20_000;

export const clientCases: Readonly<Record<string, ClientCase>> = {
  success: {
    tool: 'calc_metrics',
    input: () => ({ height_cm: 175, weight_kg: 70, age: 40, gender: 'male', activity_level: 'moderate' }),
    check: (told) => {
      mustTell(told, /"?bmi"?: ?22\.86/, mostOfError);
      mustNotTell(told, envelopeFields);
    },
  },
  refusal: {
    tool: 'user_profile_lookup',
    input: () => ({ user_id: 'nobody-has-this-id' }),
    check: (told) => mustTell(told, /PERMISSION_DENIED/, mostOfError),
  },
  failure: {
    tool: 'files__read_text_file',
    input: (folder) => ({ path: `${folder}/missing.txt` }),
    check: (told) => mustTell(told, /no such file|ENOENT/i, mostOfError),
  },
  file: {
    tool: 'generate_report',
    input: () => ({ title: 'World', content: '# World\n\nOne line.', format: 'pdf' }),
    check: (told) => {
      mustTell(told, /\/files\//, mostOfError);
      // The first bytes of every PDF in base64.
      mustNotTell(told, /JVBERi0/);
    },
  },
  long: {
    tool: 'files__read_text_file',
    input: (folder) => ({ path: `${folder}/long.txt` }),
    check: (told) => {
      mustTell(told, /Salt raises the blood pressure/, mostOfLong);
      mustNotTell(told, envelopeFields);
    },
  },
};

function mustTell(told: string, what: RegExp, most: number): void {
  must(what.test(told), `the model was not told ${String(what)}: ${told.slice(0, 400)}`);
  must(told.length <= most, `the model was sent ${told.length} characters: ${told.slice(0, 400)}`);
}

function mustNotTell(told: string, what: RegExp): void {
  const place = told.search(what);
  must(place < 0, `the model was told ${String(what)}: …${told.slice(Math.max(0, place - 80), place + 200)}…`);
}
