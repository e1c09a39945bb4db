// A process that makes one report and ends. It is started without environment, without rights to write or to start anything,
// and with rights to read our code and the fonts alone (see renderer.ts).
import './no-network.js';

process.once('message', (request: unknown) => void answer(request));

async function answer(request: unknown): Promise<void> {
  const { answerRenderRequest } = await import('./render-request.js');
  const message = await answerRenderRequest(request, (percent, step) => process.send?.({ kind: 'progress', percent, message: step }));
  process.send?.(message, () => process.exit(0));
}
