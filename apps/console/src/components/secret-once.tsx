import { CopyButton } from './copy-button.js';

/** A secret that is shown this once. */
export function SecretOnce({ secret }: { readonly secret: string }) {
  return (
    <div className="secret-once">
      <code className="grow" data-secret="once">
        {secret}
      </code>
      <CopyButton text={secret} />
    </div>
  );
}
