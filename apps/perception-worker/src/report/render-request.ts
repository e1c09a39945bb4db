// Answers one request inside of the render process.
import { z } from 'zod';
import type { RenderMessage } from './render-message.js';
import { renderReport } from './render.js';
import { TooComplex } from './report.js';

const requestShape = z.strictObject({ title: z.string(), content: z.string(), format: z.enum(['pdf', 'docx', 'html']) });

/** Renders a request from the worker. Never throws: faults become messages of their kind. */
export async function answerRenderRequest(given: unknown, onProgress: (percent: number, message: string) => void): Promise<RenderMessage> {
  try {
    return { kind: 'done', bytes: await renderReport(requestShape.parse(given), onProgress) };
  } catch (error) {
    if (error instanceof TooComplex || error instanceof RangeError) return { kind: 'too-complex', message: error.message };
    return { kind: 'failed', message: error instanceof Error ? (error.stack ?? error.message) : 'unknown' };
  }
}
