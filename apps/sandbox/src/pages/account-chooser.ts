import { html, type Html } from '../http/html.js';
import { page } from './layout.js';

export interface ShownAccount {
  name: string;
  /** Address for signing in. */
  address: string;
}

/** Page with the accounts of the sandbox and a field for another one. Posts the choice to `action` as `email`. */
export function accountChooser(chooser: {
  action: string;
  interaction: string;
  clientId: string;
  accounts: readonly ShownAccount[];
  /** Initial value of the field. */
  hint: string | null;
  /** Why the last choice was invalid. */
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
          ${chooser.accounts.map(accountButton)}
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

function accountButton({ address, name }: ShownAccount): Html {
  return html`<li>
    <button class="account" name="email" value="${address}" data-testid="account-${address}">
      ${name}<small>${address}</small>
    </button>
  </li>`;
}
