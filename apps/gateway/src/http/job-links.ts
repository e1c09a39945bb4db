/** Where a job can be read, followed and cancelled; `cancel` is for DELETE. */
export function jobLinks(jobId: string): { readonly self: string; readonly events: string; readonly cancel: string } {
  return { self: `/jobs/${jobId}`, events: `/jobs/${jobId}/events`, cancel: `/jobs/${jobId}` };
}
