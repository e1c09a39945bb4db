// The entry of a process that reads OpenAPI documents of strangers (see libs/sandbox).
import { serve } from '#lib/sandbox';

await serve(async () => {
  const { readDocument } = await import('./read-document.js');
  return { readDocument };
});
