// The files of a new project: one tool, its test, and what both need.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { root } from '#lib/command-line';

/** Of a clone as of the package. */
const manifest = z.object({ version: z.string() }).parse(JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')));

/** What a project needs besides our packages: as they are tested with. */
export const neededVersions = { zod: '4.6.7', '@types/node': '24.19.2', typescript: '7.0.2' } as const;

interface ProjectSpec {
  readonly name: string;
  /** Where npm finds our packages, by their names; their version where it is not named. */
  readonly packages: Readonly<Partial<Record<string, string>>>;
}

/** The texts of the files by their paths. */
export function projectFiles({ name, packages }: ProjectSpec): Readonly<Record<string, string>> {
  const ours = (one: string) => ({ [one]: packages[one] ?? manifest.version });
  return {
    'package.json': json({
      name,
      version: '0.1.0',
      private: true,
      type: 'module',
      scripts: { dev: 'invoq dev', test: 'invoq test', types: 'tsc' },
      dependencies: { ...ours('@invoq/worker'), zod: neededVersions.zod },
      devDependencies: { '@types/node': neededVersions['@types/node'], ...ours('invoq'), typescript: neededVersions.typescript },
    }),
    'tsconfig.json': json({
      compilerOptions: {
        strict: true,
        noUncheckedIndexedAccess: true,
        module: 'nodenext',
        target: 'es2024',
        types: ['node'],
        skipLibCheck: true,
        noEmit: true,
        // Node runs the sources: it removes types, and nothing else.
        allowImportingTsExtensions: true,
        erasableSyntaxOnly: true,
        verbatimModuleSyntax: true,
      },
      include: ['tools'],
    }),
    'tools/count-words.ts': tool,
    'tools/count-words.test.ts': toolTest,
    'README.md': readme(name),
    '.gitignore': 'node_modules/\n.data/\n.env\n',
    '.npmrc': '# invoq brings Node 24. On an older one npm would warn of every package that wants it.\nloglevel=error\n',
  };
}

function json(value: object): string {
  return `${JSON.stringify(value, null, 2)}\n`;
}

const tool = `import { tool } from '@invoq/worker';
import { z } from 'zod';

export default tool(
  {
    description: 'Count the words of one text. Refuses a text without words.',
    domain: 'texts',
    effect: 'read',
    input: z.object({ text: z.string().min(1).max(10_000).describe('The text, 1–10,000 characters.') }),
    output: z.object({ words: z.int().describe('How many words it has.') }),
    errors: { NO_WORDS: 'INVALID_PARAMS' },
  },
  ({ text }, { error }) => {
    const words = text.match(/[\\p{L}\\p{N}]+/gu)?.length ?? 0;
    if (words === 0) throw error('NO_WORDS', 'The text has no words');
    return { words };
  },
);
`;

const toolTest = `import assert from 'node:assert/strict';
import { test } from 'node:test';
import { testTool } from '@invoq/worker';
import tool from './count-words.ts';

test('words are counted in every script', async () => {
  assert.partialDeepStrictEqual(await testTool(tool, { text: 'Ein Wort, два слова' }), { kind: 'done', data: { words: 4 } });
});

test('a text without words is refused', async () => {
  assert.partialDeepStrictEqual(await testTool(tool, { text: '…' }), { kind: 'refused', error: { native_code: 'NO_WORDS' } });
});
`;

function readme(name: string): string {
  return `# ${name}

Tools for AI agents, served by [Invoq](https://www.npmjs.com/package/invoq). Each file of \`tools/\` exports a tool, which has the name of its file.

\`\`\`sh
npm install
npm test            # runs the tools without a server
npx invoq dev       # starts Invoq on this machine, serves tools/, and follows every change
\`\`\`

In a second terminal, while that runs:

\`\`\`sh
npx invoq call count_words --text 'Two words'
npx invoq types invoq-tools.ts      # types for the package @invoq/client
\`\`\`

Agents reach the tools by MCP at \`/mcp\` of the gateway, with the key that \`npx invoq dev\` prints.

Another gateway gets the tools from a program of your own, with a key of the scope \`tools:serve\`. It connects out, so it runs anywhere:

\`\`\`ts
import { serveFolder } from '@invoq/worker';

const { stopped } = await serveFolder('tools', {
  url: process.env.INVOQ_URL ?? '',
  key: process.env.INVOQ_SERVE_KEY ?? '',
  onEvent: (event) => console.log(event),
});
await stopped;
\`\`\`
`;
}
