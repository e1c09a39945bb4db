// Standard input: manifests, a JSON array. Prints what is wrong with their values by the schemas of Kubernetes and of KEDA, a line for each.
import { json } from 'node:stream/consumers';

for (const manifest of await json(process.stdin)) {
  const { apiVersion, kind, metadata } = manifest;
  const from = apiVersion.startsWith('keda.sh/') ? '@kubernetes-models/keda' : 'kubernetes-models';
  const { [kind]: Model } = await import(`${from}/${apiVersion}/${kind}`);
  try {
    new Model(manifest).validate();
  } catch (error) {
    process.stdout.write(`${kind} ${metadata.name}: ${error.message}\n`);
  }
}
