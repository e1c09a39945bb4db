// Filters over calls as they are typed, and what the gateway gets of them.

export interface SelectionForm {
  readonly tool: string;
  readonly code: string;
  /** As `datetime-local` has them, on the clock of the reader; empty without a bound. */
  readonly from: string;
  readonly to: string;
}

export const emptySelection: SelectionForm = { tool: '', code: '', from: '', to: '' };

/** What is empty is left out. */
export function selectionOf({ tool, code, from, to }: SelectionForm) {
  return {
    ...(tool !== '' && { tool }),
    ...(code.trim() !== '' && { code: code.trim() }),
    ...(from !== '' && { from: new Date(from).toISOString() }),
    ...(to !== '' && { to: new Date(to).toISOString() }),
  };
}
