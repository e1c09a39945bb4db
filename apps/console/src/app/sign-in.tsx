import { useState, type FormEvent } from 'react';
import { Button } from '../components/button.js';
import { Field, TextInput } from '../components/field.js';
import { Notice } from '../components/notice.js';
import { InvoqError } from '#lib/client';
import { issuerAddress, useIssuer, useSignIn } from '../data/session.js';
import { useText } from '../language/use-text.js';
import { Preferences } from './preferences.js';
import { signInText } from './sign-in-text.js';
import icon from '../icon.svg';

interface SignInProps {
  /** Why somebody who was signed in, or came with a ticket, stands here. */
  readonly reason: 'ended' | 'ticketFailed' | null;
  /** Why a sign-in by the issuer came to nothing. */
  readonly fault: string | null;
}

export function SignIn({ reason, fault: issuerFault }: SignInProps) {
  const words = useText(signInText);
  const signIn = useSignIn();
  const [key, setKey] = useState('');
  const submit = (event: FormEvent) => {
    event.preventDefault();
    signIn.mutate({ key: key.trim() });
  };
  const isWrong = signIn.error instanceof InvoqError && signIn.error.status === 401;
  const { data: issuer } = useIssuer();
  const fault = isWrong ? words.wrongKey : signIn.error?.message;
  return (
    <main className="sign-in">
      <form onSubmit={submit}>
        <div className="brand">
          <img className="icon" src={icon} alt="" />
          Invoq
        </div>
        <h1>{words.signIn}</h1>
        {reason !== null && !signIn.error && <Notice tone="warn">{words[reason]}</Notice>}
        {issuerFault !== null && !signIn.error && <Notice tone="bad">{words.issuerFaults(issuerFault, issuer ?? null)}</Notice>}
        {issuer && (
          <>
            <a className="button primary" href={issuerAddress()}>
              {words.signInAt(issuer.host)}
            </a>
            <p className="faint">{words.orByKey}</p>
          </>
        )}
        <Field label={words.key} help={words.signInHelp} fault={fault} isRequired>
          {(control) => (
            <TextInput
              {...control}
              type="password"
              name="key"
              required
              // The only field of the page.
              // oxlint-disable-next-line jsx-a11y/no-autofocus
              autoFocus
              autoComplete="current-password"
              placeholder="invoq_…"
              value={key}
              onChange={(event) => setKey(event.target.value)}
            />
          )}
        </Field>
        <Button type="submit" {...(!issuer && { look: 'primary' })} disabled={signIn.isPending || key.trim() === ''}>
          {words.signIn}
        </Button>
        <Preferences />
      </form>
    </main>
  );
}
