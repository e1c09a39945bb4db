// The body of a request to Stripe: a form, whose names say where in an object a value is.
const most = { parameters: 200, depth: 8 };

type Value = string | readonly Value[] | { readonly [name: string]: Value };
type Branch = Map<string, Branch | string>;

/** `a[b][]=1&a[b][]=2` is `{ a: { b: ['1', '2'] } }`. What is beyond the bounds is left out. */
export function parseForm(text: string): Readonly<Record<string, Value>> {
  const root: Branch = new Map();
  for (const [name, value] of [...new URLSearchParams(text)].slice(0, most.parameters)) {
    const path = [name.replace(/\[.*/s, ''), ...[...name.matchAll(/\[([^\]]*)\]/g)].map(([, part = '']) => part)];
    if (path.length <= most.depth) put(root, path, value);
  }
  return objectOf(root);
}

function put(root: Branch, path: readonly string[], value: string): void {
  let branch = root;
  for (const part of path.slice(0, -1)) {
    const found = branch.get(part);
    const next: Branch = found instanceof Map ? found : new Map<string, Branch | string>();
    branch.set(part, next);
    branch = next;
  }
  branch.set(path.at(-1) || String(branch.size), value);
}

function valueOf(branch: Branch | string): Value {
  if (typeof branch === 'string') return branch;
  const isList = [...branch.keys()].every((key) => /^\d+$/.test(key));
  return isList ? [...branch.values()].map(valueOf) : objectOf(branch);
}

function objectOf(branch: Branch): Readonly<Record<string, Value>> {
  return Object.fromEntries([...branch].map(([key, value]) => [key, valueOf(value)]));
}
