// Standard input: manifests, each with the module of its kind, a JSON array. Prints what their schemas refuse of their values, a line for each.
import { json } from 'node:stream/consumers';

for (const { module, manifest } of await json(process.stdin)) {
  const { [manifest.kind]: Model } = await import(module);
  try {
    new Model(manifest).validate();
  } catch (error) {
    process.stdout.write(`${manifest.kind} ${manifest.metadata.name}: ${error.message}\n`);
  }
}
