// A process that makes one report and ends. It is started without environment, without rights to write or to start anything,
// and with rights to read our code and the fonts alone (see renderer.ts).
import './no-network.js';

process.once('message', (order: unknown) => void answer(order));

async function answer(order: unknown): Promise<void> {
  const { renderOrder } = await import('./render-request.js');
  const said = await renderOrder(order, (percent, message) => process.send?.({ kind: 'progress', percent, message }));
  process.send?.(said, () => process.exit(0));
}
