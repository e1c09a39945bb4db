// What is typed into the form of a flow, and what the gateway gets of it.
import type { Flow, NewFlow } from '#lib/client';

export interface FlowForm {
  readonly name: string;
  readonly tool: string;
  readonly domain: string;
  readonly key: string;
  readonly concurrency: string;
  readonly most: string;
  readonly seconds: string;
}

export const newForm: FlowForm = { name: '', tool: '', domain: '', key: '', concurrency: '', most: '', seconds: '1' };

export function formFrom({ name, tool, domain, key, concurrency, rate }: Flow): FlowForm {
  return {
    name,
    tool: tool ?? '',
    domain: domain ?? '',
    key: key ?? '',
    concurrency: concurrency === null ? '' : String(concurrency),
    most: rate ? String(rate.max) : '',
    seconds: rate ? String(rate.per_ms / 1_000) : newForm.seconds,
  };
}

/** Null while there is no bound that is a number. */
export function bodyOf(form: FlowForm): NewFlow | null {
  const [concurrency, max, perMs] = [Number(form.concurrency), Number(form.most), Math.round(Number(form.seconds) * 1_000)];
  const [hasConcurrency, hasRate] = [form.concurrency.trim() !== '', form.most.trim() !== ''];
  if (form.name === '' || (!hasConcurrency && !hasRate)) return null;
  if ((hasConcurrency && !Number.isFinite(concurrency)) || (hasRate && !(Number.isFinite(max) && Number.isFinite(perMs)))) return null;
  const key = form.key.trim();
  return {
    ...(form.tool !== '' && { tool: form.tool }),
    ...(form.domain !== '' && { domain: form.domain }),
    ...(key !== '' && { key }),
    ...(hasConcurrency && { concurrency }),
    ...(hasRate && { rate: { max, per_ms: perMs } }),
  };
}
