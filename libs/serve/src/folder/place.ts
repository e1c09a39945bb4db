// Where in the sources something is, for messages that an editor can follow.
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

export interface Place {
  readonly file: string;
  /** From 1. */
  readonly line: number;
}

/** Where a tool of this name is declared in a file: its contract, else what is exported, else the first line. */
export function placeOf(file: string, tool: { readonly name: string; readonly exported: string }): Place {
  const text = (name: string) => name.replaceAll(/[^\w$]/g, String.raw`\$&`);
  const shapes = [
    new RegExp(String.raw`\bname:\s*(['"\`])${text(tool.name)}\1`),
    tool.exported === 'default'
      ? /^\s*export\s+default\b/
      : new RegExp(String.raw`^\s*export\b.*(?<![\w$])${text(tool.exported)}(?![\w$])`),
  ];
  const lines = readFileSync(file, 'utf8').split('\n');
  for (const shape of shapes) {
    const index = lines.findIndex((line) => shape.test(line));
    if (index >= 0) return { file, line: index + 1 };
  }
  return { file, line: 1 };
}

/** Where a file could not be loaded: in itself or in one of ours that it imports. */
export function placeOfError(file: string, error: unknown): Place {
  const missing = error instanceof Error && /^Cannot find (?:module|package) '(.+?)' imported from (.+)$/.exec(error.message);
  if (missing) return placeOfImport(missing[2] ?? file, missing[1] ?? '');
  const ofStack = error instanceof Error ? placeIn(error.stack ?? '') : undefined;
  return ofStack ?? (error instanceof SyntaxError ? placeOfSyntax(file) : undefined) ?? { file, line: 1 };
}

/** The first place in a stack that is not of a package or of Node. */
export function placeIn(stack: string): Place | undefined {
  for (const [, place = '', line] of stack.matchAll(/((?:file:\/\/)?(?:\/|[A-Z]:[\\/])[^:()\n]+):(\d+)/g)) {
    const file = place.startsWith('file:') ? fileURLToPath(place) : place;
    if (!file.includes('node_modules') && existsSync(file)) return { file, line: Number(line) };
  }
  return undefined;
}

/** The engine says where only when it ends the process. */
function placeOfSyntax(file: string): Place | undefined {
  try {
    execFileSync(process.execPath, ['--check', file], { stdio: ['ignore', 'ignore', 'pipe'] });
    return undefined;
  } catch (error) {
    const stderr = error instanceof Error && 'stderr' in error ? String(error.stderr) : '';
    // Other lines are of options such as --inspect.
    return placeIn(stderr);
  }
}

function placeOfImport(file: string, missing: string): Place {
  const [name = missing] = missing.split(/[\\/]/).slice(-1);
  const index = existsSync(file)
    ? readFileSync(file, 'utf8')
        .split('\n')
        .findIndex((line) => line.includes(name))
    : -1;
  return { file, line: Math.max(0, index) + 1 };
}
