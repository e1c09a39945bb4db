import { signIn, takeFromAddress } from '../data/session.js';

let wasRefused = false;
let fault: string | null = null;

/** Why a sign-in by the issuer came to nothing, as the address of this page said; null where it did not. */
export function faultOfIssuer(): string | null {
  return fault;
}

/** True when this page came with a ticket that was used already, or too old. */
export function ticketWasRefused(): boolean {
  return wasRefused;
}

/** Signs in with the ticket of the address, if it has one; notes what an issuer's sign-in brought. */
export async function redeemTicket(): Promise<void> {
  fault = takeFromAddress('sign_in_fault') ?? fault;
  const ticket = takeFromAddress('ticket');
  if (ticket === null) return;
  try {
    await signIn({ ticket });
    wasRefused = false;
  } catch {
    // The sign-in says so, and how to go on.
    wasRefused = true;
  }
}
