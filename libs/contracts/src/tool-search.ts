// The two tools by which a model finds the others and calls them: at `/mcp?tools=search`, and in a turn of the agent that has many.

export const searchToolName = 'search_tools';
export const callToolName = 'call_tool';

/** What calls a tool that was found by words. */
export const callToolForm = {
  name: callToolName,
  description: `Call a tool that ${searchToolName} has found, by its name, with the parameters that its definition asks for.`,
  parameters: {
    type: 'object' as const,
    properties: {
      name: { type: 'string', description: `Name of the tool, as ${searchToolName} gives it.` },
      arguments: { type: 'object', description: 'Its parameters.', additionalProperties: true },
    },
    required: ['name', 'arguments'],
    additionalProperties: false,
  },
};

/** Said to a model whose words fit no tool. */
export const nothingFoundHint = 'No tool has these words. Try other words for the same.';
