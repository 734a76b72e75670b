import { describe, expect, it, jest } from '@jest/globals';
import type { Request, RequestHandler, Response } from 'express';
import { inTurn } from './in-turn.js';

const request = {} as Request;
const response = {} as Response;

function run(...handlers: RequestHandler[]) {
  const next = jest.fn<(error?: unknown) => void>();
  const handle = () => inTurn(...handlers)(request, response, next);
  return { next, handle };
}

describe('inTurn', () => {
  it('runs one after the other, then the router', () => {
    const ran: string[] = [];
    const note =
      (name: string): RequestHandler =>
      (given, answer, next) => {
        expect([given, answer]).toEqual([request, response]);
        ran.push(name);
        next();
      };
    const { next, handle } = run(note('a'), note('b'), note('c'));
    next.mockImplementation(() => void ran.push('router'));
    handle();
    expect(ran).toEqual(['a', 'b', 'c', 'router']);
    expect(next).toHaveBeenCalledWith();
  });

  it('ends with the one that answers', () => {
    const after = jest.fn<RequestHandler>();
    const { next, handle } = run(() => undefined, after);
    handle();
    expect(after).not.toHaveBeenCalled();
    expect(next).not.toHaveBeenCalled();
  });

  it('ends with an error that is told, which the router gets', () => {
    const error = new Error('told');
    const after = jest.fn<RequestHandler>();
    const { next, handle } = run((_request, _response, proceed) => proceed(error), after);
    handle();
    expect(after).not.toHaveBeenCalled();
    expect(next).toHaveBeenCalledWith(error);
  });

  it('leaves an error that is thrown to the router', () => {
    const { handle } = run(() => {
      throw new Error('thrown');
    });
    expect(handle).toThrow('thrown');
  });
});
