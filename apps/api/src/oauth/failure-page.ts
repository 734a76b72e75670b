import { Catch } from '@nestjs/common';
import type { Request, Response } from 'express';
import { beginFailure, sendFailure, type Failure } from '../errors/envelope.js';
import { EnvelopeFilter } from '../errors/envelope.filter.js';
import { escaped, sendPage } from '../http/html-page.js';

const STYLE = `
dl { margin: 0; padding-top: 1rem; border-top: 1px solid var(--line); display: grid; grid-template-columns: auto 1fr;
  gap: 0.25rem 1rem; color: var(--faint); font-size: 0.85rem; }
dd { margin: 0; overflow-wrap: anywhere; font-family: ui-monospace, monospace; }
`;

const TITLE = 'Your calendar was not connected';

/** Whoever asks for a page gets the error as one, everybody else the envelope. */
@Catch()
export class BrowserFailureFilter extends EnvelopeFilter {
  protected override send(request: Request, response: Response, failure: Failure, requestId: string): void {
    response.vary('accept');
    if (request.accepts(['json', 'html']) !== 'html') return sendFailure(response, failure, requestId);
    beginFailure(response, failure);
    const { status, code, message } = failure;
    const body = `<h1>${TITLE}</h1>
<p>${escaped(message)}</p>
<dl><dt>Code</dt><dd>${escaped(code)}</dd><dt>Request</dt><dd>${escaped(requestId)}</dd></dl>`;
    sendPage(response, { status, language: 'en', title: TITLE, body, style: STYLE });
  }
}
