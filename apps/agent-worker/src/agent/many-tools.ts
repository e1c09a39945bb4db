// Where a turn has more tools than a model chooses well among: two take the place of all but those that are always there.
import { callToolForm, callToolName, isJsonObject, searchToolName, type ToolDefinition } from '#lib/contracts';
import type { ModelCall } from '../model/call-model.js';

/** @limit chats: tools that a model is shown at once; it searches among more */
export const mostShown = 30;
/** Of those that fit best, so many are shown to the model. */
export const mostFound = 5;

type Shown = Pick<ToolDefinition, 'name' | 'description' | 'parameters'>;

export const searching: readonly Shown[] = [
  {
    name: searchToolName,
    description:
      'Find tools by what you want to do, in a few words. Gives the names, descriptions and parameters of those that fit best. Search before you say that something cannot be done, and try other words when nothing fits.',
    parameters: {
      type: 'object',
      properties: { query: { type: 'string', description: 'What you want to do, in a few words.' } },
      required: ['query'],
      additionalProperties: false,
    },
  },
  callToolForm,
];

/** Whether a model sees the search in the place of these. A tool of that name would be hidden by it. */
export function searchesAmong(available: ReadonlyMap<string, unknown>): boolean {
  return available.size > mostShown && !available.has(searchToolName) && !available.has(callToolName);
}

/** The words of a call of the search; null for every other call. */
export function queryOf({ name, arguments: given }: ModelCall): string | null {
  if (name !== searchToolName) return null;
  return typeof given['query'] === 'string' ? given['query'].trim() : '';
}

/** The call that a call of `call_tool` stands for; every other as it is. */
export function calledBy(call: ModelCall): ModelCall {
  if (call.name !== callToolName) return call;
  const { name, arguments: given = {} } = call.arguments;
  if (typeof name !== 'string') return { ...call, malformed: call.malformed ?? "'name' must be the name of a tool" };
  if (!isJsonObject(given)) return { ...call, name, malformed: call.malformed ?? "'arguments' must be an object" };
  return { ...call, name, arguments: given };
}
