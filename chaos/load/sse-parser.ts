// Just enough of text/event-stream (WHATWG) for what our gateways send.
export interface ServerEvent {
  readonly event: string;
  readonly id: string;
  readonly data: string;
}

/** Events of a byte stream, as they come. Half an event at the end of a cut stream is dropped, as the standard says. */
export async function* readEvents(body: AsyncIterable<Uint8Array>): AsyncGenerator<ServerEvent> {
  const decoder = new TextDecoder();
  let rest = '';
  for await (const chunk of body) {
    rest += decoder.decode(chunk, { stream: true });
    const blocks = rest.split('\n\n');
    rest = blocks.pop() ?? '';
    for (const block of blocks) {
      const event = parseBlock(block);
      if (event) yield event;
    }
  }
}

function parseBlock(block: string): ServerEvent | null {
  const fields = new Map(
    block.split('\n').map((line) => {
      const colon = line.indexOf(':');
      return [line.slice(0, colon), line.slice(colon + 1).replace(/^ /, '')];
    }),
  );
  const [event, id, data] = [fields.get('event'), fields.get('id'), fields.get('data')];
  return event === undefined || data === undefined ? null : { event, id: id ?? '', data };
}
