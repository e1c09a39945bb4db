// For tests: what a gateway answers to a command line.
export const metadata = { tool_name: 't', timestamp: '2026-01-01T00:00:00.000Z', trace_id: 'trace_1' };

export function envelope(data: unknown, facts: object = {}) {
  return { success: true, status: 'success', data, metadata: { ...metadata, ...facts } };
}

export function failure(code: string, message: string) {
  return { success: false, status: 'error', error: { code, message, retryable: false, hint: '' }, metadata };
}

/** A definition with the fields that commands read. */
export function definition(parameters: object, facts: object = {}) {
  return {
    name: 't',
    version: '1.0.0',
    description: 'Does it. In two sentences.',
    parameters,
    deprecated: false,
    streaming: false,
    ...facts,
  };
}

export function event(name: string, seq: number, data: object): string {
  return `event: ${name}\nid: evt_${seq}\ndata: ${JSON.stringify(data)}\n\n`;
}
