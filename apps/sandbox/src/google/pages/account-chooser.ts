import { html, type Html } from '../../http/html.js';
import type { GoogleUser } from '../contract.js';
import { page } from './layout.js';

/** The accounts of the sandbox to choose from, and a field for one more. The choice is posted to `action`. */
export function accountChooser(chooser: {
  action: string;
  interaction: string;
  clientId: string;
  users: readonly GoogleUser[];
  /** Prefills the field for another account. */
  hint: string | null;
  /** Why the last choice was none. */
  problem: string | null;
}): Html {
  const hidden = html`<input type="hidden" name="interaction" value="${chooser.interaction}" />`;
  return page(
    'Choose an account',
    html`<h1>Choose an account</h1>
      <p>to continue to ${chooser.clientId}</p>
      ${chooser.problem === null ? null : html`<p role="alert" data-testid="problem">${chooser.problem}</p>`}
      <form method="post" action="${chooser.action}">
        ${hidden}
        <ul>
          ${chooser.users.map(accountButton)}
        </ul>
      </form>
      <form method="post" action="${chooser.action}" class="field">
        ${hidden}
        <label for="another-account"
          >Use another account
          <input
            id="another-account"
            data-testid="another-account"
            name="email"
            type="email"
            required
            autocomplete="username"
            placeholder="name@example.com"
            value="${chooser.hint ?? ''}"
        /></label>
        <button class="button" data-testid="use-another-account">Next</button>
      </form>`,
  );
}

function accountButton({ email, name }: GoogleUser): Html {
  return html`<li>
    <button class="account" name="email" value="${email}" data-testid="account-${email}">
      ${name}<small>${email}</small>
    </button>
  </li>`;
}
