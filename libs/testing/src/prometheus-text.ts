/** Metrics in the text format of Prometheus, of one or more processes. */
export class PrometheusText {
  readonly #samples: readonly { readonly name: string; readonly labels: ReadonlyMap<string, string>; readonly value: number }[];

  constructor(...texts: readonly string[]) {
    this.#samples = texts.flatMap((text) =>
      text
        .split('\n')
        .filter((line) => line !== '' && !line.startsWith('#'))
        .map(parse),
    );
  }

  get names(): ReadonlySet<string> {
    return new Set(this.#samples.map(({ name }) => name));
  }

  /** The sum over all processes and all series with these labels; 0 when there is no such series. */
  sum(name: string, labels: Readonly<Record<string, string>> = {}): number {
    const fitting = this.#samples.filter(
      (sample) => sample.name === name && Object.entries(labels).every(([label, value]) => sample.labels.get(label) === value),
    );
    return fitting.reduce((total, { value }) => total + value, 0);
  }
}

function parse(line: string) {
  const [, name = '', labels = '', value = ''] = /^([A-Za-z_:][\w:]*)(?:\{(.*)\})? (\S+)$/.exec(line) ?? [];
  if (!name) throw new Error(`not a sample: ${line}`);
  const pairs = [...labels.matchAll(/(\w+)="((?:[^"\\]|\\.)*)"/g)].map(([, label = '', text = '']): [string, string] => [label, text]);
  return { name, labels: new Map(pairs), value: Number(value) };
}
