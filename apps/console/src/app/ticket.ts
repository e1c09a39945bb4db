import { signIn, takeTicket } from '../data/session.js';

let wasRefused = false;

/** True when this page came with a ticket that was used already, or too old. */
export function ticketWasRefused(): boolean {
  return wasRefused;
}

/** Signs in with the ticket of the address, if it has one. */
export async function redeemTicket(): Promise<void> {
  const ticket = takeTicket();
  if (ticket === null) return;
  try {
    await signIn({ ticket });
    wasRefused = false;
  } catch {
    // The sign-in says so, and how to go on.
    wasRefused = true;
  }
}
