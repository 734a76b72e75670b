import type { OpenedConnectLink } from '#application/connect-links';
import type { DomainError, ErrorDetail } from '#domain/system';
import type { ConnectDefinition, ConnectField, PageLanguage, ProviderDefinition } from '#providers';
import { escaped, type HtmlPage } from '../http/html-page.js';
import { isPageError, PAGE_TEXTS, type PageTexts } from './connect-page-texts.js';

const DEFAULT_ACCENT = '#0b57d0';
const INK = '#1f2328';
const WHITE = '#ffffff';

const style = (accent: string) => `
:root { --accent: ${accent}; --on-accent: ${textOn(accent)}; --error: #b3261e; }
@media (prefers-color-scheme: dark) { :root { --error: #f2b8b5; } }
:focus-visible { outline: 3px solid var(--ink); outline-offset: 2px; }
a { color: inherit; }
ul, ol { margin: 0 0 1.5rem; padding: 0; }
ol { padding-left: 1.25rem; color: var(--faint); }
ul { list-style: none; display: grid; gap: 0.75rem; }
ul a { display: flex; align-items: center; gap: 0.75rem; padding: 0.75rem 1rem; border: 1px solid var(--faint);
  border-radius: 0.6rem; text-decoration: none; }
ul a:hover { border-color: var(--ink); }
svg { width: 1.5rem; height: 1.5rem; fill: currentColor; flex: none; }
label { display: block; margin: 0 0 0.25rem; font-weight: 600; }
input { width: 100%; min-height: 2.75rem; padding: 0.5rem 0.75rem; font: inherit; color: inherit;
  background: var(--card); border: 1px solid var(--faint); border-radius: 0.5rem; }
input[aria-invalid] { border: 2px solid var(--error); }
.field { margin: 0 0 1.25rem; }
.error { margin: 0.25rem 0 0; color: var(--error); }
.error[role] { margin: 0 0 1.25rem; }
button { width: 100%; min-height: 2.75rem; font: inherit; font-weight: 600; color: var(--on-accent);
  background: var(--accent); border: 1px solid var(--ink); border-radius: 0.5rem; cursor: pointer; }
button[aria-disabled] { opacity: 0.7; cursor: progress; }
.note { margin: 1.25rem 0 0; color: var(--faint); font-size: 0.9rem; }
nav { display: flex; gap: 1.5rem; margin-top: 1.25rem; }
nav a { padding: 0.5rem 0; }
`;

/** A second submission would find the link used. */
const SCRIPT = `
const form = document.querySelector('form');
const button = form.querySelector('button');
const label = button.textContent;
form.addEventListener('submit', (event) => {
  if (button.hasAttribute('aria-disabled')) return event.preventDefault();
  button.setAttribute('aria-disabled', 'true');
  button.textContent = button.dataset.busy;
});
addEventListener('pageshow', () => {
  button.removeAttribute('aria-disabled');
  button.textContent = label;
});
`;

const AUTOCOMPLETE: Record<ConnectField, string> = {
  serverUrl: 'off',
  email: 'username',
  // A password manager knows the user's own password, which is the wrong one where an app-specific one is asked for.
  password: 'off',
  url: 'off',
  name: 'off',
};

export type ConnectableDefinition = ProviderDefinition & { readonly connect: ConnectDefinition };

export interface PageView {
  opened: OpenedConnectLink;
  /** Query string with the link alone. */
  linkQuery: string;
  language: PageLanguage;
}

export function choicePage(view: PageView, providers: readonly ProviderDefinition[]): HtmlPage {
  const texts = PAGE_TEXTS[view.language];
  const choices = providers.map(
    ({ slug, label, icon }) =>
      `<li><a href="${escaped(view.linkQuery)}&amp;provider=${slug}"><svg aria-hidden="true" viewBox="0 0 24 24"><path fill-rule="evenodd" d="${icon}"/></svg>${escaped(label)}</a></li>`,
  );
  const body = `<h1>${escaped(texts.title(view.opened.application.name))}</h1>
<p>${texts.choose}</p>
<ul>${choices.join('')}</ul>
<nav>${cancelLink(view, texts)}</nav>`;
  return page(view, 200, texts.title(view.opened.application.name), body);
}

export interface FormState {
  entered: Readonly<Record<string, string>>;
  /** The last attempt's. Only for which {@link isShownInForm}. */
  error: DomainError | null;
  status: number;
}

export function isShownInForm({ code, details }: DomainError, { connect }: ConnectableDefinition): boolean {
  const { labels } = connect.form.texts.en;
  return (
    isPageError(code) || (details !== undefined && details.length > 0 && details.every(({ path }) => path in labels))
  );
}

export function formPage(view: PageView, definition: ConnectableDefinition, state: FormState): HtmlPage {
  const { application } = view.opened;
  const texts = PAGE_TEXTS[view.language];
  const { helpUrl, texts: formTexts } = definition.connect.form;
  const { labels, steps } = formTexts[view.language];
  const errors = errorsOf(state, Object.keys(labels), texts, view.language);
  const help =
    helpUrl === undefined
      ? ''
      : `<p><a href="${escaped(helpUrl)}" target="_blank" rel="noopener noreferrer">${new URL(helpUrl).host}</a> (${texts.openHelp})</p>`;
  const isChosen = view.opened.link.providerType === null;
  const title = `${definition.label}: ${texts.title(application.name)}`;
  const body = `<h1>${escaped(title)}</h1>
<ol>${steps.map((step) => `<li>${escaped(step)}</li>`).join('')}</ol>
${help}
<form method="post" novalidate>
${errors.form === undefined ? '' : `<p class="error" role="alert">${escaped(errors.form)}</p>`}
${Object.entries(labels)
  .map(([name, label]) => fieldOf(name as ConnectField, label, state.entered[name], errors.fields))
  .join('\n')}
<button type="submit" data-busy="${texts.connecting}">${texts.connect}</button>
</form>
<p class="note">${escaped(texts.privacy(application.name))}</p>
<nav>${isChosen ? `<a href="${escaped(view.linkQuery)}">${texts.back}</a>` : ''}${cancelLink(view, texts)}</nav>`;
  return { ...page(view, state.status, title, body), script: SCRIPT };
}

function page({ opened, language }: PageView, status: number, title: string, body: string): HtmlPage {
  return {
    ...{ status, language, title, body },
    style: style(opened.application.accentColor ?? DEFAULT_ACCENT),
    formTargets: ["'self'", sourceOf(opened.link.redirectUrl)],
  };
}

/** Chromium applies `form-action` to the redirect after a submission. */
function sourceOf(redirectUrl: string): string {
  const { origin, protocol } = new URL(redirectUrl);
  return origin === 'null' ? protocol : origin;
}

function cancelLink({ opened }: PageView, { cancel }: PageTexts): string {
  return `<a href="${escaped(opened.cancelUrl)}">${cancel}</a>`;
}

interface ShownErrors {
  /** Of no field. */
  form?: string;
  fields: Readonly<Record<string, string>>;
}

function fieldOf(
  name: ConnectField,
  label: string,
  entered: string | undefined,
  errors: ShownErrors['fields'],
): string {
  const error = errors[name];
  const isSecret = name === 'password';
  const attributes = [
    `id="${name}" name="${name}" type="${isSecret ? 'password' : 'text'}" autocomplete="${AUTOCOMPLETE[name]}"`,
    ...(name === 'serverUrl' || name === 'url' ? ['inputmode="url"'] : []),
    ...(name === 'name' ? [] : ['required']),
    'autocapitalize="none" spellcheck="false"',
    ...(isSecret || entered === undefined ? [] : [`value="${escaped(entered)}"`]),
    ...(error === undefined ? [] : [`aria-invalid="true" aria-describedby="${name}-error"`]),
    ...(name === Object.keys(errors)[0] ? ['autofocus'] : []),
  ];
  const description = error === undefined ? '' : `<p class="error" id="${name}-error">${escaped(error)}</p>`;
  return `<div class="field"><label for="${name}">${escaped(label)}</label><input ${attributes.join(' ')}>${description}</div>`;
}

/** Errors of the address stand beside it, those of the login beside the password, so that neither is taken for the other. */
function errorsOf(
  { error, entered }: FormState,
  fields: readonly string[],
  { errors, unreachable }: PageTexts,
  language: PageLanguage,
): ShownErrors {
  if (error === null) return { fields: {} };
  const address = fields.find((field) => field === 'serverUrl' || field === 'url');
  const { code, message, details = [] } = error;
  // The service's own sentences say more.
  const hasEnglish = language === 'en';
  if (!isPageError(code)) {
    const detailText = ({ path, message }: ErrorDetail) => {
      const text = errors.field[path as ConnectField];
      return hasEnglish && path === address && entered[path] !== undefined ? `${text} It ${message}.` : text;
    };
    return { fields: Object.fromEntries(details.map((detail) => [detail.path, detailText(detail)] as const)) };
  }
  if (code === 'CredentialsRejected')
    return { fields: { [fields.includes('password') ? 'password' : fields[0]!]: errors[code] } };
  const isOfAddress = code === 'ServerNotAllowed' || code === 'ProviderUnavailable';
  if (isOfAddress && address !== undefined) {
    const text = hasEnglish && code === 'ServerNotAllowed' ? ofAddress(message) : errors[code];
    return { fields: { [address]: text } };
  }
  return { form: code === 'ProviderUnavailable' ? unreachable : errors[code], fields: {} };
}

/** The form says "address" where the REST API says `serverUrl` or `url`. */
function ofAddress(message: string): string {
  return message.replace(/^(?:serverUrl|url)\b/, 'The address').replaceAll(/\bas serverUrl\b/g, 'in its place');
}

/** Black or white, whichever has more contrast on the color (WCAG 2.2 §1.4.3). */
function textOn(color: string): string {
  return contrast(color, WHITE) >= contrast(color, INK) ? WHITE : INK;
}

function contrast(one: string, other: string): number {
  const [lighter, darker] = [luminance(one), luminance(other)].sort((a, b) => b - a) as [number, number];
  return (lighter + 0.05) / (darker + 0.05);
}

/** Relative luminance (WCAG 2.2) of `#rrggbb`, 0 to 1. */
function luminance(color: string): number {
  const [red, green, blue] = [1, 3, 5].map((at) => {
    const channel = Number.parseInt(color.slice(at, at + 2), 16) / 255;
    return channel <= 0.04045 ? channel / 12.92 : ((channel + 0.055) / 1.055) ** 2.4;
  }) as [number, number, number];
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}
