// The entry of a process that runs code of models (see libs/sandbox).
import { serve } from '#lib/sandbox';

await serve(async () => {
  const { runCode } = await import('./run-code.js');
  return { runCode };
});
