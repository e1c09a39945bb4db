import { isJsonObject, outsideTool, toolApp, type OutsideTool, type ToolApp } from '#lib/contracts';
import type { ToolListing } from './upstream.js';

const longestName = 512;

type Read = { readonly tool: OutsideTool } | { readonly malformed: ToolListing['malformed'][number] };

/**
 * One definition of a server, alone: what is wrong with it costs no other. A field that only describes is left out where it is not what it
 * should be; without a name or parameters it is none.
 * @param number its place in the list, from 1, for one without a name
 */
export function readDefinition(given: unknown, number: number): Read {
  const { name, title, description, inputSchema, outputSchema, annotations, _meta } = recordOf(given) ?? {};
  if (typeof name !== 'string' || name === '' || name.length > longestName)
    return {
      malformed: {
        tool: typeof name === 'string' ? name.slice(0, 64) : `#${number}`,
        reason: `its name must be a text of 1–${longestName} characters`,
      },
    };
  const reject = (reason: string): Read => ({ malformed: { tool: name.slice(0, 128), reason } });
  const parameters = recordOf(inputSchema);
  if (!parameters) return reject('its inputSchema must be an object, a JSON Schema');
  const hints = recordOf(annotations);
  const parsed = outsideTool.safeParse({
    name,
    title: textOf(title),
    description: textOf(description),
    inputSchema: parameters,
    outputSchema: recordOf(outputSchema),
    ui: pageOf(recordOf(_meta)),
    annotations: hints && {
      readOnlyHint: booleanOf(hints['readOnlyHint']),
      destructiveHint: booleanOf(hints['destructiveHint']),
      idempotentHint: booleanOf(hints['idempotentHint']),
    },
  });
  return parsed.success ? { tool: parsed.data } : reject('its definition has not the shape of one');
}

/** Reads a list of definitions. Of two with one name the first counts. */
export function readDefinitions(given: readonly unknown[]): ToolListing {
  const tools = new Map<string, OutsideTool>();
  const malformed: ToolListing['malformed'][number][] = [];
  for (const [index, one] of given.entries()) {
    const read = readDefinition(one, index + 1);
    if ('malformed' in read) malformed.push(read.malformed);
    else if (tools.has(read.tool.name))
      malformed.push({ tool: read.tool.name.slice(0, 128), reason: 'another of its tools has this name' });
    else tools.set(read.tool.name, read.tool);
  }
  return { tools: [...tools.values()], malformed };
}

/** The page of a tool, under its name of today or the older one. One without an address, or with another than of a page, is none. */
function pageOf(meta: Record<string, unknown> = {}): ToolApp | undefined {
  const { resourceUri = meta['ui/resourceUri'], visibility } = recordOf(meta['ui']) ?? {};
  return toolApp.safeParse({ resourceUri, visibility }).data ?? toolApp.safeParse({ resourceUri }).data;
}

function recordOf(value: unknown): Record<string, unknown> | undefined {
  return isJsonObject(value) ? { ...value } : undefined;
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

function booleanOf(value: unknown): boolean | undefined {
  return typeof value === 'boolean' ? value : undefined;
}
