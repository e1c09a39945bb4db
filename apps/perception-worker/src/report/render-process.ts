// A process that renders one report and exits. It has no environment, may not write or start anything, and may read only our code and
// the fonts (see renderer.ts).
import './no-network.js';

process.once('message', (request: unknown) => void answer(request));

async function answer(request: unknown): Promise<void> {
  const { answerRenderRequest } = await import('./render-request.js');
  const message = await answerRenderRequest(request, (percent, step) => process.send?.({ kind: 'progress', percent, message: step }));
  process.send?.(message, () => process.exit(0));
}
