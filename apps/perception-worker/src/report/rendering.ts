// What runs in the process of a report.
import { renderReport } from './render.js';
import { TooComplex, type Report, type ReportRequest } from './report.js';

interface Step {
  readonly percent: number;
  readonly message: string;
}

export type Rendered = Report | { readonly tooComplex: string };

export const rendering = {
  /** Renders a report. @param onProgress receives a Step */
  render: async (request: ReportRequest, onProgress: (step: Step) => void): Promise<Rendered> => {
    try {
      return await renderReport(request, (percent, message) => onProgress({ percent, message }));
    } catch (error) {
      // RangeError: deeper than the stack.
      if (error instanceof TooComplex || error instanceof RangeError) return { tooComplex: error.message };
      throw error;
    }
  },
};
