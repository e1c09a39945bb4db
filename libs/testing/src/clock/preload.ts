// Preloaded into the product's processes by tests (`--import`): the test moves their clock over the IPC channel.
import { clockVariable, isMove } from './messages.js';
import { shiftDate } from './shift-date.js';

const initial = process.env[clockVariable];
if (initial !== undefined) {
  // A child of this process inherits `--import` too. Without the variable the preload does nothing there.
  delete process.env[clockVariable];
  shiftDate(Number(initial));
  process.on('message', (message) => {
    if (!isMove(message)) return;
    shiftDate(message.clockOffsetMs);
    process.send?.(message);
  });
  // The listener must not keep a process alive that has nothing else to do.
  process.channel?.unref();
}
