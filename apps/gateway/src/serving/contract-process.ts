// The entry of a process that checks contracts of strangers (see libs/sandbox).
import { serve } from '#lib/sandbox';

await serve(async () => {
  const { checkContract } = await import('./contract-check.js');
  return { checkContract };
});
