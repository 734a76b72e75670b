import { Catch } from '@nestjs/common';
import type { Request, Response } from 'express';
import type { ErrorCode } from '#domain/system';
import type { PageLanguage } from '#providers';
import { beginFailure, sendFailure, type Failure } from '../errors/envelope.js';
import { EnvelopeFilter } from '../errors/envelope.filter.js';
import { escaped, pageLanguageOf, sendPage } from '../http/html-page.js';

const STYLE = `
dl { margin: 0; padding-top: 1rem; border-top: 1px solid var(--line); display: grid; grid-template-columns: auto 1fr;
  gap: 0.25rem 1rem; color: var(--faint); font-size: 0.85rem; }
dd { margin: 0; overflow-wrap: anywhere; font-family: ui-monospace, monospace; }
`;

interface FailureTexts {
  title: string;
  code: string;
  request: string;
  /** By error. An error without one shows its message, which is in English. */
  sentences: Partial<Record<ErrorCode, string>>;
}

const TEXTS: Record<PageLanguage, FailureTexts> = {
  en: { title: 'Your calendar was not connected', code: 'Code', request: 'Request', sentences: {} },
  de: {
    title: 'Ihr Kalender wurde nicht verbunden',
    code: 'Code',
    request: 'Anfrage',
    sentences: {
      NotFound: 'Dieser Link gilt nicht oder nicht mehr. Gehen Sie zurück zur Anwendung und beginnen Sie erneut.',
      NotSupportedByProvider: 'Dieser Anbieter kann hier nicht verbunden werden. Gehen Sie zurück zur Anwendung.',
      RateLimited: 'Zu viele Versuche. Versuchen Sie es in einigen Minuten erneut.',
      ProviderTimeout: 'Der Anbieter hat nicht rechtzeitig geantwortet. Versuchen Sie es erneut.',
      ProviderUnavailable: 'Der Anbieter ist gerade nicht erreichbar. Versuchen Sie es in einigen Minuten erneut.',
      Overloaded: 'Der Dienst ist gerade überlastet. Versuchen Sie es in einigen Minuten erneut.',
      ServiceUnavailable: 'Der Dienst ist gerade nicht erreichbar. Versuchen Sie es in einigen Minuten erneut.',
      InternalServerError: 'Im Dienst ist ein Fehler aufgetreten. Versuchen Sie es später erneut.',
    },
  },
};

/** Whoever asks for a page gets the error as one, everybody else the envelope. */
@Catch()
export class BrowserFailureFilter extends EnvelopeFilter {
  protected override send(request: Request, response: Response, failure: Failure, requestId: string): void {
    response.vary('accept');
    if (request.accepts(['json', 'html']) !== 'html') return sendFailure(response, failure, requestId);
    beginFailure(response, failure);
    const { status, code, message } = failure;
    const language = pageLanguageOf(request, response);
    const { title, sentences, ...names } = TEXTS[language];
    const sentence = sentences[code];
    const body = `<h1>${title}</h1>
<p${sentence === undefined ? ' lang="en"' : ''}>${escaped(sentence ?? message)}</p>
<dl><dt>${names.code}</dt><dd>${escaped(code)}</dd><dt>${names.request}</dt><dd>${escaped(requestId)}</dd></dl>`;
    sendPage(response, { status, language, title, body, style: STYLE });
  }
}
